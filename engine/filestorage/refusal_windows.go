package filestorage

import "syscall"

// What a full disk returns, and one that refuses to read. Go's ENOSPC and EIO are there only
// so that programs compile: no call of Windows returns them.
//
// Source: "System Error Codes",
// https://learn.microsoft.com/windows/win32/debug/system-error-codes.
var (
	fullDisk = []syscall.Errno{
		39,            // ERROR_HANDLE_DISK_FULL
		112,           // ERROR_DISK_FULL
		223,           // ERROR_FILE_TOO_LARGE
		1295,          // ERROR_DISK_QUOTA_EXCEEDED
		syscall.EFBIG, // our own, of a WAL that may not grow
	}
	unreadable = []syscall.Errno{
		23,   // ERROR_CRC
		27,   // ERROR_SECTOR_NOT_FOUND
		30,   // ERROR_READ_FAULT
		1117, // ERROR_IO_DEVICE
	}
)
