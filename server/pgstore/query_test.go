//go:build unix

package pgstore_test

import (
	"fmt"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/server"
)

// fillRows inserts rows of a partition, of about size bytes each.
func fillRows(t *testing.T, s server.Store, rows, size int) {
	t.Helper()
	text := odata.StringValue(strings.Repeat("x", size))
	for begin := 0; begin < rows; begin += 100 {
		var keys []odata.Key
		for i := begin; i < min(begin+100, rows); i++ {
			keys = append(keys, key("p", fmt.Sprintf("%06d", i)))
		}
		err := change(t, s, keys, func(table server.Table) error {
			for _, k := range keys {
				properties := []odata.Property{{Name: "N", Value: odata.Int64Value(int64(len(k.RowKey)))}, {Name: "Text", Value: text}, {Name: "Row", Value: odata.StringValue(k.RowKey)}}
				if _, err := table.Insert(k, properties); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestChunks: a query goes through many chunks, by number and by size, and finds
// every match once.
func TestChunks(t *testing.T) {
	for _, c := range []struct {
		name       string
		rows, size int
	}{{"by number", 6500, 1}, {"by size", 300, 60_000}} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := openWithTable(t)
			fillRows(t, s, c.rows, c.size)
			for _, q := range []engine.Query{{}, {Limit: c.rows - 1}, {Filter: parse(t, "Row ge '000000'")}, {Filter: parse(t, fmt.Sprintf("Row eq '%06d'", c.rows-1))}} {
				keys, next, did, err := page(s, t, q)
				want := c.rows
				switch {
				case q.Limit > 0:
					want = q.Limit
				case did.Returned == 1:
					want = 1
				}
				if err != nil || len(keys) != want || (next != nil) != (q.Limit > 0) {
					t.Errorf("%v: %d rows, next %v, %v; want %d", q.Filter, len(keys), next, err, want)
				}
			}
		})
	}
}

func parse(t *testing.T, text string) filter.Expr {
	t.Helper()
	x, err := filter.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestPageIsASnapshot: what is written while a query goes from chunk to chunk does
// not show in its page.
func TestPageIsASnapshot(t *testing.T) {
	s, _ := openWithTable(t)
	fillRows(t, s, 3000, 1)
	scope := &server.Scope{Account: account, Table: tableName, Query: &engine.Query{Filter: parse(t, "Row ge '000000'")}}
	seen := 0
	err := s.View(t.Context(), scope, func(tx server.Tx) error {
		table, err := tx.Table()
		if err != nil {
			return err
		}
		rows := table.Query(*scope.Query)
		defer rows.Close()
		for seen = 0; rows.Next(); seen++ {
			if seen == 500 {
				last := key("p", "002999")
				if err := change(t, s, []odata.Key{last}, func(table server.Table) error { return table.Delete(last, engine.MustExist) }); err != nil {
					t.Error(err)
				}
			}
		}
		return rows.Err()
	})
	if err != nil || seen != 3000 {
		t.Errorf("the page has %d entities, %v; want 3000", seen, err)
	}
}

// TestQueryOfAMissingTable closes what it began.
func TestQueryOfAMissingTable(t *testing.T) {
	s, _ := openWithTable(t)
	update(t, s, server.Tx.DeleteTable)
	for range 40 { // more than there are connections
		if _, _, _, err := page(s, t, engine.Query{Limit: 5}); err != engine.ErrTableNotFound {
			t.Fatalf("%v, want ErrTableNotFound", err)
		}
	}
	if used, _, _ := s.Connections(); used > 1 {
		t.Errorf("%d connections are still in use", used)
	}
}

// TestPagesFollowTheIndex: a page reads its own rows alone, however many are behind
// them, also while the database has no statistics of the table.
func TestPagesFollowTheIndex(t *testing.T) {
	s, _ := openWithTable(t)
	fillRows(t, s, 2000, 100)
	scope := &server.Scope{Account: account, Table: tableName}
	within := odata.KeyRange{From: key("p", ""), To: key("q", ""), Bounded: true}
	for name, q := range map[string]engine.Query{"all": {Limit: 10}, "a range": {Within: within, Limit: 500}, "the rest": {From: key("p", "r"), Limit: 500}} {
		plan, err := s.Plan(t.Context(), scope, q)
		if err != nil || !strings.Contains(plan, "Index Scan using sandtable_entities_pkey") || strings.Contains(plan, "Sort") || strings.Contains(plan, "Bitmap") {
			t.Errorf("%s: %v\n%s", name, err, plan)
		}
	}
}
