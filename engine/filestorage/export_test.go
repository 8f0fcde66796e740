package filestorage

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// SmallFiles starts a WAL segment with nearly every checkpoint, keeps block segments
// short, and copies blocks forward as soon as there is garbage.
func SmallFiles() {
	minRotation, minGarbage, minSegment, minCopy, reserveSize = 1, 1, 8<<10, 2000, 600
}

// WithSmallFiles applies SmallFiles until the test ends.
func WithSmallFiles(t *testing.T) {
	t.Helper()
	rotation, garbage, segment, least, reserve := minRotation, minGarbage, minSegment, minCopy, reserveSize
	SmallFiles()
	t.Cleanup(func() {
		minRotation, minGarbage, minSegment, minCopy, reserveSize = rotation, garbage, segment, least, reserve
	})
}

// WithFilePerCheckpoint puts the blocks of each checkpoint into a file of their own, until
// the test ends. Nothing is copied forward.
func WithFilePerCheckpoint(t *testing.T) {
	t.Helper()
	segment, garbage := minSegment, minGarbage
	minSegment, minGarbage = 1, 1<<40
	t.Cleanup(func() { minSegment, minGarbage = segment, garbage })
}

// NextFrame returns the WAL's file, and where in it the content of the next frame begins.
func (s *Storage) NextFrame() (path string, content int64) {
	return s.wal.file.Name(), s.wal.end + headerSize
}

// LimitWrites makes writes fail as on a full disk after a number of bytes, until
// the test ends or the returned function is called. Removing files frees nothing.
func LimitWrites(t *testing.T, left int) (end func()) {
	t.Helper()
	was := writeAt
	writeAt = func(file *os.File, b []byte, offset int64) error {
		if len(b) <= left {
			left -= len(b)
			return was(file, b, offset)
		}
		b, left = b[:left], 0
		if err := was(file, b, offset); err != nil {
			return err
		}
		return &os.PathError{Op: "write", Path: file.Name(), Err: syscall.ENOSPC}
	}
	end = func() { writeAt = was }
	t.Cleanup(end)
	return end
}

// FailReads makes reads fail with the errors that fail returns for the name of a file, an
// offset and a length, until the test ends.
func FailReads(t *testing.T, fail func(name string, offset int64, length int) error) {
	t.Helper()
	was := readAt
	readAt = func(file *os.File, b []byte, offset int64) (int, error) {
		if err := fail(filepath.Base(file.Name()), offset, len(b)); err != nil {
			return 0, &os.PathError{Op: "read", Path: file.Name(), Err: err}
		}
		return was(file, b, offset)
	}
	t.Cleanup(func() { readAt = was })
}

// FailStats makes it fail to look at new WAL segments until the test ends or the returned
// function is called.
func FailStats(t *testing.T, err error) (end func()) {
	t.Helper()
	was := statFile
	statFile = func(file *os.File) (os.FileInfo, error) {
		return nil, &os.PathError{Op: "stat", Path: file.Name(), Err: err}
	}
	end = func() { statFile = was }
	t.Cleanup(end)
	return end
}

// LimitWAL limits how long a WAL segment may become until the test ends.
func LimitWAL(t *testing.T, size int64) {
	t.Helper()
	longest, rotation := maxWAL, minRotation
	maxWAL, minRotation = size, 1
	t.Cleanup(func() { maxWAL, minRotation = longest, rotation })
}

// FailSyncs makes all data syncs fail until the test ends.
func FailSyncs(t *testing.T, err error) (end func()) {
	t.Helper()
	was := syncData
	syncData = func(*os.File) error { return err }
	end = func() { syncData = was }
	t.Cleanup(end)
	return end
}

// NoteSyncs records the names of synced files and folders.
func NoteSyncs(t *testing.T) *[]string {
	t.Helper()
	var names []string
	wasData, wasFolder := syncData, syncFolder
	t.Cleanup(func() { syncData, syncFolder = wasData, wasFolder })
	syncData = func(file *os.File) error {
		names = append(names, file.Name())
		return wasData(file)
	}
	syncFolder = func(path string) error {
		names = append(names, path)
		return wasFolder(path)
	}
	return &names
}

// ClaimAlone acquires a store without the operating system's lock, as in Node.js.
func ClaimAlone(folder string) (release func() error, err error) {
	o, err := claim(folder, nil)
	if err != nil {
		return nil, err
	}
	return o.release, nil
}

// ThisProcess returns this process's owner record.
func ThisProcess() []string { return strings.Fields(string(thisProcess().encode())) }

// PretendHost makes this process appear to run outside any container.
func PretendHost(t *testing.T, space, machine string) {
	t.Helper()
	was := thisProcess
	t.Cleanup(func() { thisProcess = was })
	thisProcess = func() process {
		p := was()
		p.space, p.machine = space, machine
		return p
	}
}

// LoseLock releases the operating system's lock, as on a platform without one.
func LoseLock(s *Storage) error {
	lock := s.owner.lock
	s.owner.lock = nil
	return lock.Close()
}
