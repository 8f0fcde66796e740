package storagetest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

// account is the suite's account.
const account = "devstoreaccount1"

// Contents is the content of an account: its entities by table, partition key and
// row key, separated by slashes, and its tables as nil under their name and a slash.
// Those of a snapshot have the same paths after its own, an at sign, its identity
// and a slash, which is nil.
type Contents map[string]*odata.Entity

func entityPath(table string, k odata.Key) string {
	return table + "/" + k.PartitionKey + "/" + k.RowKey
}

// ContentsOf reads the tables of an account and checks the invariants: entities are
// in order, tables report their number, Timestamps are unique, and a query finds the
// same entities as a scan.
func ContentsOf(t testing.TB, db *engine.DB, account string) Contents {
	t.Helper()
	contents := make(Contents)
	err := db.View(func(tx *engine.Tx) error {
		for s := range tx.Snapshots(account) {
			own := make(Contents)
			if err := addTables(tx, s.Holder(), own); err != nil {
				return err
			}
			contents.addSnapshot(s.ID, own)
		}
		return addTables(tx, account, contents)
	})
	if err != nil {
		t.Errorf("store is not sound: %v", err)
	}
	return contents
}

func addTables(tx *engine.Tx, account string, contents Contents) error {
	stamps := make(map[odata.DateTime]string)
	for info := range tx.Tables(account, "") {
		contents[info.Name+"/"] = nil
		if err := addTable(tx, account, info, contents, stamps); err != nil {
			return fmt.Errorf("table %q: %w", info.Name, err)
		}
	}
	return nil
}

func addTable(tx *engine.Tx, account string, info engine.TableInfo, contents Contents, stamps map[odata.DateTime]string) error {
	table, err := tx.Table(account, info.Name)
	if err != nil {
		return err
	}
	query := engine.Query{Limit: 50}
	var last *odata.Key
	for count := 0; ; {
		page, err := table.Query(query).Page()
		if err != nil {
			return err
		}
		for _, e := range page.Entities {
			k, path := e.Key(), entityPath(info.Name, e.Key())
			if last != nil && !last.Less(k) {
				return fmt.Errorf("%v comes before %v", *last, k)
			}
			if other, taken := stamps[e.Timestamp]; taken {
				return fmt.Errorf("%s and %s have the same Timestamp", other, path)
			}
			if got, err := table.Get(k); err != nil || !reflect.DeepEqual(got, e) {
				return fmt.Errorf("get %v: %v, %v", k, got, err)
			}
			last, stamps[e.Timestamp], contents[path] = &k, path, e
			count++
		}
		if page.Next == nil {
			// Read after the query, which may have quarantined a block.
			if info := table.Info(); count < info.Entities || count > info.Entities && !info.AtLeast {
				return fmt.Errorf("%d entities, the table reports %d, at least: %t", count, info.Entities, info.AtLeast)
			}
			return nil
		}
		query.From = *page.Next
	}
}

// diff describes the first difference, or returns "".
func (c Contents) diff(want Contents) string {
	for path, e := range want {
		got, ok := c[path]
		if !ok {
			return fmt.Sprintf("%q is missing", path)
		}
		if !reflect.DeepEqual(got, e) {
			return fmt.Sprintf("%q is %v, want %v", path, got, e)
		}
	}
	for path := range c {
		if _, ok := want[path]; !ok {
			return fmt.Sprintf("%q is unexpected", path)
		}
	}
	return ""
}

// Check fails the test if the contents differ from want.
func (c Contents) Check(t testing.TB, want Contents) {
	t.Helper()
	if d := c.diff(want); d != "" {
		t.Errorf("unexpected contents: %s", d)
	}
}

// worker does random work and records it in a plain map.
type worker struct {
	random  *rand.Rand
	account string
	// snapshots makes it take and restore snapshots, too: no other worker may use
	// the account.
	snapshots bool
	prefix    string // of its tables, so that workers do not conflict
	model     Contents
	pending   Contents // the model after the current transaction
	unknown   Contents // other possible contents of its tables, or nil
}

func newWorker(seed uint64, prefix string) *worker {
	return &worker{account: account, random: rand.New(rand.NewPCG(seed, 2)), prefix: prefix, model: make(Contents)}
}

