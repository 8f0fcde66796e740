//go:build unix

package boltstorage_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"

	"sandtable/engine"
	"sandtable/engine/boltstorage"
	"sandtable/odata"
)

// The test program starts itself again as a child that is to be killed, or
// that is to run out of room.
const (
	childVariable  = "SANDTABLE_TEST_CHILD"
	folderVariable = "SANDTABLE_TEST_FOLDER"
	roundVariable  = "SANDTABLE_TEST_ROUND"
)

func TestMain(m *testing.M) {
	folder := os.Getenv(folderVariable)
	var err error
	switch os.Getenv(childVariable) {
	case "load":
		err = load(folder, os.Getenv(roundVariable))
	case "fill":
		err = fill(folder)
	case "power":
		err = live(folder, os.Getenv(roundVariable))
	case "compact":
		err = compactForEver(folder)
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
}

// child returns this program as a child.
func child(kind, folder string, round int) *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), childVariable+"="+kind, folderVariable+"="+folder, fmt.Sprint(roundVariable, "=", round))
	command.Stderr = os.Stderr
	return command
}

const (
	killWriters = 6
	killBatch   = 3
)

// load inserts batches without end, and prints the name of each that was
// acknowledged.
func load(folder, round string) error {
	boltstorage.SetTurnAfter(8 << 10)
	s, err := boltstorage.Open(folder, boltstorage.Options{Durability: durabilities[len(round)%2]})
	if err != nil {
		return err
	}
	db, err := engine.Open(s, engine.Options{CheckpointAfter: 20_000})
	if err != nil {
		return err
	}
	failed := make(chan error)
	var mu sync.Mutex // a line is one write, and comes after its commit
	for w := range killWriters {
		go func() {
			for i := 0; ; i++ {
				name := fmt.Sprint(round, "-", w, "-", i)
				if err := insertBatch(db, name); err != nil {
					failed <- err
				}
				mu.Lock()
				fmt.Println(name)
				mu.Unlock()
			}
		}()
	}
	return <-failed
}

func insertBatch(db *engine.DB, name string) error {
	return db.Update(inTable(func(table *engine.Table) error {
		for row := range killBatch {
			key := odata.Key{PartitionKey: name, RowKey: fmt.Sprint(row)}
			if _, err := table.Insert(key, nil); err != nil {
				return err
			}
		}
		return nil
	}))
}

// TestKill kills a process under load, again and again on the same store:
// everything that was acknowledged is there, and every batch is whole or
// absent.
func TestKill(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	db, err := engine.Open(s, engine.Options{})
	must(t, err)
	createTable(t, db)
	must(t, db.Close())
	acknowledged := make(map[string]bool)
	for round := range 20 {
		killUnderLoad(t, folder, round, acknowledged)
		checkBatches(t, folder, acknowledged)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	t.Logf("%d batches acknowledged", len(acknowledged))
}

func killUnderLoad(t *testing.T, folder string, round int, acknowledged map[string]bool) {
	t.Helper()
	command := child("load", folder, round)
	stdout, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	left := 1 + rand.IntN(400)
	for lines := bufio.NewScanner(stdout); lines.Scan(); left-- {
		// The last line may be cut off, which makes it another name.
		if name := lines.Text(); strings.Count(name, "-") == 2 {
			acknowledged[name] = true
		}
		if left == 0 {
			must(t, command.Process.Kill())
		}
	}
	if err := command.Wait(); err == nil || command.ProcessState.ExitCode() != -1 {
		t.Errorf("the child ended by itself: %v", err)
	}
}

func checkBatches(t *testing.T, folder string, acknowledged map[string]bool) {
	t.Helper()
	s, err := boltstorage.Open(folder, boltstorage.Options{})
	must(t, err)
	db, err := engine.Open(s, engine.Options{})
	must(t, err)
	defer db.Close()
	if d := db.Corruption(); len(d) > 0 {
		t.Errorf("damage: %v", d)
	}
	rows := make(map[string]int)
	must(t, db.View(inTable(func(table *engine.Table) error {
		page, err := table.Query(engine.Query{}).Page()
		for _, e := range page.Entities {
			rows[e.PartitionKey]++
		}
		return err
	})))
	for name := range acknowledged {
		if rows[name] == 0 {
			t.Errorf("batch %s was acknowledged and is gone", name)
		}
	}
	for name, n := range rows {
		if n != killBatch {
			t.Errorf("%d entities of batch %s, want all %d", n, name, killBatch)
		}
	}
}

// fill writes until there is no room, and goes on when there is again. A limit
// on the size of files stands in for a full disk.
func fill(folder string) error {
	s, err := boltstorage.Open(folder, boltstorage.Options{})
	if err != nil {
		return err
	}
	db, err := engine.Open(s, engine.Options{CheckpointAfter: -1})
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	full := syscall.Rlimit{Cur: 3500 << 10, Max: limit.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		return err
	}
	n, err := 0, error(nil)
	for ; err == nil && n < 1000; n++ {
		err = insertLarge(db, n)
	}
	if !errors.Is(err, engine.ErrStorage) || !errors.Is(err, boltstorage.ErrFull) {
		return fmt.Errorf("insert %d into a full file: %v", n, err)
	}
	if err := insertLarge(db, n); !errors.Is(err, boltstorage.ErrFull) {
		return fmt.Errorf("another insert: %v", err)
	}
	// So is a checkpoint, with which the log would have gone on in another file.
	large := engine.Block{BlockInfo: engine.BlockInfo{ID: 1 << 40}, Data: make([]byte, 8<<20)}
	if err := s.Checkpoint(engine.Checkpoint{Seq: 1 << 40, Puts: []engine.Block{large}}); !errors.Is(err, boltstorage.ErrFull) {
		return fmt.Errorf("a checkpoint: %v", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := insertLarge(db, 5000); err != nil {
		return fmt.Errorf("insert when there is room again: %v", err)
	}
	fmt.Println(n - 1) // inserts that were acknowledged while there was room
	return db.Close()
}

// TestFull: nothing that was acknowledged is lost, nothing that was refused is
// there, and writing goes on when there is room.
func TestFull(t *testing.T) {
	folder := t.TempDir()
	db, err := engine.Open(open(t, folder), engine.Options{CheckpointAfter: -1})
	must(t, err)
	createTable(t, db)
	for n := range 90 { // some 2.7 MB of log
		must(t, insertLarge(db, 1000+n))
	}
	must(t, db.Close())
	out, err := child("fill", folder, 0).Output()
	must(t, err)
	n := 0
	if _, err := fmt.Sscan(string(out), &n); err != nil || n == 0 {
		t.Fatalf("%d inserts before the disk was full, %v", n, err)
	}
	db = openDB(t, folder, engine.Options{})
	must(t, db.View(inTable(func(table *engine.Table) error {
		if got := table.Info().Entities; got != 90+n+1 {
			t.Errorf("%d entities, want %d", got, 90+n+1)
		}
		_, err := table.Get(odata.Key{PartitionKey: "large", RowKey: "5000"})
		return err
	})))
}
