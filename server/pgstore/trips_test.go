//go:build unix

package pgstore_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/server"
	"sandtable/server/pgstore"
)

var matchNothing, _ = filter.Parse("N eq 123456789")

// TestRoundTrips counts what each operation costs once its statements are
// prepared.
func TestRoundTrips(t *testing.T) {
	_, url := openWithTable(t)
	p, through := startProxy(t, url)
	s := open(t, through+"&pool_max_conns=1", pgstore.Options{})
	row := 0
	fresh := func(n int) (keys []odata.Key) {
		for range n {
			row++
			keys = append(keys, key("p", fmt.Sprint(row)))
		}
		return keys
	}
	put := func(keys []odata.Key) error {
		return change(t, s, keys, func(table server.Table) error {
			for _, k := range keys {
				if _, err := table.Replace(k, number(1), engine.Upsert); err != nil {
					return err
				}
			}
			return nil
		})
	}
	partition, err := filter.Parse("PartitionKey eq 'p'")
	if err != nil {
		t.Fatal(err)
	}
	known := fresh(100)
	if err := put(known); err != nil { // by then, the first purge is over
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		want int64
		run  func() error
	}{
		{"point read", 1, func() error { get(t, s, known[0]); return nil }},
		{"account, from the cache", 0, func() error { _, err := s.Account(t.Context(), account); return err }},
		{"no such account, from the cache", 0, func() error { return wantNoAccount(s.Account(t.Context(), "tables")) }},
		{"no name of an account", 0, func() error { return wantNoAccount(s.Account(t.Context(), "my-tables")) }},
		{"insert", 2, func() error { return put(fresh(1)) }},
		{"update", 2, func() error { return put(known[:1]) }},
		{"transaction of 100 inserts", 2, func() error { return put(fresh(100)) }},
		{"transaction of 100 updates", 2, func() error { return put(known) }},
		{"page of a query", 1, func() error { _, _, _, err := page(s, t, engine.Query{Limit: 10}); return err }},
		{"page of a partition", 1, func() error {
			keys, _, _, err := page(s, t, engine.Query{Limit: 10, Filter: partition})
			if err == nil && len(keys) != 10 {
				err = fmt.Errorf("%d entities, want 10", len(keys))
			}
			return err
		}},
		{"page of a query with a filter", 2, func() error {
			_, _, _, err := page(s, t, engine.Query{Limit: 10, Filter: matchNothing})
			return err
		}},
		{"failed condition", 2, func() error {
			if err := change(t, s, known[:1], func(table server.Table) error { return table.Delete(known[0], engine.IfMatch("x")) }); err != engine.ErrConditionNotMet {
				return fmt.Errorf("%w: want a failed condition", err)
			}
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.run(); err != nil { // prepares its statements
				t.Fatal(err)
			}
			// The pool also pings a connection that was idle for a second, as on a
			// machine that is busy.
			least := int64(math.MaxInt64)
			for range 3 {
				before := p.trips.Load()
				if err := c.run(); err != nil {
					t.Fatal(err)
				}
				least = min(least, p.trips.Load()-before)
			}
			if least != c.want {
				t.Errorf("%d round trips, want %d", least, c.want)
			}
		})
	}
}

// wantNoAccount returns nil for the error of an account that does not exist.
func wantNoAccount(_ engine.Account, err error) error {
	if !errors.Is(err, engine.ErrAccountNotFound) {
		return fmt.Errorf("%w: want ErrAccountNotFound", err)
	}
	return nil
}
