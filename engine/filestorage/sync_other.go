//go:build !linux

package filestorage

import "os"

// fdatasync makes the contents of a file safe.
func fdatasync(file *os.File) error { return file.Sync() }
