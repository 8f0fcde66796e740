//go:build !windows

package filestorage

import "syscall"

// What a full disk returns, and one that refuses to read.
var (
	fullDisk   = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
	unreadable = []syscall.Errno{syscall.EIO}
)
