//go:build unix

package pgstore_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
	"sandtable/server/pgstore"
	"sandtable/server/pgstore/pgtest"
)

// reports collects the corruption that a store reports.
type reports struct {
	mu    sync.Mutex
	found []string
}

func (r *reports) add(c engine.Corruption) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found = append(r.found, fmt.Sprint(c.Account, " ", c.Table, " ", c.Block.First, " ", errors.Is(c.Err, engine.ErrCorrupt)))
}

// corrupted returns a store with the entities (p, 0) to (p, 5), and a function that
// makes some of them fail their checksum.
func corrupted(t *testing.T) (s *pgstore.Store, r *reports, corrupt func(rows ...int)) {
	t.Helper()
	url := pgtest.Schema(t)
	r = &reports{}
	s = open(t, url, pgstore.Options{OnCorruption: r.add})
	prepare(t, s)
	var keys []odata.Key
	for i := range 6 {
		keys = append(keys, key("p", fmt.Sprint(i)))
	}
	fill := func(table server.Table) error {
		for i, k := range keys {
			if _, err := table.Replace(k, number(int64(i)), engine.Upsert); err != nil {
				return err
			}
		}
		return nil
	}
	if err := change(t, s, keys, fill); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(t.Context()) })
	return s, r, func(rows ...int) {
		t.Helper()
		for _, row := range rows {
			if _, err := conn.Exec(t.Context(), `UPDATE sandtable_entities SET entity = set_byte(entity, octet_length(entity) / 2, get_byte(entity, octet_length(entity) / 2) # 1)
				WHERE row_key = (SELECT row_key FROM sandtable_entities ORDER BY row_key OFFSET $1 LIMIT 1)`, row); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestCorruptRowsAreLeftOut of queries, and each is reported once.
func TestCorruptRowsAreLeftOut(t *testing.T) {
	s, r, corrupt := corrupted(t)
	corrupt(0, 2, 5)
	rows := func(q engine.Query, known *engine.Query) (keys []string) {
		t.Helper()
		for pages := 0; pages < 10; pages++ {
			page, next, _, err := pageOf(s, t, q, known)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, page...)
			if next == nil {
				break
			}
			q.From = *next
			if known != nil {
				known = &q
			}
		}
		return keys
	}
	want := rows(engine.Query{Within: odata.KeyRange{From: key("p", "1"), To: key("p", "2"), Bounded: true}}, nil)
	want = append(want, rows(engine.Query{Within: odata.KeyRange{From: key("p", "3"), To: key("p", "5"), Bounded: true}}, nil)...)
	if len(want) != 3 {
		t.Fatalf("the readable rows are %q", want)
	}
	for _, q := range []engine.Query{{}, {Limit: 1}, {Limit: 2}, {Limit: 3}, {Limit: 10}} {
		for _, known := range []*engine.Query{nil, &q} {
			if got := rows(q, known); !slices.Equal(got, want) {
				t.Errorf("limit %d: %q, want %q", q.Limit, got, want)
			}
		}
	}
	slices.Sort(r.found)
	wantReports := []string{"account1 Things {p 0} true", "account1 Things {p 2} true", "account1 Things {p 5} true"}
	if !slices.Equal(r.found, wantReports) {
		t.Errorf("reported %q, want %q", r.found, wantReports)
	}
}

// TestCorruptRowIsChanged: what does not depend on the lost content works, everything
// else fails with ErrCorrupt.
func TestCorruptRowIsChanged(t *testing.T) {
	k, other := key("p", "3"), key("p", "4")
	both := []odata.Key{k, other}
	put := func(c engine.Condition) func(server.Table) error {
		return func(table server.Table) error { _, err := table.Replace(k, number(9), c); return err }
	}
	for _, c := range []struct {
		name string
		do   func(server.Table) error
		want error
		left int64 // N of the entity afterwards, 0 for none
	}{
		{"get", func(table server.Table) error { _, err := table.Get(k); return err }, engine.ErrCorrupt, 0},
		{"insert", func(table server.Table) error { _, err := table.Insert(k, nil); return err }, engine.ErrEntityExists, 0},
		{"merge", func(table server.Table) error { _, err := table.Merge(k, nil, engine.MustExist); return err }, engine.ErrCorrupt, 0},
		{"insert or merge", func(table server.Table) error { _, err := table.Merge(k, nil, engine.Upsert); return err }, engine.ErrCorrupt, 0},
		{"replace an ETag", put(engine.IfMatch("x")), engine.ErrCorrupt, 0},
		{"delete an ETag", func(table server.Table) error { return table.Delete(k, engine.IfMatch("x")) }, engine.ErrCorrupt, 0},
		{"insert or replace", put(engine.Upsert), nil, 9},
		{"replace any", put(engine.MustExist), nil, 9},
		{"delete any", func(table server.Table) error { return table.Delete(k, engine.MustExist) }, nil, 0},
		{"delete, then insert", func(table server.Table) error {
			if err := table.Delete(k, engine.MustExist); err != nil {
				return err
			}
			_, err := table.Insert(k, number(8))
			return err
		}, nil, 8},
		{"replace, then read and query", func(table server.Table) error {
			if err := put(engine.Upsert)(table); err != nil {
				return err
			}
			rows := table.Query(engine.Query{Within: odata.KeyRange{From: k}}) // writes it
			defer rows.Close()
			if !rows.Next() || numberOf(rows.Row()) != 9 {
				return fmt.Errorf("the query finds another entity, %w", rows.Err())
			}
			rows.Close()
			_, err := table.Merge(k, number(7), engine.MustExist)
			return err
		}, nil, 7},
	} {
		for _, keys := range [][]odata.Key{{k}, both, nil} {
			t.Run(fmt.Sprint(c.name, len(keys)), func(t *testing.T) {
				s, r, corrupt := corrupted(t)
				corrupt(3)
				if err := change(t, s, keys, c.do); !errors.Is(err, c.want) {
					t.Errorf("%v, want %v", err, c.want)
				}
				if len(r.found) != 1 {
					t.Errorf("reported %q", r.found)
				}
				if c.want != nil {
					err := s.View(t.Context(), &server.Scope{Account: account, Table: tableName, Keys: []odata.Key{k}}, func(tx server.Tx) error {
						table, err := tx.Table()
						if err == nil {
							_, err = table.Get(k)
						}
						return err
					})
					if status, code, _ := server.Describe(err); !errors.Is(err, engine.ErrCorrupt) || status != 500 || code != "InternalError" {
						t.Errorf("reading it gives %v: %d %s", err, status, code)
					}
					return
				}
				got := int64(0)
				if e := get(t, s, k); e != nil {
					got = numberOf(e)
				}
				if got != c.left {
					t.Errorf("the entity has %d, want %d", got, c.left)
				}
			})
		}
	}
}
