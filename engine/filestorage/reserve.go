package filestorage

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"

	"sandtable/engine"
)

// reserveName is a file of nothing. When the disk is full it makes space for what
// gives space back: a WAL segment in place of a longer one, deletions, and the
// checkpoint that makes them count.
const reserveName = "reserve"

// reserveSize is how long the reserve is, next to what the directory takes.
// Tests change it.
var reserveSize = 256 << 10

// smallCheckpoint is how many bytes of blocks a checkpoint may have that uses what
// deletions have left of the reserve: a WAL of deletions becomes a few.
const smallCheckpoint = 64 << 10

func isSmall(c engine.Checkpoint) bool {
	size := 0
	for _, b := range c.Puts {
		size += len(b.Data)
	}
	return size <= smallCheckpoint
}

// keepReserve makes the reserve if it is not there. As long as there is no space for
// it, only deletions and their checkpoints are written: the space that it gave is theirs.
func (s *Storage) keepReserve() (err error) {
	if s.reserve || s.wal == nil {
		return nil
	}
	path := filepath.Join(s.folder, reserveName)
	want := int64(reserveSize) + s.wal.base
	if info, err := os.Stat(path); err == nil && info.Size() >= want {
		s.reserve = true
		return nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	b := make([]byte, want)
	random := rand.NewChaCha8([32]byte{}) // nothing that a file system could compress
	_, _ = random.Read(b)                 // never fails
	if err = errors.Join(writeAt(file, b, 0), file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	s.reserve = true
	return nil
}

// withReserve does something, and does it again with the space of the reserve if
// the disk is full and the reserve is there.
func (s *Storage) withReserve(do func() error) error {
	err := do()
	if !isFull(err) || os.Remove(filepath.Join(s.folder, reserveName)) != nil {
		return err
	}
	s.reserve = false
	if err = do(); err != nil {
		_ = s.keepReserve() // the next write tries again
	}
	return err
}

// AppendReserved is [engine.Reserver.AppendReserved].
func (s *Storage) AppendReserved(seq uint64, record []byte) error {
	return s.write(func() error {
		return s.withReserve(func() error { return s.appendRecord(seq, record) })
	})
}
