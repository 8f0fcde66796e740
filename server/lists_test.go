package server_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// lists is a table whose entities have properties in common, of random types.
type lists struct {
	*fixture
	*rand.Rand
	base string   // of addresses, "" for the storage's host
	keys []string // of all entities, in their order, as in addresses
}

var (
	listedNames     = []string{"PartitionKey", "RowKey", "Timestamp", "A", "B", "C", "D", "E"}
	listedConstants = []string{"1", "-2L", "1.5", "NaN", "true", "'b'", "''", "datetime'2020-01-01'", "X'00'", "guid'c9da6455-213d-42c9-9a79-3e9149a57833'"}
	listedValues    = []string{`1`, `"-2"`, `1.5`, `"NaN"`, `true`, `"b"`, `""`, `"2020-01-01T00:00:00Z"`, `"AA=="`, `"c9da6455-213d-42c9-9a79-3e9149a57833"`}
	listedTypes     = []string{"Int32", "Int64", "Double", "Double", "Boolean", "String", "String", "DateTime", "Binary", "Guid"}
)

func pickOf(r *rand.Rand, all []string) string { return all[r.IntN(len(all))] }

// entity returns properties, in random order or in that of most entities.
func (l *lists) entity() string {
	names := slices.Clone(listedNames[3:])
	if l.IntN(3) == 0 {
		l.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	}
	var text string
	for i, name := range names {
		if l.IntN(5) == 0 {
			continue
		}
		n := i % len(listedValues)
		if l.IntN(4) == 0 {
			n = l.IntN(len(listedValues))
		}
		text += fmt.Sprintf(`,"%[1]s@odata.type":"Edm.%[2]s","%[1]s":%[3]s`, name, listedTypes[n], listedValues[n])
	}
	return text
}

func (l *lists) fill() {
	for p := range 4 {
		for r := range 30 {
			partition, row := fmt.Sprint("p", p), fmt.Sprintf("r%02d", r)
			l.do("POST", l.base+"/things", fmt.Sprintf(`{"PartitionKey":"%s","RowKey":"%s"%s}`, partition, row, l.entity())).wantStatus(201)
			l.keys = append(l.keys, fmt.Sprintf("(PartitionKey='%s',RowKey='%s')", partition, row))
		}
	}
}

// change replaces or deletes one entity of four.
func (l *lists) change() {
	var kept []string
	for _, key := range l.keys {
		switch l.IntN(8) {
		case 0:
			l.do("DELETE", l.base+"/things"+key, "", "If-Match: *").wantStatus(204)
			continue
		case 1:
			l.do("PUT", l.base+"/things"+key, "{"+strings.TrimPrefix(l.entity(), ",")+"}").wantStatus(204)
		}
		kept = append(kept, key)
	}
	l.keys = kept
}

func (l *lists) condition() string {
	operator := pickOf(l.Rand, []string{"eq", "ne", "lt", "le", "gt", "ge"})
	switch l.IntN(6) {
	case 0:
		return fmt.Sprintf("PartitionKey %s 'p%d'", operator, l.IntN(5))
	case 1:
		return fmt.Sprintf("RowKey %s 'r%02d'", operator, l.IntN(31))
	}
	return fmt.Sprintf("%s %s %s", pickOf(l.Rand, listedNames[3:]), operator, pickOf(l.Rand, listedConstants))
}

func (l *lists) filter(depth int) string {
	if depth == 0 || l.IntN(3) == 0 {
		return l.condition()
	}
	switch l.IntN(5) {
	case 0:
		return "not (" + l.filter(depth-1) + ")"
	case 1, 2:
		return l.filter(depth-1) + " and " + l.filter(depth-1)
	}
	return "(" + l.filter(depth-1) + " or " + l.filter(depth-1) + ")"
}

// options returns query parameters that Get Entity takes as well.
func (l *lists) options() url.Values {
	q := url.Values{}
	if l.IntN(4) > 0 {
		q.Set("$filter", l.filter(2))
	}
	if l.IntN(2) == 0 {
		names := append([]string{"Missing"}, listedNames...)
		l.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		q.Set("$select", strings.Join(names[:1+l.IntN(3)], ","))
	}
	return q
}

var metadataOf = regexp.MustCompile(`"odata.metadata":"[^"]*",?`)

var listOf = regexp.MustCompile(`^\{(?:"odata.metadata":"[^"]*",)?"value":\[(.*)\](?:,"odata.metadata":"[^"]*")?\}$`)

// each returns what Get Entity answers for the entities that match, without what only
// a response of its own has.
func (l *lists) each(q url.Values, accept string) (all []string) {
	for _, key := range l.keys {
		r := l.do("GET", l.base+"/things"+key+"?"+q.Encode(), "", accept)
		if r.status == 404 {
			continue
		}
		all = append(all, metadataOf.ReplaceAllString(r.wantStatus(200).body, ""))
	}
	return all
}

// pages returns the entities of all pages, and how many pages there were.
func (l *lists) pages(q url.Values, accept string) (all []string, pages int) {
	for {
		r := l.do("GET", l.base+"/things()?"+q.Encode(), "", accept).wantStatus(200)
		pages++
		list := listOf.FindStringSubmatch(r.body)
		if list == nil {
			l.Fatalf("no list: %s", r.body)
		}
		if list[1] != "" {
			all = append(all, list[1])
		}
		next := r.header.Get("x-ms-continuation-NextPartitionKey")
		if next == "" {
			return all, pages
		}
		q.Set("NextPartitionKey", next)
		q.Set("NextRowKey", r.header.Get("x-ms-continuation-NextRowKey"))
	}
}

// TestListsHaveWhatGetEntityReturns: whatever is filtered, selected and paged, a list has
// each entity byte for byte as it is returned alone, at the hosts of the storage and of
// Cosmos DB. Some entities are in blocks, some in memory only.
func TestListsHaveWhatGetEntityReturns(t *testing.T) {
	for seed := range uint64(3) {
		l := &lists{fixture: newFixture(t), Rand: rand.New(rand.NewPCG(seed, 20261130)), base: []string{"", "", cosmosBase}[seed%3]}
		l.createTable("things")
		l.fill()
		l.intoBlocks()
		l.change()
		for range 40 {
			q, accept := l.options(), "Accept: application/json"+pickOf(l.Rand, []string{"", ";odata=nometadata", ";odata=minimalmetadata", ";odata=fullmetadata"})
			want := strings.Join(l.each(q, accept), ",")
			if l.IntN(2) == 0 {
				q.Set("$top", fmt.Sprint(1+l.IntN(40)))
			}
			text := q.Encode()
			if all, pages := l.pages(q, accept); strings.Join(all, ",") != want {
				t.Fatalf("seed %d, %s, %s, %d pages: the list is\n%s\nwant\n%s", seed, accept, text, pages, strings.Join(all, ","), want)
			}
		}
	}
}
