package storagetest

import (
	"errors"
	"sync"

	"sandtable/engine"
)

// ErrFault is the error of a [Faulty] storage that fails on purpose.
var ErrFault = errors.New("fault injected")

// Fault says how a call fails.
type Fault uint8

const (
	// Refuse does nothing and returns an error, as a full quota does.
	Refuse Fault = iota
	// Lose does everything and returns an error, as a connection does that
	// dies before the answer came.
	Lose
	// StopBefore does nothing, and no call after it does anything: a crash.
	StopBefore
	// StopAfter does everything, but its caller never knows, and no call after
	// it does anything.
	StopAfter
)

var faultNames = [...]string{Refuse: "refuse", Lose: "lose", StopBefore: "stop before", StopAfter: "stop after"}

// String returns the fault in words.
func (f Fault) String() string { return faultNames[f] }

// Faulty is a storage that fails at one call of Append or Checkpoint.
type Faulty struct {
	engine.Storage
	fault Fault

	mu      sync.Mutex
	left    int // calls until the one that fails
	stopped bool
}

// NewFaulty returns a storage that works as the other one does until the n-th
// call (the first is 1) of Append and Checkpoint together.
func NewFaulty(storage engine.Storage, n int, fault Fault) *Faulty {
	return &Faulty{Storage: storage, fault: fault, left: n}
}

// Append is that of the storage within, or fails.
func (f *Faulty) Append(seq uint64, record []byte) error {
	return f.write(func() error { return f.Storage.Append(seq, record) })
}

// Checkpoint is that of the storage within, or fails.
func (f *Faulty) Checkpoint(c engine.Checkpoint) error {
	return f.write(func() error { return f.Storage.Checkpoint(c) })
}

func (f *Faulty) write(do func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return ErrFault
	}
	f.left--
	if f.left != 0 {
		return do()
	}
	f.stopped = f.fault == StopBefore || f.fault == StopAfter
	if f.fault == Lose || f.fault == StopAfter {
		if err := do(); err != nil {
			return err
		}
	}
	return ErrFault
}
