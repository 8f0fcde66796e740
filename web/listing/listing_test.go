package listing

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"sandtable/odata"
	"sandtable/web/client"
)

func row(key string, age int32) client.Entity {
	return client.Entity{Entity: &odata.Entity{PartitionKey: "p", RowKey: key,
		Properties: []odata.Property{{Name: "Age", Value: odata.Int32Value(age)}}}}
}

func rows(from, to int) []client.Entity {
	var all []client.Entity
	for i := from; i < to; i++ {
		all = append(all, row(fmt.Sprintf("%04d", i*2), int32(i%7)))
	}
	return all
}

func token(i int) *client.Continuation {
	return &client.Continuation{PartitionKey: "p", RowKey: fmt.Sprint(i)}
}

// keys returns the row keys of the rows in memory, a dash for each forgotten one.
func keys(l *Listing) string {
	var all []string
	for i := range l.Len() {
		if e, ok := l.At(i); ok {
			all = append(all, e.RowKey)
		} else {
			all = append(all, "-")
		}
	}
	return strings.Join(all, " ")
}

// TestLargeRowsAreForgottenSooner: a limit of rows alone would not limit the memory.
func TestLargeRowsAreForgottenSooner(t *testing.T) {
	l := &Listing{Resident: 20}
	for i := range 5 {
		page := rows(i*2, i*2+2)
		for _, e := range page {
			e.Properties = []odata.Property{{Name: "Text", Value: odata.StringValue(strings.Repeat("x", 16<<10))}}
		}
		l.Append(page, token(i+1))
	}
	for i := range 10 {
		if _, ok := l.At(i); ok != (i >= 8) {
			t.Errorf("row %d of 32 KiB is in memory: %v", i, ok)
		}
	}
}

// TestRowsThatGrowAreForgottenSooner: a row that is replaced costs what it takes now.
func TestRowsThatGrowAreForgottenSooner(t *testing.T) {
	l := &Listing{Resident: 20}
	for i := range 5 {
		l.Append(rows(i*2, i*2+2), token(i+1))
	}
	for i := range 8 {
		e := row(fmt.Sprintf("%04d", i*2), 1)
		e.Properties = []odata.Property{{Name: "Text", Value: odata.StringValue(strings.Repeat("x", 16<<10))}}
		if !l.Put(e, false) {
			t.Fatalf("row %d is not there", i)
		}
	}
	l.Append(rows(10, 12), token(6))
	for i := range 12 {
		if _, ok := l.At(i); ok != (i >= 8) {
			t.Errorf("row %d is in memory: %v", i, ok)
		}
	}
}

// TestForgottenPagesLeaveTheMemory: keys are parts of the response that they came in.
func TestForgottenPagesLeaveTheMemory(t *testing.T) {
	l := &Listing{Resident: 20}
	for i := range 64 {
		response := fmt.Sprintf("%04d", i) + strings.Repeat("x", 1<<20)
		l.Append([]client.Entity{{Entity: &odata.Entity{PartitionKey: "p", RowKey: response[:4],
			Properties: []odata.Property{{Name: "Text", Value: odata.StringValue(response[4:])}}}}}, token(i+1))
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 16<<20 {
		t.Errorf("%d MiB are in use", m.HeapAlloc>>20)
	}
	runtime.KeepAlive(l)
}

func TestPagesAreForgottenAndFilled(t *testing.T) {
	l := &Listing{Resident: 20}
	for i := range 5 {
		next := token(i + 1)
		if i == 4 {
			next = nil
		}
		l.Append(rows(i*10, i*10+10), next)
	}
	if l.Len() != 50 || !l.Ended() || l.HasAll() {
		t.Fatalf("%d rows, ended %v, all in memory %v", l.Len(), l.Ended(), l.HasAll())
	}
	if _, ok := l.At(45); !ok {
		t.Error("the last page was forgotten")
	}
	missing, ok := l.Missing(5, 8)
	if !ok || missing.From != nil {
		t.Fatalf("the first page is not missing: %+v", missing)
	}
	if l.Fill(missing, rows(0, 10)) {
		t.Error("the same rows count as a change")
	}
	if e, ok := l.At(5); !ok || e.RowKey != "0010" {
		t.Errorf("row 5 is %+v", e.Entity)
	}
	missing, _ = l.Missing(10, 20)
	if missing.From == nil || missing.From.RowKey != "1" {
		t.Errorf("the second page begins at %+v", missing.From)
	}
	if !l.Fill(missing, rows(10, 17)) || l.Len() != 47 {
		t.Errorf("%d rows after three were deleted elsewhere", l.Len())
	}
	missing, _ = l.Missing(17, 27)
	if l.Fill(missing, rows(22, 32)); l.Len() != 45 || strings.Contains(keys(l), "0060 0062 0060") {
		t.Errorf("%d rows after two more were deleted, so that the page ends with two of the next one: %s", l.Len(), keys(l))
	}
}

func TestPutAndTake(t *testing.T) {
	tests := []struct {
		name  string
		ended bool
		key   string
		add   bool
		shown bool
		want  string
	}{
		{"between", false, "0003", true, true, "0002 0003 0004"},
		{"first", false, "0001", true, true, "0001 0002 0004"},
		{"last", true, "0005", true, true, "0002 0004 0005"},
		{"beyond what was read", false, "0005", true, false, "0002 0004"},
		{"outside the filter", true, "0003", false, false, "0002 0004"},
		{"replaced", false, "0004", false, true, "0002 0004"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := &Listing{}
			next := token(1)
			if test.ended {
				next = nil
			}
			l.Append(rows(1, 3), next)
			e := row(test.key, 99)
			if shown := l.Put(e, test.add); shown != test.shown || keys(l) != test.want {
				t.Errorf("shown %v, rows %s, want %s", shown, keys(l), test.want)
			}
			if i, ok := l.Index(e.Key()); ok != test.shown {
				t.Errorf("index %d, %v", i, ok)
			}
			if l.Take(e.Key()) != test.shown || l.Take(e.Key()) {
				t.Error("it was not removed once")
			}
		})
	}
}

