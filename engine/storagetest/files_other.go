//go:build !(linux || darwin)

package storagetest

import "testing"

// noFillFolder is the reason why fillFolder is not supported.
const noFillFolder = "this platform has no limit on file sizes"

func fillFolder(t *testing.T, _ string) (empty func()) {
	t.Fatal(noFillFolder)
	return nil
}
