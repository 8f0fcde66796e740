package filestorage

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// SmallFiles has a WAL segment begin with nearly every checkpoint, segments of
// blocks be short, and blocks be copied forward as soon as there is garbage.
func SmallFiles() {
	leastTurn, leastGarbage, leastSegment, leastCopy, reserveSize = 1, 1, 8<<10, 2000, 600
}

// WithSmallFiles does that for a test.
func WithSmallFiles(t *testing.T) {
	t.Helper()
	turn, garbage, segment, least, reserve := leastTurn, leastGarbage, leastSegment, leastCopy, reserveSize
	SmallFiles()
	t.Cleanup(func() {
		leastTurn, leastGarbage, leastSegment, leastCopy, reserveSize = turn, garbage, segment, least, reserve
	})
}

// LimitWrites has writes fail as on a full disk once they have written so many
// bytes, until the test ends; what is removed gives nothing back. It returns a
// function that ends it.
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

// FailSyncs has all syncs of data fail until the test ends.
func FailSyncs(t *testing.T, err error) (end func()) {
	t.Helper()
	was := syncData
	syncData = func(*os.File) error { return err }
	end = func() { syncData = was }
	t.Cleanup(end)
	return end
}

// NoteSyncs notes the names of files and folders that are synced.
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

// ClaimAlone makes a process an owner without the operating system's lock, as in
// Node.js.
func ClaimAlone(folder string) (release func() error, err error) {
	o, err := claim(folder, nil)
	if err != nil {
		return nil, err
	}
	return o.release, nil
}

// ThisProcess returns what a process writes about itself.
func ThisProcess() []string { return strings.Fields(string(thisProcess().encode())) }

// PretendHost has this process be one of a machine itself, and not of a container.
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
