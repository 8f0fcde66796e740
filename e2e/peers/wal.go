package main

import (
	"os"
	"sync"
	"syscall"
)

// walSize is the size of the file in bytes. It is written before the measurement,
// because syncing a file that grows takes longer.
const walSize = 64 << 20

// wal appends to a file and syncs it, with group commit: what arrives during a sync
// shares the next one. It is the least that durable writes cost a server.
type wal struct {
	file *os.File

	mu      sync.Mutex
	at      int64 // where the next write goes; the file is overwritten from its start
	pending []byte
	waiters []chan error // those whose bytes are pending
	leading bool         // whether a goroutine writes
}

func createWAL(name string) (*wal, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if _, err := file.Write(make([]byte, walSize)); err != nil {
		return nil, err
	}
	return &wal{file: file}, file.Sync()
}

// append returns when the bytes are durable.
func (w *wal) append(bytes []byte) error {
	done := make(chan error, 1)
	w.mu.Lock()
	w.pending = append(w.pending, bytes...)
	w.waiters = append(w.waiters, done)
	if !w.leading {
		w.leading = true
		for len(w.waiters) > 0 {
			w.writePending()
		}
		w.leading = false
	}
	w.mu.Unlock()
	return <-done
}

// writePending writes what is pending. It is called with mu locked, and unlocks it
// meanwhile.
func (w *wal) writePending() {
	pending, waiters := w.pending, w.waiters
	w.pending, w.waiters = nil, nil
	if w.at+int64(len(pending)) > walSize {
		w.at = 0
	}
	at := w.at
	w.at += int64(len(pending))
	w.mu.Unlock()
	_, err := w.file.WriteAt(pending, at)
	if err == nil {
		err = syscall.Fdatasync(int(w.file.Fd()))
	}
	for _, done := range waiters {
		done <- err
	}
	w.mu.Lock()
}
