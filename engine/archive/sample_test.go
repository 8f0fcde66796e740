package archive_test

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"testing"

	"sandtable/engine/archive"
)

// sample is an archive in format 1, which every version must be able to load.
//
//go:embed testdata/format1.jsonl
var sample []byte

// TestSample loads the sample and compares its lines with a dump.
func TestSample(t *testing.T) {
	db := openMemory(t)
	report, err := archive.Load(bytes.NewReader(sample), db, archive.LoadOptions{})
	want := archive.Report{Counts: archive.Counts{Accounts: 1, Tables: 2, Entities: 2}, Corruption: 3}
	if err != nil || report != want {
		t.Errorf("loaded %+v, %v, want %+v", report, err, want)
	}
	// The corruption is not part of the new store, and a dump is sorted.
	lines := func(text string) []string {
		all := strings.Split(strings.TrimSpace(withoutTimestamps(text)), "\n")
		slices.Sort(all)
		return all
	}
	text := strings.Replace(string(sample), `,"corruption":3`, "", 1)
	if got, want := lines(dump(t, db, archive.DumpOptions{Keys: true})), lines(text); !slices.Equal(got, want) {
		t.Errorf("dumped\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
