package filestorage

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Lock locks a file, which it creates if need be, until it is closed or the process ends:
// an open file that is not shared. The error wraps [ErrInUse] if it is locked already, also
// by this process.
func Lock(path string) (io.Closer, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const sharingViolation = syscall.Errno(32)
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, fmt.Errorf("%w by another process", ErrInUse)
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}

// isRemoved reports whether an open file has no name any more.
func isRemoved(file *os.File) (bool, error) {
	_, err := os.Lstat(file.Name())
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	return false, err
}
