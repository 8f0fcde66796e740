//go:build unix

package filestorage_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/odata"
)

// The test program runs itself as a child process.
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
	case "power":
		err = runProgram(folder, os.Getenv(roundVariable))
	case "contend":
		err = contend(folder)
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

// load inserts batches forever and prints the name of each acknowledged one.
func load(folder, round string) error {
	filestorage.SmallFiles()
	s, err := filestorage.Open(folder, filestorage.Options{Durability: durabilities[len(round)%2]})
	if err != nil {
		return err
	}
	db, err := engine.Open(s, engine.Options{CheckpointAfter: 20_000})
	if err != nil {
		return err
	}
	failed := make(chan error)
	var mu sync.Mutex // one write per line, after its commit
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

// TestKill repeatedly kills a process under load on the same store. Every
// acknowledged batch is there, and every batch is complete or absent.
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
		// The last line may be cut off and thus be another name.
		if name := lines.Text(); strings.Count(name, "-") == 2 {
			acknowledged[name] = true
		}
		if left == 0 {
			must(t, command.Process.Kill())
		}
	}
	if err := command.Wait(); err == nil || command.ProcessState.ExitCode() != -1 {
		t.Errorf("the child ended on its own: %v", err)
	}
}

func checkBatches(t *testing.T, folder string, acknowledged map[string]bool) {
	t.Helper()
	s, err := filestorage.Open(folder, filestorage.Options{})
	must(t, err)
	db, err := engine.Open(s, engine.Options{})
	must(t, err)
	defer db.Close()
	if d := db.Corruption(); len(d) > 0 {
		t.Errorf("corruption: %v", d)
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
			t.Errorf("acknowledged batch %s is lost", name)
		}
	}
	for name, n := range rows {
		if n != killBatch {
			t.Errorf("%d entities of batch %s, want all %d", n, name, killBatch)
		}
	}
}
