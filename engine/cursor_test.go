package engine_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

// TestCursorRows compares rows with the page's entities, from blocks and from the
// overlay, with all and with selected properties.
func TestCursorRows(t *testing.T) {
	m := &engine.MemoryStorage{}
	db := open(t, m, engine.Options{CheckpointAfter: 1})
	createTable(t, db, "Table")
	value := func(i int) []odata.Property {
		p := []odata.Property{{Name: "Text", Value: odata.StringValue(fmt.Sprint("text ", i))}}
		if i%3 > 0 {
			p = append(p, odata.Property{Name: "Bytes", Value: odata.BinaryText("\x00\xFF")})
		}
		return append(p, number(i)...)
	}
	put := func(from, to int) {
		update(t, db, inTable("Table", func(table *engine.Table) error {
			for i := from; i < to; i++ {
				if _, err := table.Replace(key(fmt.Sprint(i%3), fmt.Sprint(i)), value(i), engine.Upsert); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	put(0, 40)
	db.Settle()
	put(30, 50)
	if e := query(t, db, engine.Query{}).Explain; e.Partitions != 3 || e.Examined != 50 {
		t.Errorf("explained as %+v, want 50 entities of 3 partitions", e)
	}
	var manyNames strings.Builder
	for i := range 100 {
		fmt.Fprintf(&manyNames, "Missing%d or ", i)
	}
	for _, c := range []struct {
		name  string
		query engine.Query
	}{
		{"all", engine.Query{}},
		{"a page", engine.Query{Limit: 7, From: key("1", "3")}},
		{"a filter", engine.Query{Filter: parseFilter(t, "N ge 20 and Text ne 'text 33'"), Limit: 10}},
		{"a filter of many names", engine.Query{Filter: parseFilter(t, manyNames.String()+"N ge 20 and Text ne 'text 33'")}},
		{"selected properties", engine.Query{Select: []string{"N", "Missing", "Bytes"}}},
		{"no properties", engine.Query{Select: []string{}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := query(t, db, c.query)
			if len(want.Entities) == 0 {
				t.Fatal("nothing found")
			}
			i := 0
			got := eachRow(t, db, c.query, func(rows *engine.Cursor) {
				e, w := rows.Row(), want.Entities[i]
				i++
				if e.Key() != w.Key() || e.Timestamp != w.Timestamp {
					t.Errorf("entity %d is %v, want %v", i, e, w)
				}
				for _, p := range w.Properties {
					shown := c.query.Select == nil || slices.Contains(c.query.Select, p.Name)
					if v, ok := e.Property(p.Name); shown && (!ok || v != p.Value) {
						t.Errorf("%s of %v is %v, want %v", p.Name, e.Key(), v, p.Value)
					}
				}
				if c.query.Select == nil && len(e.Properties) != len(w.Properties) {
					t.Errorf("%v has %d properties, want %d", e.Key(), len(e.Properties), len(w.Properties))
				}
			})
			if i != len(want.Entities) || got.Explain() != want.Explain || !reflect.DeepEqual(got.Continuation(), want.Next) {
				t.Errorf("%d rows and %+v, want %d and %+v", i, got.Explain(), len(want.Entities), want.Explain)
			}
		})
	}
}

// eachRow calls f for each row of a query and returns the closed cursor.
func eachRow(t *testing.T, db *engine.DB, q engine.Query, f func(*engine.Cursor)) (rows *engine.Cursor) {
	t.Helper()
	view(t, db, inTable("Table", func(table *engine.Table) error {
		rows = table.Query(q)
		defer rows.Close()
		for rows.Next() {
			f(rows)
		}
		return rows.Err()
	}))
	return rows
}

// TestCursorLastRow: a page ended by LastRow knows whether there is another match,
// and continues with it.
func TestCursorLastRow(t *testing.T) {
	db := queryDB(t)
	for _, c := range []struct {
		name  string
		shown int // until LastRow
		next  string
	}{{"at the first", 1, "b3"}, {"in the middle", 2, "b5"}, {"at the last", 3, ""}} {
		t.Run(c.name, func(t *testing.T) {
			n := 0
			q := engine.Query{Filter: parseFilter(t, "PartitionKey eq 'b' and (N eq 1 or N eq 3 or N eq 5)")}
			rows := eachRow(t, db, q, func(rows *engine.Cursor) {
				if n++; n == c.shown {
					rows.LastRow()
				}
			})
			next := ""
			if key := rows.Continuation(); key != nil {
				next = key.PartitionKey + key.RowKey
			}
			if n != c.shown || rows.Explain().Returned != n || next != c.next {
				t.Errorf("%d rows, continuation %q, want %d and %q", n, next, c.shown, c.next)
			}
		})
	}
}

// TestCursorEnds: Next returns false after Close, after the transaction and for a
// deleted table, and Err returns the reason.
func TestCursorEnds(t *testing.T) {
	db := queryDB(t)
	var rows *engine.Cursor
	view(t, db, inTable("Table", func(table *engine.Table) error {
		rows = table.Query(engine.Query{})
		rows.Close()
		if rows.Next() || rows.Err() != nil {
			t.Errorf("a closed cursor continues, error %v", rows.Err())
		}
		rows = table.Query(engine.Query{})
		rows.Next()
		return nil
	}))
	if rows.Next() || !errors.Is(rows.Err(), engine.ErrClosed) {
		t.Errorf("after the transaction: %v, want ErrClosed", rows.Err())
	}
	update(t, db, func(tx *engine.Tx) error {
		table, err := tx.Table(account, "Table")
		must(t, err)
		must(t, tx.DeleteTable(account, "Table"))
		if rows := table.Query(engine.Query{}); rows.Next() || !errors.Is(rows.Err(), engine.ErrTableNotFound) {
			t.Errorf("deleted table: %v, want ErrTableNotFound", rows.Err())
		}
		return nil
	})
}
