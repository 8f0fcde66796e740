package filestorage

import (
	"io"
	"os"
	"syscall"
	"syscall/js"
)

// Lock returns nil: Node.js cannot lock files.
func Lock(string) (io.Closer, error) { return nil, nil }

// isAlive asks Node.js, which throws an exception with a code.
func isAlive(pid int) (alive bool) {
	defer func() {
		if err, is := recover().(js.Error); is {
			alive = err.Value.Get("code").String() != "ESRCH"
		}
	}()
	js.Global().Get("process").Call("kill", pid, 0)
	return true
}

// isRemoved reports whether an open file has no name any more.
func isRemoved(file *os.File) (bool, error) {
	var s syscall.Stat_t
	err := syscall.Fstat(int(file.Fd()), &s)
	return err == nil && s.Nlink == 0, err
}
