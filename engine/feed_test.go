package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

// watch returns a function that waits for n changes and returns all changes.
func watch(t *testing.T, db *engine.DB) func(n int) []engine.Change {
	t.Helper()
	var mu sync.Mutex
	var seen []engine.Change
	more := sync.NewCond(&mu)
	t.Cleanup(db.Subscribe(func(changes []engine.Change) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, changes...)
		more.Broadcast()
	}))
	return func(n int) []engine.Change {
		mu.Lock()
		defer mu.Unlock()
		for len(seen) < n {
			more.Wait()
		}
		return seen
	}
}

func describe(c engine.Change) string {
	text := fmt.Sprint(c.Kind, " ", c.Account, "/", c.Table)
	if c.Kind == engine.EntityChanged {
		text += fmt.Sprint(" ", c.Key.RowKey)
		for _, e := range []any{c.Before == nil, c.After == nil} {
			text += fmt.Sprint(" ", e)
		}
	}
	return text
}

func TestChanges(t *testing.T) {
	db := openMemory(t, engine.Options{})
	wait := watch(t, db)
	update(t, db, func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: "other"}) })
	update(t, db, func(tx *engine.Tx) error {
		return tx.PutAccount(engine.Account{Name: "other", Access: engine.OpenAccess})
	})
	update(t, db, func(tx *engine.Tx) error {
		must(t, tx.CreateTable("other", "Table"))
		table, err := tx.Table("other", "TABLE")
		must(t, err)
		_, err = table.Insert(key("p", "1"), number(1))
		must(t, err)
		_, err = table.Merge(key("p", "1"), number(2), engine.MustExist)
		must(t, err)
		return table.Delete(key("p", "1"), engine.MustExist)
	})
	_ = db.Update(func(tx *engine.Tx) error {
		must(t, tx.CreateTable("other", "Never"))
		return engine.ErrEntityExists
	})
	update(t, db, func(tx *engine.Tx) error { return tx.DeleteAccount("other") })
	want := []string{
		"account created other/",
		"account changed other/",
		"table created other/Table",
		"entity changed other/Table 1 true false",
		"entity changed other/Table 1 false false",
		"entity changed other/Table 1 false true",
		"table deleted other/Table",
		"account deleted other/",
	}
	changes := wait(len(want))
	var got []string
	for _, c := range changes {
		got = append(got, describe(c))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("changes are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n, _ := changes[4].After.Property("N"); n.Int() != 2 {
		t.Errorf("the merge's After has N %d", n.Int())
	}
	if changes[4].Before != changes[3].After || changes[5].Before != changes[4].After {
		t.Error("Before is not the After of the change before it")
	}
}

