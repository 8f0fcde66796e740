package archive_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/engine/archive"
)

// loadChunks loads a text in chunks of random sizes, like a client that sends a
// longer chunk if the last one contained no complete line.
func loadChunks(t testing.TB, db *engine.DB, text string, size func() int, options archive.LoadOptions) archive.Counts {
	t.Helper()
	at, sum := archive.Position{}, archive.Counts{}
	for length := size(); ; {
		offset := int(at.Bytes)
		chunk := text[offset:min(offset+length, len(text))]
		last := offset+len(chunk) == len(text)
		report, next, err := archive.LoadChunk([]byte(chunk), last, db, at, options)
		must(t, err)
		sum.Accounts += report.Accounts
		sum.Tables += report.Tables
		sum.Entities += report.Entities
		if last {
			if !next.Ended || int(next.Bytes) != len(text) || next.Counts != sum {
				t.Errorf("the last chunk ends at %+v", next)
			}
			return sum
		}
		if length = size(); next.Bytes == at.Bytes {
			length = 2 * len(chunk)
		}
		parsed, err := archive.ParsePosition(next.String())
		if err != nil || parsed != next {
			t.Fatalf("ParsePosition(%q) is %+v, %v, want %+v", next, parsed, err, next)
		}
		at = parsed
	}
}

func TestLoadChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 5 {
		from := openMemory(t)
		randomStore(t, from, r)
		text := dump(t, from, archive.DumpOptions{Keys: true})
		to := openMemory(t)
		size := func() int { return 1 + r.IntN(len(text)/2) }
		for range 2 { // the second load changes nothing
			if got, want := loadChunks(t, to, text, size, archive.LoadOptions{}), strings.Count(text, "PartitionKey"); got.Entities != want {
				t.Errorf("loaded %+v, want %d entities", got, want)
			}
			if got := dump(t, to, archive.DumpOptions{Keys: true}); withoutTimestamps(got) != withoutTimestamps(text) {
				t.Fatalf("loaded\n%s\nwant\n%s", got, text)
			}
		}
	}
}

// TestLoadChunkTwice: a client may resend a chunk whose response was lost.
func TestLoadChunkTwice(t *testing.T) {
	db := openMemory(t)
	first := head + account + table + row
	_, at, err := archive.LoadChunk([]byte(first), false, db, archive.Position{}, archive.LoadOptions{})
	must(t, err)
	second := `{"PartitionKey":"p","RowKey":"r2"}` + "\n"
	for i := range 2 {
		report, next, err := archive.LoadChunk([]byte(second), false, db, at, archive.LoadOptions{})
		must(t, err)
		if report.Entities != 1 || report.Unchanged != i || next.Entities != 2 || next.Lines != 5 {
			t.Errorf("time %d: %+v, at %+v", i+1, report, next)
		}
	}
}

// TestLoadChunksOfTableWithBlanks: tables of Cosmos DB may have blanks in their names.
func TestLoadChunksOfTableWithBlanks(t *testing.T) {
	from, to := openMemory(t), openMemory(t)
	for _, name := range []string{"my table", "a  b", " c"} {
		fill(t, from, "first1", name, entity("p", "1"), entity("p", "2"))
	}
	text := dump(t, from, archive.DumpOptions{})
	loadChunks(t, to, text, func() int { return 60 }, archive.LoadOptions{})
	if got := dump(t, to, archive.DumpOptions{}); withoutTimestamps(got) != withoutTimestamps(text) {
		t.Errorf("loaded\n%s\nwant\n%s", got, text)
	}
}

func TestLoadChunksUnderAnotherName(t *testing.T) {
	db := openMemory(t)
	text := head + account + table + row + end(1, 1, 1)
	size := func() int { return 100 }
	loadChunks(t, db, text, size, archive.LoadOptions{Account: "copy2"})
	want := head + strings.Replace(account, "first1", "copy2", 1) + table + row + end(1, 1, 1) + "\n"
	if got := withoutTimestamps(dump(t, db, archive.DumpOptions{})); got != want {
		t.Errorf("there is\n%s\nwant\n%s", got, want)
	}
	_, at, err := archive.LoadChunk([]byte(head+account), false, db, archive.Position{}, archive.LoadOptions{Account: "copy2"})
	must(t, err)
	if _, _, err = archive.LoadChunk([]byte(account), false, db, at, archive.LoadOptions{Account: "copy2"}); !errors.Is(err, archive.ErrManyAccounts) {
		t.Errorf("a second account: %v", err)
	}
}

