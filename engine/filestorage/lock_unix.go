//go:build unix && !aix && !solaris

package filestorage

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// lockName is the file that native processes lock. It stays.
const lockName = "lock"

// lockFolder takes the lock of a folder, which ends with the process. The error
// wraps [ErrInUse] if another storage has it, also in this process.
func lockFolder(folder string) (io.Closer, error) {
	file, err := os.OpenFile(filepath.Join(folder, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
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