// TestChangesComeInOrder: with many writers, changes are reported in commit order,
// and the subscriber can already read them.
func TestChangesComeInOrder(t *testing.T) {
	db := openMemory(t, engine.Options{})
	createTable(t, db, "Table")
	const writers, writes = 8, 50
	done := make(chan struct{})
	n, last := 0, 0
	cancel := db.Subscribe(func(changes []engine.Change) {
		for _, c := range changes {
			value, _ := c.After.Property("N")
			if int(value.Int()) != last+1 {
				t.Errorf("after %d comes %d", last, value.Int())
			}
			last = int(value.Int())
		}
		view(t, db, inTable("Table", func(table *engine.Table) error {
			e, err := table.Get(key("p", "r"))
			if now, _ := e.Property("N"); int(now.Int()) < last {
				t.Errorf("the change has %d, the store has %d", last, now.Int())
			}
			return err
		}))
		if n += len(changes); n == writers*writes {
			close(done)
		}
	})
	t.Cleanup(cancel)
	for range writers {
		go func() {
			for range writes {
				err := db.Update(inTable("Table", func(table *engine.Table) error {
					next := 1
					if e, err := table.Get(key("p", "r")); err == nil {
						value, _ := e.Property("N")
						next = int(value.Int()) + 1
					}
					_, err := table.Replace(key("p", "r"), number(next), engine.Upsert)
					return err
				}))
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	<-done
}

// TestSlowSubscriber: a slow subscriber blocks no writer and learns that it has
// missed changes.
func TestSlowSubscriber(t *testing.T) {
	db := openMemory(t, engine.Options{CheckpointAfter: -1})
	createTable(t, db, "Table")
	blocked, release := make(chan struct{}), make(chan struct{})
	calls := make(chan []engine.Change, 10)
	first := true
	t.Cleanup(db.Subscribe(func(changes []engine.Change) {
		if first {
			first = false
			close(blocked)
			<-release
			return
		}
		calls <- changes
	}))
	write := func(n int) {
		update(t, db, inTable("Table", func(table *engine.Table) error {
			for i := range n {
				if _, err := table.Replace(key("p", fmt.Sprint(i%10)), nil, engine.Upsert); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	write(1)
	<-blocked
	for range 7 {
		write(10_000)
	}
	close(release)
	// The first six commits filled the buffer, the seventh cleared it.
	if changes := <-calls; changes[0].Kind != engine.ChangesMissed || len(changes) != 1 {
		t.Errorf("a slow subscriber got %d changes, the first of kind %q", len(changes), changes[0].Kind)
	}
	write(3)
	if changes := <-calls; len(changes) != 3 || changes[0].Kind != engine.EntityChanged {
		t.Errorf("then it got %d changes, the first of kind %q", len(changes), changes[0].Kind)
	}
}

// TestSlowSubscriberOfLargeChanges: the buffer is limited by bytes as well.
func TestSlowSubscriberOfLargeChanges(t *testing.T) {
	db := openMemory(t, engine.Options{})
	createTable(t, db, "Table")
	blocked, release := make(chan struct{}), make(chan struct{})
	calls := make(chan []engine.Change, 2)
	first := true
	t.Cleanup(db.Subscribe(func(changes []engine.Change) {
		if first {
			first = false
			close(blocked)
			<-release
		}
		calls <- changes
	}))
	value := []odata.Property{{Name: "Text", Value: odata.StringValue(strings.Repeat("x", 500<<10))}}
	write := func(n int) {
		for i := range n {
			update(t, db, inTable("Table", func(table *engine.Table) error {
				_, err := table.Replace(key("p", fmt.Sprint(i)), value, engine.Upsert)
				return err
			}))
		}
	}
	write(1)
	<-blocked
	write(60)
	close(release)
	<-calls
	if changes := <-calls; changes[0].Kind != engine.ChangesMissed || len(changes) > 32 {
		t.Errorf("a slow subscriber got %d changes of half a megabyte, the first of kind %q", len(changes), changes[0].Kind)
	}
}

// TestSubscriberWrites: a subscriber may use the DB, and cancel itself.
func TestSubscriberWrites(t *testing.T) {
	db := openMemory(t, engine.Options{})
	done := make(chan struct{})
	var cancel func()
	ready := make(chan struct{})
	cancel = db.Subscribe(func(changes []engine.Change) {
		<-ready
		createTable(t, db, "Answer")
		cancel()
		close(done) // a second call would panic
	})
	close(ready)
	createTable(t, db, "Question")
	<-done
	createTable(t, db, "Unheard")
	cancel()
}

// TestUpdatesShareMemory: an update reuses an earlier one's change buffer without
// visible effects, whether that one succeeded or not.
func TestUpdatesShareMemory(t *testing.T) {
	db := openMemory(t, engine.Options{})
	createTable(t, db, "Table")
	var delivered []string
	seen := make(chan []engine.Change, 16)
	defer db.Subscribe(func(changes []engine.Change) { seen <- changes })()
	inserts := func(name string, n int, err error) func(*engine.Tx) error {
		return inTable("Table", func(table *engine.Table) error {
			for i := range n {
				if _, err := table.Insert(key(name, fmt.Sprintf("%03d", i)), number(i)); err != nil {
					return err
				}
			}
			return err
		})
	}
	errRefused := errors.New("refused")
	total := 0
	for i, step := range []struct {
		n   int
		err error
	}{{50, nil}, {20, nil}, {100, errRefused}, {1, nil}, {0, nil}, {30, errRefused}, {3, nil}, {1100, nil}, {2, nil}} {
		name := fmt.Sprint("p", i)
		if err := db.Update(inserts(name, step.n, step.err)); err != step.err {
			t.Fatal(err)
		}
		if step.n == 0 || step.err != nil {
			continue
		}
		total += step.n
		for delivered = nil; len(delivered) < step.n; {
			for _, c := range <-seen {
				delivered = append(delivered, c.Key.PartitionKey+c.Key.RowKey)
			}
		}
		for j, got := range delivered {
			if want := fmt.Sprintf("%s%03d", name, j); got != want {
				t.Fatalf("change %d of %s is of %s", j, name, got)
			}
		}
	}
	view(t, db, inTable("Table", func(table *engine.Table) error {
		if got := table.Info().Entities; got != total {
			t.Errorf("%d entities, want %d", got, total)
		}
		return nil
	}))
}
