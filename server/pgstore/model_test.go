//go:build unix

package pgstore_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/server"
)

// TestLikeTheEngine runs the same random transactions and queries on both stores and
// compares all results.
func TestLikeTheEngine(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 13))
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	want := &model{T: t, db: db}
	want.prepare()
	got, _ := openWithTable(t)
	for round := range 400 {
		keys, steps := randomSteps(random)
		a, b := want.run(keys, steps), outcome(change(t, got, keys, apply(steps)))
		if a != b {
			t.Fatalf("round %d: %v gives %s, want %s", round, steps, b, a)
		}
		q := randomQuery(random)
		wantKeys, wantNext, wantDid := want.page(q)
		known := &q
		if round%2 == 0 {
			known = nil
		}
		gotKeys, gotNext, gotDid, err := pageOf(got, t, q, known)
		if err != nil {
			t.Fatal(err)
		}
		wantDid.Blocks = 0 // PostgreSQL has no blocks
		if !reflect.DeepEqual(gotKeys, wantKeys) || !reflect.DeepEqual(gotNext, wantNext) || gotDid != wantDid {
			t.Fatalf("round %d: query %+v\n got %q\n     %v %+v\nwant %q\n     %v %+v", round, q, gotKeys, gotNext, gotDid, wantKeys, wantNext, wantDid)
		}
	}
}

// model is the engine as the reference.
type model struct {
	*testing.T
	db *engine.DB
}

func (m *model) prepare() {
	err := m.db.Update(func(tx *engine.Tx) error {
		if err := tx.PutAccount(engine.Account{Name: account}); err != nil {
			return err
		}
		return tx.CreateTable(account, tableName)
	})
	if err != nil {
		m.Fatal(err)
	}
}

// engineTable is the engine's table as the server sees it.
type engineTable struct{ *engine.Table }

func (t engineTable) Name() string                     { return t.Info().Name }
func (t engineTable) Query(q engine.Query) server.Rows { return t.Table.Query(q) }

func (m *model) run(_ []odata.Key, steps []step) string {
	return outcome(m.db.Update(func(tx *engine.Tx) error {
		table, err := tx.Table(account, tableName)
		if err != nil {
			return err
		}
		return apply(steps)(engineTable{table})
	}))
}

func (m *model) page(q engine.Query) (keys []string, next *odata.Key, did engine.Explain) {
	err := m.db.View(func(tx *engine.Tx) error {
		table, err := tx.Table(account, tableName)
		if err != nil {
			return err
		}
		rows := table.Query(q)
		defer rows.Close()
		for rows.Next() {
			keys = append(keys, fmt.Sprint(rows.Row().Key(), rows.Row().Properties))
		}
		next, did = rows.Continuation(), rows.Explain()
		return rows.Err()
	})
	if err != nil {
		m.Fatal(err)
	}
	return keys, next, did
}

// step is one operation.
type step struct {
	kind  string
	key   odata.Key
	value int64
	must  bool // exist
}

var stepKinds = []string{"insert", "replace", "merge", "delete"}

// A few keys, so that operations conflict, whose order differs between UTF-8 and
// UTF-16.
var (
	partitions = []string{"", "a", "\U0001F600", "\uFFFD"}
	rowKeys    = []string{"", "1", "2", "\U0001F600", "\uE000"}
)

func randomSteps(random *rand.Rand) (keys []odata.Key, steps []step) {
	partition := partitions[random.IntN(len(partitions))]
	for _, i := range random.Perm(len(rowKeys))[:1+random.IntN(3)] {
		k := key(partition, rowKeys[i])
		keys = append(keys, k)
		steps = append(steps, step{stepKinds[random.IntN(len(stepKinds))], k, random.Int64N(10), random.IntN(2) == 0})
	}
	if random.IntN(4) == 0 { // Cosmos DB lets a transaction touch an entity twice
		again := steps[0]
		again.kind = stepKinds[random.IntN(len(stepKinds))]
		steps = append(steps, again)
	}
	return keys, steps
}

func apply(steps []step) func(server.Table) error {
	return func(table server.Table) error {
		for i, s := range steps {
			condition := engine.Upsert
			if s.must {
				condition = engine.MustExist
			}
			var err error
			switch s.kind {
			case "insert":
				_, err = table.Insert(s.key, number(s.value))
			case "replace":
				_, err = table.Replace(s.key, number(s.value), condition)
			case "merge":
				_, err = table.Merge(s.key, []odata.Property{{Name: "M", Value: odata.Int64Value(s.value)}}, condition)
			case "delete":
				err = table.Delete(s.key, condition)
			}
			if err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
		return nil
	}
}

func outcome(err error) string {
	if err == nil {
		return "done"
	}
	return err.Error()
}

var filters = []string{
	"", "N gt 4", "PartitionKey eq 'a'", "PartitionKey eq 'a' and RowKey ge '1'", "PartitionKey gt 'a'", "RowKey eq '2'",
	"PartitionKey eq 'a' and RowKey eq '1'", "N lt 3 or M eq 5", "PartitionKey lt '\uFFFD' and N gt 2", "not (N eq 1)",
}

func randomQuery(random *rand.Rand) engine.Query {
	q := engine.Query{Limit: random.IntN(6)}
	if text := filters[random.IntN(len(filters))]; text != "" {
		q.Filter, _ = filter.Parse(text)
	}
	if random.IntN(3) == 0 {
		q.From = key(partitions[random.IntN(len(partitions))], rowKeys[random.IntN(len(rowKeys))])
	}
	if random.IntN(4) == 0 {
		q.Within = odata.KeyRange{From: key("a", ""), To: key("\uFFFD", "1"), Bounded: true}
	}
	return q
}

// TestQueryInAnUpdate: a query sees the changes of its own transaction.
func TestQueryInAnUpdate(t *testing.T) {
	s, _ := openWithTable(t)
	k := key("p", "r")
	failure := errors.New("rolled back")
	err := change(t, s, []odata.Key{k}, func(table server.Table) error {
		if _, err := table.Insert(k, number(1)); err != nil {
			return err
		}
		rows := table.Query(engine.Query{})
		defer rows.Close()
		if !rows.Next() || numberOf(rows.Row()) != 1 {
			t.Errorf("the query does not see the insert: %v", rows.Err())
		}
		return failure
	})
	if err != failure {
		t.Fatal(err)
	}
	if e := get(t, s, k); e != nil {
		t.Errorf("%v exists although it was rolled back", e)
	}
}
