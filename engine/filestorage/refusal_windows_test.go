package filestorage

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

// TestRefusals: what Windows returns for a full disk, for one that refuses to read, and
// for neither.
func TestRefusals(t *testing.T) {
	for number, want := range map[syscall.Errno]string{
		5: "false false", 23: "false true", 32: "false false", 39: "true false", 112: "true false",
		223: "true false", 1117: "false true", 1295: "true false", syscall.EFBIG: "true false",
	} {
		err := fmt.Errorf("wrapped: %w", &os.PathError{Op: "write", Path: "wal-1-1", Err: number})
		if got := fmt.Sprint(isFull(err), " ", isUnreadable(err)); got != want {
			t.Errorf("%d, %v: %s, want %s", number, number, got, want)
		}
	}
}
