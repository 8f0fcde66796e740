//go:build !js && !linux

package boltstorage

import "os"

// syncData has the disk know of a file's text.
func syncData(file *os.File) error { return file.Sync() }
