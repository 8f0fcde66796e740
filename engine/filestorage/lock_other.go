//go:build !js && !windows && (!unix || aix || solaris)

package filestorage

import (
	"errors"
	"io"
	"os"
)

// Lock returns nil: no lock is implemented for this system.
func Lock(string) (io.Closer, error) { return nil, nil }

// isAlive cannot know.
func isAlive(int) bool { return true }

// isRemoved reports whether an open file has no name any more.
func isRemoved(file *os.File) (bool, error) {
	_, err := os.Lstat(file.Name())
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	return false, err
}
