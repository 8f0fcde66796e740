//go:build linux || darwin

package storagetest

import (
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// noFillFolder is the reason why fillFolder is not supported, or "".
const noFillFolder = ""

// fillFolder simulates a full disk: it keeps the process from extending any file
// beyond the folder's longest.
func fillFolder(t *testing.T, folder string) (empty func()) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	var longest int64
	for _, entry := range entries {
		info, err := os.Stat(filepath.Join(folder, entry.Name()))
		must(t, err)
		longest = max(longest, info.Size())
	}
	var limit syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	full := limit
	full.Cur = min(limit.Max, uint64(longest))
	signal.Ignore(syscall.SIGXFSZ)
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full))
	empty = sync.OnceFunc(func() {
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
		signal.Reset(syscall.SIGXFSZ)
	})
	t.Cleanup(empty)
	return empty
}
