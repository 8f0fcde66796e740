package filter

import (
	"fmt"
	"strings"
	"testing"

	"sandtable/odata"
)

// mustEntity parses an entity written as "A: 3; B: 'x'". Its default keys are p
// and r.
func mustEntity(t testing.TB, text string) *odata.Entity {
	t.Helper()
	e := &odata.Entity{PartitionKey: "p", RowKey: "r"}
	for field := range strings.SplitSeq(text, ";") {
		name, literal, ok := strings.Cut(strings.TrimSpace(field), ": ")
		if !ok {
			t.Fatalf("%q is no property", field)
		}
		switch v := mustValue(t, literal); name {
		case odata.PartitionKeyName:
			e.PartitionKey = v.Text()
		case odata.RowKeyName:
			e.RowKey = v.Text()
		case odata.TimestampName:
			e.Timestamp = v.DateTime()
		default:
			e.Properties = append(e.Properties, odata.Property{Name: name, Value: v})
		}
	}
	return e
}

func TestMatch(t *testing.T) {
	for _, b := range readBlocks(t, "match.txt") {
		e := mustEntity(t, b.lines[0])
		for _, line := range b.lines[1:] {
			space := strings.LastIndexByte(line, ' ')
			text, want := strings.TrimSpace(line[:space]), line[space+1:]
			t.Run(b.lines[0]+"/"+text, func(t *testing.T) {
				got := "no"
				if Match(mustParse(t, text), e) {
					got = "yes"
				}
				if got != want {
					t.Errorf("match.txt:%d: %s matches {%s}: %s, want %s", b.line, text, b.lines[0], got, want)
				}
			})
		}
	}
}

// The operators in the order of outcomes.
var allOperators = []Operator{Equal, NotEqual, LessThan, LessThanOrEqual, GreaterThan, GreaterThanOrEqual}

// outcomes returns how a stored value compares with a constant, in the order of
// allOperators. The values of mismatch.txt are equal where they compare at all.
var outcomes = map[string][]bool{
	"same":    {true, false, false, true, false, true},
	"number":  {true, false, false, true, false, true},
	"smaller": {false, true, true, true, false, false},
}

func TestMatchTypes(t *testing.T) {
	grid := readGrid(t, "mismatch.txt")
	constants := grid[0]
	for _, row := range grid[1:] {
		for i, constant := range constants {
			e := mustEntity(t, "A: "+row[0])
			for j, o := range allOperators {
				want := outcomes[row[i+1]][j]
				x := mustParse(t, fmt.Sprintf("A %s %s", o, constant))
				if got := Match(x, e); got != want {
					t.Errorf("stored %s: %s is %v, want %v", row[0], x, got, want)
				}
				mirrored := mustParse(t, fmt.Sprintf("%s %s A", constant, o.mirrored()))
				if got := Match(mirrored, e); got != want {
					t.Errorf("stored %s: %s %s A is %v, want %v", row[0], constant, o.mirrored(), got, want)
				}
				if got := Match(x, &odata.Entity{}); got {
					t.Errorf("without A: %s matches", x)
				}
			}
		}
	}
}

// readGrid returns the cells of a table, the first row and column its heads.
func readGrid(t *testing.T, file string) [][]string {
	t.Helper()
	var grid [][]string
	for _, line := range readLines(t, file) {
		grid = append(grid, strings.Fields(line))
	}
	if len(grid) != 9 || len(grid[0]) != 8 {
		t.Fatalf("%s is no table of eight types", file)
	}
	for _, row := range grid[1:] {
		for _, cell := range row[1:] {
			if outcomes[cell] == nil {
				t.Fatalf("%s: unknown outcome %q", file, cell)
			}
		}
	}
	return grid
}

func TestMatchWithoutFilter(t *testing.T) {
	if !Match(nil, &odata.Entity{}) {
		t.Error("no filter refuses an entity")
	}
}

// lookups is an entity that counts lookups.
type lookups struct {
	*odata.Entity
	asked []string
}

func (e *lookups) Property(name string) (odata.Value, bool) {
	e.asked = append(e.asked, name)
	return e.Entity.Property(name)
}

func TestMatchLooksUpAsNeeded(t *testing.T) {
	for text, want := range map[string]string{
		"A eq 2 and B eq 2":             "A",
		"A eq 1 and B eq 2":             "A B",
		"A eq 1 or B eq 2":              "A",
		"A eq 2 or B eq 2":              "A B",
		"not (A eq 1 or B eq 2)":        "A",
		"false and A eq 1":              "",
		"true or A eq 1":                "",
		"A eq 1 and (A or B) and C":     "A A B",
		"(A eq 2 and B) or A eq 1 or B": "A A",
	} {
		t.Run(text, func(t *testing.T) {
			e := &lookups{Entity: mustEntity(t, "A: 1; B: 1")}
			Match(mustParse(t, text), e)
			if got := strings.Join(e.asked, " "); got != want {
				t.Errorf("looked up %q, want %q", got, want)
			}
		})
	}
}

func TestMatchAllocatesNothing(t *testing.T) {
	e := mustEntity(t, "A: 3; B: 'x'; C: 2.5; D: X'00'; E: guid'c9da6455-213d-42c9-9a79-3e9149a57833'; F: true")
	x := mustParse(t, "PartitionKey ge 'a' and RowKey lt 'z' and A eq 3 and B gt 'a' and C lt 3 and D ge X'' and "+
		"E ne guid'00000000-0000-0000-0000-000000000000' and F and not (Timestamp gt datetime'2020-01-01' or G eq 1)")
	if !Match(x, e) {
		t.Fatal("the entity does not match")
	}
	if n := testing.AllocsPerRun(100, func() { Match(x, e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