var errGiveUp = errors.New("rolled back on purpose")

// step runs one random transaction, some of which roll back on purpose after
// changes. If Update returns nil, the model is updated; otherwise pending is the
// model as if the transaction had been committed.
func (w *worker) step(db *engine.DB) error {
	giveUp := w.random.IntN(10) == 0
	// Update may run the callback more than once and in another goroutine.
	err := db.Update(func(tx *engine.Tx) error {
		w.pending = maps.Clone(w.model)
		for range 1 + w.random.IntN(4) {
			operation := w.operation
			if w.snapshots && w.random.IntN(12) == 0 {
				operation = w.snapshotOperation
			}
			if err := operation(tx); err != nil {
				return err
			}
		}
		if giveUp {
			return errGiveUp
		}
		return nil
	})
	switch {
	case err == nil:
		w.model = w.pending
	case errors.Is(err, errGiveUp):
		return nil
	}
	return err
}

// operation runs one random operation and compares its outcome with the model.
func (w *worker) operation(tx *engine.Tx) error {
	name := fmt.Sprint(w.prefix, w.random.IntN(2))
	_, exists := w.pending[name+"/"]
	if n := w.random.IntN(40); !exists || n == 0 {
		return w.tableOperation(tx, name, exists)
	}
	table, err := tx.Table(w.account, name)
	if err != nil {
		return err
	}
	key := odata.Key{PartitionKey: string(rune('a' + w.random.IntN(2))), RowKey: fmt.Sprint(w.random.IntN(30))}
	stored := w.pending[entityPath(name, key)]
	properties := w.properties()
	var e *odata.Entity
	want := error(nil)
	switch w.random.IntN(5) {
	case 0, 1:
		if stored != nil {
			want = engine.ErrEntityExists
		}
		e, err = table.Insert(key, properties)
	case 2:
		e, err = table.Merge(key, properties, engine.Upsert)
	case 3:
		condition := engine.IfMatch(`W/"datetime'2001-01-01T00%3A00%3A00Z'"`)
		want = engine.ErrConditionNotMet
		if stored == nil {
			want = engine.ErrEntityNotFound
		} else if w.random.IntN(3) > 0 {
			condition, want = engine.IfMatch(stored.ETag()), nil
		}
		e, err = table.Replace(key, properties, condition)
	case 4:
		if stored == nil {
			want = engine.ErrEntityNotFound
		}
		if err = table.Delete(key, engine.MustExist); err == nil {
			delete(w.pending, entityPath(name, key))
		}
	}
	if !errors.Is(err, want) {
		return fmt.Errorf("%s: got %v, want %v", entityPath(name, key), err, want)
	}
	if e != nil {
		w.pending[entityPath(name, key)] = e
	}
	return nil
}

func (w *worker) tableOperation(tx *engine.Tx, name string, exists bool) error {
	if !exists {
		w.pending[name+"/"] = nil
		return tx.CreateTable(w.account, name)
	}
	for path := range w.pending {
		if len(path) > len(name) && path[:len(name)+1] == name+"/" {
			delete(w.pending, path)
		}
	}
	return tx.DeleteTable(w.account, name)
}

// properties returns few small properties, and sometimes one of every type.
func (w *worker) properties() []odata.Property {
	p := []odata.Property{{Name: "Number", Value: odata.Int32Value(int32(w.random.Uint32()))}}
	if w.random.IntN(4) > 0 {
		return p
	}
	return append(p,
		odata.Property{Name: "Text", Value: odata.StringValue(string(make([]byte, w.random.IntN(2000))))},
		odata.Property{Name: "Bytes", Value: odata.BinaryValue([]byte{0, 255})},
		odata.Property{Name: "Yes", Value: odata.BooleanValue(w.random.IntN(2) == 0)},
		odata.Property{Name: "When", Value: odata.DateTimeValue(odata.MaxDateTime)},
		odata.Property{Name: "Half", Value: odata.DoubleValue(0.5)},
		odata.Property{Name: "Id", Value: odata.GuidValue(odata.Guid{1, 2, 3})},
		odata.Property{Name: "Long", Value: odata.Int64Value(-1 << 63)},
	)
}
