package storagetest

import (
	"errors"
	"sync"

	"sandtable/engine"
)

// ErrFault is the error of a [Faulty] storage that fails on purpose.
var ErrFault = errors.New("fault injected")

// Fault is the way in which a call fails.
type Fault uint8

const (
	// Refuse does nothing and returns an error, like an exhausted quota.
	Refuse Fault = iota
	// Lose does everything and returns an error, like a connection that is lost
	// before the response.
	Lose
	// StopBefore does nothing, nor does any later call: a crash.
	StopBefore
	// StopAfter does everything but returns an error, and no later call does
	// anything.
	StopAfter
)

var faultNames = [...]string{Refuse: "refuse", Lose: "lose", StopBefore: "stop before", StopAfter: "stop after"}

// String returns the fault's name.
func (f Fault) String() string { return faultNames[f] }

// Faulty is a storage that fails at one call of Append or Checkpoint.
type Faulty struct {
	engine.Storage
	fault Fault

	mu      sync.Mutex
	left    int // calls until the one that fails
	stopped bool
}

// NewFaulty returns a storage that behaves like the given one until the n-th call of
// Append and Checkpoint together, counted from 1.
func NewFaulty(storage engine.Storage, n int, fault Fault) *Faulty {
	return &Faulty{Storage: storage, fault: fault, left: n}
}

// Append calls the wrapped storage or fails.
func (f *Faulty) Append(seq uint64, record []byte) error {
	return f.write(func() error { return f.Storage.Append(seq, record) })
}

// Checkpoint calls the wrapped storage or fails.
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
