package engine

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"sandtable/odata"
)

// TestUpdateWithoutChanges: an update without changes appends nothing.
func TestUpdateWithoutChanges(t *testing.T) {
	g, db := openGated(t)
	err := db.Update(func(tx *Tx) error {
		if err := tx.CreateTable("test", "Table"); !errors.Is(err, ErrTableExists) {
			t.Errorf("create: %v", err)
		}
		return tx.PutAccount(Account{Name: "test"}) // unchanged
	})
	if err != nil || g.appends != 0 {
		t.Errorf("%v, %d appends", err, g.appends)
	}
}

// TestClose: Close waits for accepted updates.
func TestClose(t *testing.T) {
	g, db := openGated(t)
	first := start(db, 0, insert("first"))
	<-g.entered
	second := start(db, 1, insert("second"))
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }()
	for !db.queue.closed.Load() {
		runtime.Gosched()
	}
	if err := db.Update(insert("late")); err != ErrClosed {
		t.Errorf("update while closing: %v", err)
	}
	if err := db.View(func(*Tx) error { return nil }); err != ErrClosed {
		t.Errorf("view while closing: %v", err)
	}
	go g.pass(1)
	g.answers <- nil
	for _, result := range []chan error{first, second, closed} {
		if err := <-result; err != nil {
			t.Error(err)
		}
	}
	again, err := Open(g.Clone(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := count(t, again); got != 2 {
		t.Errorf("%d entities were kept, want 2", got)
	}
}

// TestTransactionEnds: a Tx and its tables return ErrClosed after the callback.
func TestTransactionEnds(t *testing.T) {
	db, err := Open(&MemoryStorage{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var kept *Tx
	var table *Table
	err = db.Update(func(tx *Tx) error {
		kept = tx
		if err := tx.PutAccount(Account{Name: "test"}); err != nil {
			return err
		}
		if err := tx.CreateTable("test", "Table"); err != nil {
			return err
		}
		table, err = tx.Table("test", "Table")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]error{
		"create":  kept.CreateTable("test", "Other"),
		"delete":  kept.DeleteTable("test", "Table"),
		"account": kept.PutAccount(Account{Name: "other"}),
		"drop":    kept.DeleteAccount("test"),
		"remove":  table.Delete(odata.Key{}, Upsert),
	}
	_, calls["table"] = kept.Table("test", "Table")
	_, calls["get"] = table.Get(odata.Key{})
	_, calls["insert"] = table.Insert(odata.Key{}, nil)
	_, calls["merge"] = table.Merge(odata.Key{}, nil, Upsert)
	_, calls["query"] = table.Query(Query{}).Page()
	for name, err := range calls {
		if err != ErrClosed {
			t.Errorf("%s after the end: %v", name, err)
		}
	}
	err = db.View(func(tx *Tx) error {
		table, err := tx.Table("test", "Table")
		if err != nil {
			return err
		}
		_, err = table.Insert(odata.Key{}, nil)
		return err
	})
	if err != ErrReadOnly {
		t.Errorf("insert in a view: %v", err)
	}
}

// TestTimestamps: Timestamps never repeat or go back, whatever the clock does, even
// after reopening.
func TestTimestamps(t *testing.T) {
	noon := time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC)
	clock := []time.Time{
		noon, noon, noon.Add(-time.Hour), noon.Add(50), noon.Add(time.Second), noon.Add(-time.Second), noon.AddDate(-20, 0, 0),
	}
	for _, after := range []int{-1, 1} {
		m := &MemoryStorage{}
		var last odata.DateTime
		reads := 0
		for i, now := range clock {
			options := Options{CheckpointAfter: after, Now: func() time.Time { reads++; return now }}
			db, err := Open(m, options)
			if err != nil {
				t.Fatal(err)
			}
			reads = 0
			err = db.Update(func(tx *Tx) error {
				if i == 0 {
					_ = tx.PutAccount(Account{Name: "test"})
					_ = tx.CreateTable("test", "Table")
				}
				table, err := tx.Table("test", "Table")
				if err != nil {
					return err
				}
				for row := range 3 {
					e, err := table.Replace(odata.Key{RowKey: fmt.Sprint(i, row)}, nil, Upsert)
					if err != nil {
						return err
					}
					if e.Timestamp <= last {
						t.Errorf("after %v comes %v", last, e.Timestamp)
					}
					last = e.Timestamp
				}
				if want := odata.DateTimeOf(now); tx.Now() != want {
					t.Errorf("now is %v, want %v", tx.Now(), want)
				}
				// The newest entity is deleted: its Timestamp must not be reused.
				return table.Delete(odata.Key{RowKey: fmt.Sprint(i, 2)}, MustExist)
			})
			if err != nil {
				t.Fatal(err)
			}
			if reads != 1 {
				t.Errorf("the clock was read %d times in a transaction", reads)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if last < odata.DateTimeOf(noon.Add(time.Second)) {
			t.Errorf("the clock moved on, Timestamps stayed at %v", last)
		}
	}
}

// TestLargeGroup: an update that would make the record too large waits for the next.
func TestLargeGroup(t *testing.T) {
	g, db := openGated(t)
	first := start(db, 0, insert("first"))
	<-g.entered
	large := []odata.Property{{Name: "B", Value: odata.BinaryValue(make([]byte, 64<<10))}}
	var results []chan error
	for i := range 10 {
		results = append(results, start(db, i+1, func(tx *Tx) error {
			table, err := tx.Table("test", "Table")
			for row := 0; row < 14 && err == nil; row++ {
				_, err = table.Insert(odata.Key{PartitionKey: fmt.Sprint(i), RowKey: fmt.Sprint(row)}, large)
			}
			return err
		}))
	}
	go g.pass(2)
	g.answers <- nil
	for _, result := range append(results, first) {
		if err := <-result; err != nil {
			t.Error(err)
		}
	}
	if g.appends != 3 {
		t.Errorf("%d appends, want 3", g.appends)
	}
	if got := count(t, db); got != 141 {
		t.Errorf("%d entities, want 141", got)
	}
}