func TestLoadChunkRefuses(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, chunk string
		last          bool
		err           error
		contains      string
	}{
		{"empty input", "", "", true, archive.ErrNotArchive, ""},
		{"no archive", "", row, false, archive.ErrNotArchive, "line 1"},
		{"no archive after blank lines", "\n\n", row, false, archive.ErrNotArchive, "line 3"},
		{"truncated", head + account, table, true, archive.ErrTruncated, "line 4"},
		{"truncated after a line", head + account + table, "", true, archive.ErrTruncated, "line 4"},
		{"an incomplete line", head + account + table, `{"Part`, true, archive.ErrSyntax, "line 4"},
		{"a bad line", head + account + table + row, row + "*\n", false, archive.ErrSyntax, "line 6"},
		{"wrong counts", head + account + table + row, end(1, 1, 2), true, archive.ErrCounts, "line 5"},
		{"a line after the end", head + account + end(1, 0, 0) + "\n", table, false, archive.ErrSyntax, "line 4"},
		{"a long line", head, strings.Repeat(" ", archive.MaxLine+1), false, archive.ErrLineTooLong, "line 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := openMemory(t)
			_, at, err := archive.LoadChunk([]byte(c.before), false, db, archive.Position{}, archive.LoadOptions{})
			must(t, err)
			_, next, err := archive.LoadChunk([]byte(c.chunk), c.last, db, at, archive.LoadOptions{})
			if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.contains) {
				t.Errorf("error %v, want %v that contains %q", err, c.err, c.contains)
			}
			if next != at {
				t.Errorf("the position is %+v, want %+v", next, at)
			}
		})
	}
}

// TestLoadIncompleteLine: an incomplete line is left to the next chunk.
func TestLoadIncompleteLine(t *testing.T) {
	_, at, err := archive.LoadChunk([]byte(head[:20]), false, openMemory(t), archive.Position{}, archive.LoadOptions{})
	if err != nil || at != (archive.Position{}) {
		t.Errorf("at %+v, %v", at, err)
	}
}

// FuzzParsePosition: a position prints as the string it was parsed from, and
// loading from there terminates.
func FuzzParsePosition(f *testing.F) {
	db := openMemory(f)
	for _, text := range []string{"", "\n", head, head + account, head + account + table + row, head + end(0, 0, 0) + "\n"} {
		_, at, err := archive.LoadChunk([]byte(text), false, db, archive.Position{}, archive.LoadOptions{})
		must(f, err)
		f.Add(at.String())
	}
	f.Add("MC\rA0IDY0IDAgMCAwICA")
	f.Fuzz(func(t *testing.T, text string) {
		at, err := archive.ParsePosition(text)
		if err != nil {
			if !errors.Is(err, archive.ErrPosition) {
				t.Errorf("error %v", err)
			}
			return
		}
		if at.String() != text {
			t.Errorf("%q is written as %q", text, at)
		}
		db := openMemory(t)
		_, next, err := archive.LoadChunk([]byte(row), false, db, at, archive.LoadOptions{})
		if err == nil && next.Lines != at.Lines+1 || bytes.Contains([]byte(dump(t, db, archive.DumpOptions{})), []byte("PartitionKey")) {
			t.Errorf("an entity of a missing table: %+v, %v", next, err)
		}
	})
}

// TestLoadLastChunkOfSnapshotTwice: the last chunk of a snapshot may be resent, too, although
// the snapshot is complete by then, but nothing else is written to it.
func TestLoadLastChunkOfSnapshotTwice(t *testing.T) {
	const other = `{"PartitionKey":"p","RowKey":"r2"}` + "\n"
	properties := strings.Replace(account, `"}`, `","properties":"<x/>"}`, 1)
	whole := head + account + table + row + end(1, 1, 1)
	for _, c := range []struct {
		name, text string
		want       error
	}{
		{"the same", whole, nil},
		{"other properties", head + properties + table + row + end(1, 1, 1), engine.ErrSnapshotComplete},
		{"another table", head + account + strings.Replace(table, "Some", "Other", 1) + row + end(1, 1, 1), engine.ErrSnapshotComplete},
		{"another entity", head + account + table + other + end(1, 1, 1), engine.ErrSnapshotComplete},
		{"one more entity", head + account + table + row + other + end(1, 1, 2), engine.ErrSnapshotComplete},
		{"no entity", head + account + table + end(1, 1, 0), engine.ErrSnapshotComplete},
		{"no table", head + account + end(1, 0, 0), engine.ErrSnapshotComplete},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := openMemory(t)
			fill(t, db, "first1", "Unused")
			var s engine.Snapshot
			must(t, db.Update(func(tx *engine.Tx) (err error) {
				s, err = tx.BeginSnapshot("first1", "s")
				return err
			}))
			options := archive.LoadOptions{Account: "first1", Snapshot: s.ID}
			load := func(text string) error {
				_, _, err := archive.LoadChunk([]byte(text), true, db, archive.Position{}, options)
				return err
			}
			must(t, load(whole))
			stored := dump(t, db, archive.DumpOptions{Account: "first1", Snapshot: s.ID})
			if err := load(c.text); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if got := dump(t, db, archive.DumpOptions{Account: "first1", Snapshot: s.ID}); got != stored {
				t.Errorf("the snapshot is\n%s\nwas\n%s", got, stored)
			}
			if _, err := archive.Load(strings.NewReader(whole), db, options); !errors.Is(err, engine.ErrSnapshotComplete) {
				t.Errorf("the whole archive again: %v", err)
			}
		})
	}
}
