package boltstorage

import (
	"errors"
	"os"
	"syscall"
)

// fdatasync has the disk know of a file's text, and of its size if it has
// changed, but not of the time at which that was.
func fdatasync(file *os.File) error {
	for {
		if err := syscall.Fdatasync(int(file.Fd())); !errors.Is(err, syscall.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