func TestTakeOfSeveralRows(t *testing.T) {
	l := &Listing{}
	l.Append(rows(0, 3), token(1))
	l.Append(rows(3, 6), token(2))
	l.Append(rows(6, 8), nil)
	all := func(rows ...string) (all []odata.Key) {
		for _, r := range rows {
			all = append(all, odata.Key{PartitionKey: "p", RowKey: r})
		}
		return all
	}
	if !l.Take(all("0010", "0000", "0004", "0006", "0008", "0099")...) || keys(l) != "0002 0012 0014" || l.Len() != 3 {
		t.Errorf("%d rows are left: %s", l.Len(), keys(l))
	}
	if l.Take(all("0010")...) || l.Take() {
		t.Error("a row was removed twice")
	}
	if i, ok := l.Index(all("0012")[0]); i != 1 || !ok {
		t.Errorf("the second row is at %d, %v", i, ok)
	}
}

func TestFirstEntityOfAnEmptyTable(t *testing.T) {
	l := &Listing{}
	l.Append(nil, nil)
	if !l.Put(row("1", 1), true) || keys(l) != "1" || !l.Take(row("1", 1).Key()) || l.Len() != 0 {
		t.Errorf("rows %q", keys(l))
	}
}

func TestSort(t *testing.T) {
	l := &Listing{}
	l.Append([]client.Entity{row("1", 30), row("2", 10), {Entity: &odata.Entity{PartitionKey: "p", RowKey: "3"}}}, token(1))
	l.Append([]client.Entity{row("4", 20), row("5", 10)}, nil)
	for _, test := range []struct {
		descending bool
		want       string
	}{{false, "2 5 4 1 3"}, {true, "1 4 2 5 3"}} {
		l.Sort(Compare("Age", test.descending))
		if keys(l) != test.want || !l.Sorted() {
			t.Errorf("descending %v: %s, want %s", test.descending, keys(l), test.want)
		}
	}
	if i, ok := l.Index(row("4", 0).Key()); !ok || i != 1 {
		t.Errorf("the sorted place is %d, %v", i, ok)
	}
	l.Sort(nil)
	if keys(l) != "1 2 3 4 5" {
		t.Errorf("in key order: %s", keys(l))
	}
}

func TestCompareTypes(t *testing.T) {
	of := func(v odata.Value) client.Entity {
		return client.Entity{Entity: &odata.Entity{Properties: []odata.Property{{Name: "V", Value: v}}}}
	}
	compare := Compare("V", false)
	if compare(of(odata.Int32Value(2)), of(odata.DoubleValue(2.5))) >= 0 || compare(of(odata.Int64Value(3)), of(odata.DoubleValue(2.5))) <= 0 {
		t.Error("numbers of different types are not compared by value")
	}
	if nan := of(odata.DoubleValue(math.NaN())); compare(nan, of(odata.DoubleValue(-2))) >= 0 || compare(of(odata.Int32Value(3)), nan) <= 0 || compare(nan, nan) != 0 {
		t.Error("NaN is not before all other numbers: as the equal of each it would leave them unsorted")
	}
	if compare(of(odata.StringValue("b")), of(odata.StringValue("a"))) <= 0 {
		t.Error("strings are out of order")
	}
}

func TestNear(t *testing.T) {
	l := &Listing{}
	l.Append(rows(1, 5), token(1)) // 0002 to 0008
	for key, want := range map[string]int{"0000": 0, "0003": 1, "0008": 3} {
		if got, ok := l.Near(odata.Key{PartitionKey: "p", RowKey: key}); !ok || got != want {
			t.Errorf("near %s: %d, %v, want %d", key, got, ok, want)
		}
	}
	if _, ok := l.Near(odata.Key{PartitionKey: "p", RowKey: "0009"}); ok {
		t.Error("a key beyond what was read has a place")
	}
}
