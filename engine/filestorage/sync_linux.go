package filestorage

import (
	"errors"
	"os"
	"syscall"
)

// fdatasync syncs the contents of a file, and its size if that has changed, but not
// its modification time.
func fdatasync(file *os.File) error {
	for {
		if err := syscall.Fdatasync(int(file.Fd())); !errors.Is(err, syscall.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
