package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/filter"
)

// queryDB returns a DB with the partitions a, b and c of ten rows each; N is the row.
func queryDB(t *testing.T) *engine.DB {
	t.Helper()
	db := openMemory(t, engine.Options{})
	createTable(t, db, "Table")
	update(t, db, inTable("Table", func(table *engine.Table) error {
		for i := range 30 {
			if _, err := table.Insert(key(string(rune('a'+i/10)), fmt.Sprint(i%10)), number(i%10)); err != nil {
				return err
			}
		}
		return nil
	}))
	return db
}

func query(t *testing.T, db *engine.DB, q engine.Query) (page engine.Page) {
	t.Helper()
	view(t, db, inTable("Table", func(table *engine.Table) (err error) {
		page, err = table.Query(q).Page()
		return err
	}))
	return page
}

// rows formats a page's keys and, after a bar, the next page's first key.
func rows(p engine.Page) string {
	var b strings.Builder
	for _, e := range p.Entities {
		b.WriteString(e.PartitionKey + e.RowKey + " ")
	}
	if p.Next != nil {
		b.WriteString("| " + p.Next.PartitionKey + p.Next.RowKey)
	}
	return strings.TrimSpace(b.String())
}

func TestQuery(t *testing.T) {
	// stop returns a deadline that expires at its n-th check.
	stop := func(n int) func() bool {
		return func() bool { n--; return n <= 0 }
	}
	parse := func(text string) filter.Expr { return parseFilter(t, text) }
	within := odata.KeyRange{From: key("b", "3"), To: key("b", "6"), Bounded: true}
	cases := []struct {
		name  string
		query engine.Query
		rows  string
		kind  engine.Kind

		examined, partitions int
	}{
		{"range", engine.Query{Within: within}, "b3 b4 b5", engine.RowRange, 3, 1},
		{"range and limit", engine.Query{Within: within, Limit: 2}, "b3 b4 | b5", engine.RowRange, 3, 1},
		{"limit at the end", engine.Query{Within: within, Limit: 3}, "b3 b4 b5", engine.RowRange, 3, 1},
		{"from", engine.Query{Within: within, From: key("b", "5")}, "b5", engine.RowRange, 1, 1},
		{"from between rows", engine.Query{Within: within, From: key("b", "41")}, "b5", engine.RowRange, 1, 1},
		{"from after the range", engine.Query{Within: within, From: key("c", "")}, "", engine.RowRange, 0, 0},
		{"from before the range", engine.Query{Within: within, From: key("a", "")}, "b3 b4 b5", engine.RowRange, 3, 1},
		{"filter", engine.Query{Filter: parse("N eq 7")}, "a7 b7 c7", engine.TableScan, 30, 3},
		{"filter and limit", engine.Query{Filter: parse("N eq 7"), Limit: 2}, "a7 b7 | c7", engine.TableScan, 28, 3},
		{"filter, last match at the limit", engine.Query{Filter: parse("N eq 7"), Limit: 3}, "a7 b7 c7", engine.TableScan, 30, 3},
		{"point", engine.Query{Filter: parse("PartitionKey eq 'b' and RowKey eq '4'")}, "b4", engine.Point, 1, 1},
		{"missing point", engine.Query{Filter: parse("PartitionKey eq 'b' and RowKey eq 'x'")}, "", engine.Point, 0, 0},
		{"contradiction", engine.Query{Filter: parse("PartitionKey eq 'b' and PartitionKey eq 'c'")}, "", engine.Point, 0, 0},
		{"row range", engine.Query{Filter: parse("PartitionKey eq 'b' and RowKey ge '8'")}, "b8 b9", engine.RowRange, 2, 1},
		{"partition scan", engine.Query{Filter: parse("PartitionKey eq 'b' and N lt 2")}, "b0 b1", engine.PartitionScan, 10, 1},
		{"later page of a partition scan", engine.Query{Filter: parse("PartitionKey eq 'b'"), From: key("b", "8")}, "b8 b9", engine.PartitionScan, 2, 1},
		{"several partitions", engine.Query{Filter: parse("PartitionKey gt 'a' and RowKey eq '1'")}, "b1 c1", engine.TableScan, 20, 2},
		{"filter and range", engine.Query{Filter: parse("N gt 3"), Within: within}, "b4 b5", engine.RowRange, 3, 1},
		{"deadline is not checked early", engine.Query{Within: within, Deadline: stop(1)}, "b3 b4 b5", engine.RowRange, 3, 1},
	}
	db := queryDB(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			page := query(t, db, c.query)
			if got := rows(page); got != c.rows {
				t.Errorf("rows are %q, want %q", got, c.rows)
			}
			want := engine.Explain{Kind: c.kind, Partitions: c.partitions, Examined: c.examined, Returned: len(page.Entities)}
			if page.Explain != want {
				t.Errorf("explained as %+v, want %+v", page.Explain, want)
			}
		})
	}
}

