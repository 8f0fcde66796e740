package filestorage

import (
	"errors"
	"os"
	"syscall"
)

// fdatasync makes the contents of a file safe, and its size if that has changed,
// but not the time at which it did.
func fdatasync(file *os.File) error {
	for {
		if err := syscall.Fdatasync(int(file.Fd())); !errors.Is(err, syscall.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
