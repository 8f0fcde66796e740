//go:build unix

package boltstorage_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/engine/boltstorage"
	"sandtable/odata"
)

// shrunkStore makes a store that has become much smaller than its file.
func shrunkStore(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	db, err := engine.Open(open(t, folder), engine.Options{})
	must(t, err)
	createTable(t, db)
	for n := range 60 {
		must(t, insertLarge(db, n))
	}
	must(t, insertBatch(db, "batch"))
	_, _, err = db.Compact(t.Context(), nil)
	must(t, err)
	must(t, db.Update(inTable(func(table *engine.Table) error {
		for n := range 58 {
			if err := table.Delete(odata.Key{PartitionKey: "large", RowKey: fmt.Sprintf("%04d", n)}, engine.MustExist); err != nil {
				return err
			}
		}
		return nil
	})))
	_, _, err = db.Compact(t.Context(), nil)
	must(t, err)
	must(t, db.Close())
	return folder
}

// checkShrunk opens the store and looks for all that it should have.
func checkShrunk(t *testing.T, folder string) {
	t.Helper()
	s, err := boltstorage.Open(folder, boltstorage.Options{})
	must(t, err)
	db, err := engine.Open(s, engine.Options{})
	must(t, err)
	report, err := db.Verify(t.Context(), engine.VerifyOptions{})
	must(t, err)
	if len(report.Problems) > 0 || report.Entities != 2+killBatch {
		t.Errorf("%d entities, %v", report.Entities, report.Problems)
	}
	must(t, db.Close())
}

// sizeOf returns how much the files of a store take.
func sizeOf(t *testing.T, folder string) int64 {
	t.Helper()
	size := 0
	for _, text := range readFiles(t, folder) {
		size += len(text)
	}
	return int64(size)
}

// hasCopy reports whether what Compact was writing is still there.
func hasCopy(t *testing.T, folder string) bool {
	t.Helper()
	files := readFiles(t, folder)
	for name := range files {
		if !strings.HasPrefix(name, boltstorage.FileName+".log-") && name != boltstorage.FileName {
			return true
		}
	}
	return false
}

func TestCompact(t *testing.T) {
	folder := shrunkStore(t)
	was := sizeOf(t, folder)
	before, after, err := boltstorage.Compact(folder, boltstorage.Options{})
	must(t, err)
	if before != was || after != sizeOf(t, folder) || after > before/4 {
		t.Errorf("it was %d and is %d bytes; said %d and %d", was, sizeOf(t, folder), before, after)
	}
	checkShrunk(t, folder)
	if hasCopy(t, folder) {
		t.Error("the copy is still there")
	}
}

// TestCompactEnded: one that is told to end leaves the store as it was.
func TestCompactEnded(t *testing.T) {
	folder := shrunkStore(t)
	enough := errors.New("enough")
	calls := 0
	_, _, err := boltstorage.Compact(folder, boltstorage.Options{Progress: func(int64) error {
		calls++
		return enough
	}})
	if !errors.Is(err, enough) || calls != 1 {
		t.Errorf("after %d calls: %v", calls, err)
	}
	if hasCopy(t, folder) {
		t.Error("the copy is still there")
	}
	checkShrunk(t, folder)
	var copied int64
	_, after, err := boltstorage.Compact(folder, boltstorage.Options{Progress: func(n int64) error {
		if n < copied {
			t.Errorf("%d bytes are copied after %d", n, copied)
		}
		copied = n
		return nil
	}})
	must(t, err)
	if copied == 0 || copied > after {
		t.Errorf("%d bytes were copied into %d", copied, after)
	}
}

func TestCompactRefuses(t *testing.T) {
	folder := t.TempDir()
	if _, _, err := boltstorage.Compact(folder, boltstorage.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no store: %v", err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 0 {
		t.Errorf("the folder has %v, %v", files, err)
	}
	s := open(t, folder)
	_, _, err := boltstorage.Compact(folder, boltstorage.Options{Timeout: time.Millisecond})
	if !errors.Is(err, boltstorage.ErrInUse) {
		t.Errorf("a store in use: %v", err)
	}
	must(t, s.Close())
	files := makeFiles(t)
	must(t, files.with(boltstorage.FileName, files[boltstorage.FileName][:30_000]).write(folder))
	if _, _, err := boltstorage.Compact(folder, boltstorage.Options{}); !errors.Is(err, engine.ErrCorrupt) {
		t.Errorf("a damaged file: %v", err)
	}
}

// TestOpenWhileCompacting: whoever waits for the lock while the file is
// replaced gets the new one, since what is written to the old one is lost.
func TestOpenWhileCompacting(t *testing.T) {
	folder := shrunkStore(t)
	for range 5 {
		opened := make(chan error)
		go func() {
			s, err := boltstorage.Open(folder, boltstorage.Options{Timeout: time.Minute})
			if err == nil {
				_, err = s.Load()
			}
			if err == nil {
				err = errors.Join(s.Append(1<<40, []byte("kept")), s.Close())
			}
			opened <- err
		}()
		_, _, err := boltstorage.Compact(folder, boltstorage.Options{Timeout: time.Minute})
		must(t, errors.Join(err, <-opened))
		s := open(t, folder)
		d, err := s.Load()
		must(t, err)
		if len(d.WAL) != 1 {
			t.Fatal("what was written is lost")
		}
		must(t, s.Checkpoint(engine.Checkpoint{Seq: 1 << 40, Meta: d.Meta}))
		must(t, s.Close())
	}
	checkShrunk(t, folder)
}

// TestKillCompact kills a process that compacts all the time: the store is
// whole, and what is left of the copy goes when it is opened.
func TestKillCompact(t *testing.T) {
	folder := shrunkStore(t)
	left := 0
	for round := range 12 {
		command := child("compact", folder, round)
		stdout, err := command.StdoutPipe()
		must(t, err)
		must(t, command.Start())
		lines := bufio.NewScanner(stdout)
		for range 1 + rand.IntN(3) {
			lines.Scan()
		}
		time.Sleep(time.Duration(rand.IntN(4000)) * time.Microsecond) // somewhere in the next one
		must(t, command.Process.Kill())
		if err := command.Wait(); err == nil || command.ProcessState.ExitCode() != -1 {
			t.Fatalf("the child ended by itself: %v", err)
		}
		if hasCopy(t, folder) {
			left++
		}
		checkShrunk(t, folder)
		if hasCopy(t, folder) {
			t.Fatalf("round %d: the copy is still there", round)
		}
	}
	t.Logf("%d of 12 kills left a copy behind", left)
}

// compactForEver compacts, and prints a line each time.
func compactForEver(folder string) error {
	for {
		if _, _, err := boltstorage.Compact(folder, boltstorage.Options{}); err != nil {
			return err
		}
		fmt.Println("compacted")
	}
}
