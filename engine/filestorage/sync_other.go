//go:build !linux

package filestorage

import "os"

// fdatasync syncs the contents of a file.
func fdatasync(file *os.File) error { return file.Sync() }
