//go:build !js && !linux

package boltstorage

import "os"

// fdatasync has the disk know of a file's text.
func fdatasync(file *os.File) error { return file.Sync() }
