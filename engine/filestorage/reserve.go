package filestorage

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"

	"sandtable/engine"
)

// reserveName is a file without data. When the disk is full, removing it makes space
// for operations that free space: a shorter WAL segment, deletions, and the
// checkpoint that puts them into effect.
const reserveName = "reserve"

// reserveSize is how long the reserve is, in addition to the base of the WAL
// segment. Tests change it.
var reserveSize = 256 << 10

// smallCheckpoint is up to how many bytes of blocks a checkpoint may use the space
// that deletions left of the reserve: merging a WAL of deletions takes only a few.
const smallCheckpoint = 64 << 10

func isSmall(c engine.Checkpoint) bool {
	size := 0
	for _, b := range c.Puts {
		size += len(b.Data)
	}
	return size <= smallCheckpoint
}

// keepReserve creates the reserve if it is missing. As long as there is no space for
// it, only deletions and their checkpoints are written: the space it freed is theirs. Of
// the last quarter it takes back what still fits, for drops.
func (s *Storage) keepReserve() (err error) {
	if s.reserve || s.wal == nil {
		return nil
	}
	path := filepath.Join(s.folder, reserveName)
	want, left := s.fullReserve(), int64(0)
	if info, err := os.Stat(path); err == nil {
		left = info.Size()
	}
	if left >= want {
		s.reserve = true
		return nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	b := make([]byte, want)
	random := rand.NewChaCha8([32]byte{}) // file systems cannot compress it
	_, _ = random.Read(b)                 // never fails
	if err = errors.Join(writeAt(file, b, 0), file.Close()); err != nil {
		if info, unknown := os.Stat(path); unknown == nil {
			left = max(left, min(info.Size(), want/4))
		}
		return errors.Join(err, os.Truncate(path, left))
	}
	s.reserve = true
	return nil
}

// fullReserve returns how long the reserve is before any of it is given up.
func (s *Storage) fullReserve() int64 {
	size := int64(reserveSize)
	if s.wal != nil {
		size += s.wal.base
	}
	return size
}

// giveUpReserve shortens the reserve to some bytes, and reports whether that freed space.
func (s *Storage) giveUpReserve(left int64) bool {
	path := filepath.Join(s.folder, reserveName)
	info, err := os.Stat(path)
	if err != nil || info.Size() <= left || os.Truncate(path, left) != nil {
		return false
	}
	s.reserve = false
	return true
}

// withReserve calls do. If the disk is full and the reserve has more bytes than are to
// be left of it, it gives them up and calls do again.
func (s *Storage) withReserve(left int64, do func() error) error {
	err := do()
	if !isFull(err) || !s.giveUpReserve(left) {
		return err
	}
	if err = do(); err != nil {
		_ = s.keepReserve() // the next write tries again
	}
	return err
}

// AppendReserved is [engine.Reserver.AppendReserved]. The last quarter of the reserve is
// for drops and the checkpoint after them.
func (s *Storage) AppendReserved(seq uint64, record []byte, drops bool) error {
	left := s.fullReserve() / 4
	if drops {
		left = 0
	}
	return s.write(func() error {
		return s.withReserve(left, func() error { return s.appendRecord(seq, record) })
	})
}
