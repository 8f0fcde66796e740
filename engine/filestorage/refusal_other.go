//go:build !windows

package filestorage

import "syscall"

// What this system returns besides ENOSPC, EDQUOT and EFBIG for a full disk, and besides
// EIO for one that refuses to read.
var systemFull, systemUnreadable []syscall.Errno
