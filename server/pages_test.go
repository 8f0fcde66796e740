package server_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"testing"

	"sandtable/odata"
	"sandtable/server/auth"
)

// pagedKeys are parts of keys: some have another order in UTF-16 than in UTF-8.
var pagedKeys = []string{"", "a", "A", "b", "'", " ", "\uFFFD", "\U0001F600", "é", "=", "|", `"`, "+", "%"}

// pagedTable is a table with random rows that change.
type pagedTable struct {
	*lists
	rows map[odata.Key]bool
}

// newPagedTable returns a table, at a host of Cosmos DB for every third seed.
func newPagedTable(t *testing.T, seed uint64) *pagedTable {
	l := &lists{fixture: newFixture(t), Rand: rand.New(rand.NewPCG(seed, 20261130)), base: []string{"", "", cosmosBase}[seed%3]}
	p := &pagedTable{l, map[odata.Key]bool{}}
	p.createTable("things")
	for range p.IntN(100) {
		p.change(p.key())
	}
	if seed%2 == 0 {
		p.intoBlocks()
	}
	return p
}

func (p *pagedTable) key() odata.Key {
	key := odata.Key{PartitionKey: pickOf(p.Rand, pagedKeys)}
	for range 1 + p.IntN(3) {
		key.RowKey += pickOf(p.Rand, pagedKeys)
	}
	if p.base != "" { // Cosmos DB has no empty keys
		key.PartitionKey, key.RowKey = "p"+key.PartitionKey, "r"+key.RowKey
	}
	return key
}

func (p *pagedTable) address(key odata.Key) string {
	return p.base + odata.Path{Resource: odata.EntityResource, Table: "things", Key: key}.String()
}

// change inserts, replaces or deletes a row.
func (p *pagedTable) change(key odata.Key) {
	if p.rows[key] && p.IntN(3) > 0 {
		p.do("DELETE", p.address(key), "", "If-Match: *").wantStatus(204)
		delete(p.rows, key)
		return
	}
	p.do("PUT", p.address(key), fmt.Sprintf(`{"N":%d}`, p.IntN(10))).wantStatus(204)
	p.rows[key] = true
}

// query returns the parameters of a query for all rows or some.
func (p *pagedTable) query() url.Values {
	return url.Values{"$filter": {pickOf(p.Rand, []string{"", "N ge 5", "PartitionKey gt 'a'", "not (RowKey eq 'a')", "PartitionKey eq 'b'", "PartitionKey eq 'pa' or RowKey eq 'a'"})}}
}

// page reads a page and makes the parameters those of the next one.
func (p *pagedTable) page(q url.Values) (rows []odata.Key, more bool) {
	r := p.do("GET", p.base+"/things()?"+q.Encode(), "", "Accept: application/json;odata=nometadata").wantStatus(200)
	var list struct{ Value []odata.Key }
	if err := json.Unmarshal([]byte(r.body), &list); err != nil {
		p.Fatalf("%v in %s", err, r.body)
	}
	q.Del("NextPartitionKey")
	q.Del("NextRowKey")
	for _, name := range []string{"NextPartitionKey", "NextRowKey"} {
		if value := r.header.Get("x-ms-continuation-" + name); value != "" {
			q.Set(name, value)
		}
	}
	return list.Value, q.Has("NextPartitionKey")
}

// pages reads pages of a few rows, and does something after each.
func (p *pagedTable) pages(q url.Values, between func(read int)) (all []odata.Key) {
	q.Set("$top", fmt.Sprint(1+p.IntN(9)))
	for more := true; more; between(len(all)) {
		var rows []odata.Key
		rows, more = p.page(q)
		all = append(all, rows...)
	}
	return all
}

// TestPagesOfChangingRows: a row that is there while all pages are read is on one of them,
// and no row is on two.
func TestPagesOfChangingRows(t *testing.T) {
	for seed := range uint64(12) {
		p := newPagedTable(t, seed)
		for range 10 {
			q := p.query()
			all, _ := p.page(q)
			changed := map[odata.Key]bool{}
			read := p.pages(q, func(read int) {
				for range p.IntN(3) {
					key := p.key()
					if len(all) > 0 && p.IntN(2) == 0 {
						key = all[min(len(all)-1, read+p.IntN(3))] // where the next page begins
					}
					p.change(key)
					changed[key] = true
				}
			})
			if !slices.IsSortedFunc(read, odata.Key.Compare) || len(slices.Compact(slices.Clone(read))) < len(read) {
				t.Fatalf("seed %d, %v: rows are twice or in another order: %q", seed, q, read)
			}
			unchanged := func(rows []odata.Key) []odata.Key {
				return slices.DeleteFunc(slices.Clone(rows), func(k odata.Key) bool { return changed[k] })
			}
			if !slices.Equal(unchanged(read), unchanged(all)) {
				t.Fatalf("seed %d, %v: read %q of %q, changed %v", seed, q, read, all, changed)
			}
		}
	}
}

// bound is a random end of a range of keys, without its parts that are nil.
func (p *pagedTable) bound() (partition, row *string) {
	key := p.key()
	if p.IntN(3) > 0 && key.PartitionKey != "" {
		if partition = &key.PartitionKey; p.IntN(2) == 0 && key.RowKey != "" {
			row = &key.RowKey
		}
	}
	return partition, row
}

// includes reports whether the range of keys of a signature includes one.
func includes(s auth.SAS, key odata.Key) bool {
	after := func(partition, row *string) int { // of the bound, -1 before it
		c := odata.Compare(key.PartitionKey, *partition)
		if c == 0 && row != nil {
			c = odata.Compare(key.RowKey, *row)
		}
		return c
	}
	return (s.StartPartitionKey == nil || after(s.StartPartitionKey, s.StartRowKey) >= 0) &&
		(s.EndPartitionKey == nil || after(s.EndPartitionKey, s.EndRowKey) <= 0)
}

// TestListsWithinRangesOfSignatures: a signature with a range of keys lists, reads and
// changes the entities in its range and no others.
func TestListsWithinRangesOfSignatures(t *testing.T) {
	for seed := range uint64(12) {
		p := newPagedTable(t, 3*seed) // Cosmos DB has no such signatures
		for range 10 {
			s := auth.SAS{Table: "things", Permissions: "ru", Expiry: p.now.AddDate(0, 0, 1)}
			s.StartPartitionKey, s.StartRowKey = p.bound()
			s.EndPartitionKey, s.EndRowKey = p.bound()
			sas, err := s.Sign(testAccount, testKey)
			if err != nil {
				t.Fatal(err)
			}
			q := p.query()
			all, _ := p.page(q)
			var want []odata.Key
			for _, key := range all {
				read, written := p.do("GET", p.address(key)+"?"+sas, "").status, p.do("MERGE", p.address(key)+"?"+sas, "{}", "If-Match: *").status
				in := includes(s, key)
				if (read == 200) != in || (written == 204) != in {
					t.Fatalf("seed %d, %s: %q is read with %d, written with %d", seed, sas, key, read, written)
				}
				if in {
					want = append(want, key)
				}
			}
			signed, err := url.ParseQuery(q.Encode() + "&" + sas)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.pages(signed, func(int) {}); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %v: got %q, want %q", seed, signed, got, want)
			}
		}
	}
}