// TestQueryDeadline: a page ended by the deadline may be empty, and all pages
// together contain every match once.
func TestQueryDeadline(t *testing.T) {
	const n = 2000
	db := openMemory(t, engine.Options{})
	createTable(t, db, "Table")
	update(t, db, inTable("Table", func(table *engine.Table) error {
		for i := range n {
			if _, err := table.Insert(key("p", fmt.Sprintf("%05d", i)), number(i%1000)); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, limit := range []int{0, 1} {
		q := engine.Query{Filter: parseFilter(t, "N eq 999"), Limit: limit, Deadline: func() bool { return true }}
		found, pages, examined := 0, 0, 0
		for {
			page := query(t, db, q)
			found, pages, examined = found+len(page.Entities), pages+1, examined+page.Explain.Examined
			if page.Next == nil {
				break
			}
			q.From = *page.Next
		}
		if found != 2 || pages < 8 || examined < n {
			t.Errorf("limit %d: %d matches, %d pages, %d examined", limit, found, pages, examined)
		}
	}
}

// TestQueryDeadlineByWork: the deadline is checked by the amount of work: also for
// few large entities, for reads from storage, and for deleted entities.
func TestQueryDeadlineByWork(t *testing.T) {
	const n = 400
	large := []odata.Property{{Name: "Text", Value: odata.StringValue(strings.Repeat("x", 20_000))}}
	cases := []struct {
		name  string
		n     int
		value []odata.Property
		then  func(*engine.Table) error // with all entities
		asked int                       // about
	}{
		{"large ones", n, large, nil, n * 20_000 / (64 << 10)},
		{"small ones", 40 * n, number(1), nil, 40 * n / 256},
		{"deleted ones", 40 * n, number(1), func(table *engine.Table) error {
			for i := range 40 * n {
				if err := table.Delete(bigKey(i), engine.MustExist); err != nil {
					return err
				}
			}
			return nil
		}, 40 * n / 256},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := &engine.MemoryStorage{}
			db := open(t, m, engine.Options{CheckpointAfter: -1})
			createTable(t, db, "Table")
			update(t, db, inTable("Table", func(table *engine.Table) error {
				for i := range c.n {
					if _, err := table.Insert(bigKey(i), c.value); err != nil {
						return err
					}
				}
				return nil
			}))
			_, _, err := db.Compact(t.Context(), nil) // into blocks
			must(t, err)
			if c.then != nil {
				update(t, db, inTable("Table", c.then))
			}
			ask := func(when string, db *engine.DB, least, most int) {
				t.Helper()
				asked := 0
				q := engine.Query{Filter: parseFilter(t, "N eq 999"), Deadline: func() bool { asked++; return false }}
				page := query(t, db, q)
				if page.Next != nil || asked < least || asked > most {
					t.Errorf("%s the deadline was checked %d times in one page, want %d to %d; next is %v", when, asked, least, most, page.Next)
				}
				// Each page makes progress, however late it is.
				pages := 1
				for q.Deadline = func() bool { return true }; ; pages++ {
					page := query(t, db, q)
					if page.Next == nil {
						break
					}
					if !q.From.Less(*page.Next) {
						t.Fatalf("%s page %d ends at %v, where it started", when, pages, *page.Next)
					}
					q.From = *page.Next
				}
				if pages < least || pages > most+1 {
					t.Errorf("%s there are %d pages, want %d to %d", when, pages, least, most+1)
				}
			}
			ask("in memory", db, c.asked*3/4, 2*c.asked+5)
			must(t, db.Close())
			again, err := engine.Open(m, engine.Options{MemoryBudget: 1, CheckpointAfter: -1})
			must(t, err)
			ask("from the storage", again, c.asked*3/4, 4*c.asked+5)
			must(t, again.Close())
		})
	}
}

// TestQueryOrder: keys are ordered by UTF-16 code units, so that characters beyond
// U+FFFF sort before U+E000.
func TestQueryOrder(t *testing.T) {
	db := openMemory(t, engine.Options{})
	createTable(t, db, "Table")
	want := []string{"", "A", "a", "\uD7FF", "\U0001F600", "\uE000", "\uFFFD"}
	update(t, db, inTable("Table", func(table *engine.Table) error {
		for i := range want {
			if _, err := table.Insert(key("p", want[(i*3+1)%len(want)]), nil); err != nil {
				return err
			}
		}
		return nil
	}))
	page := query(t, db, engine.Query{})
	for i, e := range page.Entities {
		if e.RowKey != want[i] {
			t.Errorf("row %d is %q, want %q", i, e.RowKey, want[i])
		}
	}
	if len(page.Entities) != len(want) {
		t.Errorf("%d rows, want %d", len(page.Entities), len(want))
	}
}

// TestQueryIsASnapshot: a transaction and its pages show the state at their start.
func TestQueryIsASnapshot(t *testing.T) {
	db := queryDB(t)
	view(t, db, func(tx *engine.Tx) error {
		table, err := tx.Table(account, "Table")
		must(t, err)
		before, err := table.Query(engine.Query{}).Page()
		must(t, err)
		update(t, db, inTable("Table", func(table *engine.Table) error {
			must(t, table.Delete(key("a", "1"), engine.MustExist))
			_, err := table.Insert(key("a", "11"), nil)
			return err
		}))
		update(t, db, func(tx *engine.Tx) error { return tx.DeleteTable(account, "Table") })
		after, err := table.Query(engine.Query{}).Page()
		must(t, err)
		if rows(before) != rows(after) {
			t.Errorf("rows changed from %q to %q", rows(before), rows(after))
		}
		return nil
	})
}

func TestKindString(t *testing.T) {
	for kind, want := range map[engine.Kind]string{
		engine.Point: "point", engine.RowRange: "row range", engine.PartitionScan: "partition scan",
		engine.TableScan: "table scan", engine.Kind(9): "unknown kind",
	} {
		if got := kind.String(); got != want {
			t.Errorf("kind %d is %q, want %q", kind, got, want)
		}
	}
}

// TestQueryYields: on a single thread a long query yields, so that others can read
// and write, but a query inside an update does not.
func TestQueryYields(t *testing.T) {
	const n = 4096
	turns := 0
	var db *engine.DB
	db = openMemory(t, engine.Options{CheckpointAfter: -1, Yield: func() {
		turns++
		update(t, db, inTable("Other", func(table *engine.Table) error {
			_, err := table.Insert(key("p", fmt.Sprint(turns)), number(turns))
			return err
		}))
	}})
	createTable(t, db, "Table")
	createTable(t, db, "Other")
	update(t, db, inTable("Table", func(table *engine.Table) error {
		for i := range n {
			if _, err := table.Insert(key("p", fmt.Sprint(i)), number(i)); err != nil {
				return err
			}
		}
		return nil
	}))
	// Each reading of the clock takes a millisecond.
	slow := engine.Query{Deadline: func() bool {
		for begin := time.Now(); time.Since(begin) < time.Millisecond; {
		}
		return false
	}}
	if page := query(t, db, slow); len(page.Entities) != n || turns == 0 {
		t.Errorf("%d entities in %d turns, want %d in several", len(page.Entities), turns+1, n)
	}
	if page := query(t, db, engine.Query{Limit: 100}); len(page.Entities) != 100 {
		t.Errorf("%d entities, want 100", len(page.Entities))
	}
	before := turns
	update(t, db, inTable("Table", func(table *engine.Table) error {
		_, err := table.Query(slow).Page()
		return err
	}))
	if turns != before {
		t.Error("an update yielded to goroutines that wait for it")
	}
}
