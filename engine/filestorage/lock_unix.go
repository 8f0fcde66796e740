//go:build unix && !aix && !solaris

package filestorage

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Lock locks a file, which it creates if need be, until it is closed or the process ends.
// The error wraps [ErrInUse] if it is locked already, also by this process. Without an
// error and without a Closer, this system has no locks.
func Lock(path string) (io.Closer, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	removed := false // whoever had the lock may have deleted the file
	if err == nil {
		removed, err = isRemoved(file)
	}
	if removed || errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("%w by another process", ErrInUse)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

func isAlive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// isRemoved reports whether an open file has no name any more.
func isRemoved(file *os.File) (bool, error) {
	var s syscall.Stat_t
	err := syscall.Fstat(int(file.Fd()), &s)
	return err == nil && s.Nlink == 0, err
}
