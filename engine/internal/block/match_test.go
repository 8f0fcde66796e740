//go:build !js

package block

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"sandtable/engine/internal/encoding"
	"sandtable/odata"
	"sandtable/odata/filter"
)

// checkMatcher checks that a Matcher agrees with filter.Match about every entity of
// the blocks, wherever it starts and ends, and returns the number of matches.
func checkMatcher(t *testing.T, x filter.Expr, blocks ...*Block) (matches int) {
	t.Helper()
	m := NewMatcher(x)
	pieces := NewMatcher(x)
	for _, b := range blocks {
		found := m.Next(b, 0, b.Len())
		for i := range b.Len() {
			e := b.Entity(i)
			want := filter.Match(x, e)
			if want {
				matches++
			}
			if got := found == i; got != want {
				t.Fatalf("%v matches %v: %t, want %t", x, e, got, want)
			}
			if want {
				found = m.Next(b, i+1, b.Len())
			}
			if got := pieces.Next(b, i, i+1) == i; got != want {
				t.Fatalf("%v matches %v alone: %t, want %t", x, e, got, want)
			}
		}
		if found != b.Len() {
			t.Fatalf("%v: Next returns %d at the end, want %d", x, found, b.Len())
		}
	}
	return matches
}

// Random entities and filters share these few names and values, so that many
// comparisons match.
var (
	matchNames    = []string{"A", "B", "C", "D"}
	matchLiterals = []string{
		"-1", "0", "1", "2147483647", "-9223372036854775808L", "0L", "1L", "9223372036854775807L", "0.0", "-0.0", "1.0", "0.5", "NaN", "INF", "-INF",
		"''", "'a'", "'b'", "'\uFFFD'", "'\U0001F600'", "true", "false", "X''", "X'00'", "X'01'",
		"datetime'0001-01-01'", "datetime'2020-01-01'", "datetime'9999-12-31T23:59:59.9999999Z'",
		"guid'00000000-0000-0000-0000-000000000000'", "guid'c9da6455-213d-42c9-9a79-3e9149a57833'",
	}
	matchOperators = []string{"eq", "ne", "gt", "ge", "lt", "le"}
)

func pickOne[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

func parseForMatch(t testing.TB, text string) filter.Expr {
	t.Helper()
	x, err := filter.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return x
}

// matchValues returns the values of the literals.
func matchValues(t testing.TB) (values []odata.Value) {
	t.Helper()
	for _, literal := range matchLiterals {
		values = append(values, parseForMatch(t, "A eq "+literal).(*filter.Comparison).Constant)
	}
	return values
}

// matchBlock returns a block of 200 random entities in ten partitions, with a
// limited number of shapes.
func matchBlock(t testing.TB, r *rand.Rand, values []odata.Value, shapes int) *Block {
	t.Helper()
	var made [][]odata.Property
	for range shapes {
		var properties []odata.Property
		for _, name := range matchNames {
			if r.IntN(4) > 0 {
				properties = append(properties, odata.Property{Name: name, Value: pickOne(r, values)})
			}
		}
		r.Shuffle(len(properties), func(i, j int) { properties[i], properties[j] = properties[j], properties[i] })
		made = append(made, properties)
	}
	var w Builder
	for i := range 200 {
		e := odata.Entity{PartitionKey: fmt.Sprint("p", i/20), RowKey: fmt.Sprintf("r%03d", i), Timestamp: odata.DateTime(r.IntN(3))}
		for _, p := range pickOne(r, made) {
			for v := p.Value; ; v = pickOne(r, values) { // another value of its type
				if v.Type() == p.Value.Type() {
					e.Properties = append(e.Properties, odata.Property{Name: p.Name, Value: v})
					break
				}
			}
		}
		w.Add(&e)
	}
	return finish(t, &w)
}

func matchFilter(r *rand.Rand, depth int) string {
	if depth > 0 && r.IntN(4) > 0 {
		left, right := matchFilter(r, depth-1), matchFilter(r, depth-1)
		return pickOne(r, []string{"not (" + left + ")", "(" + left + ") and (" + right + ")", "(" + left + ") or (" + right + ")"})
	}
	operator := pickOne(r, matchOperators)
	switch r.IntN(12) {
	case 0:
		return pickOne(r, matchNames)
	case 1:
		return pickOne(r, []string{"true", "false"})
	case 2:
		return fmt.Sprintf("PartitionKey %s 'p%d'", operator, r.IntN(10))
	case 3:
		return fmt.Sprintf("RowKey %s 'r%03d'", operator, r.IntN(200))
	case 4:
		return fmt.Sprintf("Timestamp %s datetime'0001-01-01T00:00:00.000000%d'", operator, r.IntN(4))
	}
	return fmt.Sprintf("%s %s %s", pickOne(r, append(matchNames, "None")), operator, pickOne(r, matchLiterals))
}

func TestMatcher(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	values := matchValues(t)
	matches, examined := 0, 0
	for _, shapes := range []int{1, 3, 20, 200} {
		blocks := []*Block{matchBlock(t, r, values, shapes), matchBlock(t, r, values, shapes), matchBlock(t, r, values, 2)}
		if shapes == 200 && blocks[0].shapes <= maxPrograms {
			t.Fatalf("%d shapes, want more than %d", blocks[0].shapes, maxPrograms)
		}
		for range 100 {
			matches += checkMatcher(t, parseForMatch(t, matchFilter(r, 4)), blocks...)
			examined += 600
		}
	}
	if matches < examined/4 || matches > examined*3/4 {
		t.Errorf("%d of %d match: the filters are too strict or too lax", matches, examined)
	}
}

// TestMatcherTypes compares every type of stored value with every literal, with
// every operator.
func TestMatcherTypes(t *testing.T) {
	values := matchValues(t)
	var w Builder
	for i, v := range values {
		w.Add(&odata.Entity{RowKey: fmt.Sprintf("%03d", i), Properties: []odata.Property{{Name: "A", Value: v}}})
	}
	b := finish(t, &w)
	for _, operator := range matchOperators {
		for _, literal := range matchLiterals {
			checkMatcher(t, parseForMatch(t, "A "+operator+" "+literal), b)
			checkMatcher(t, parseForMatch(t, "not (A "+operator+" "+literal+")"), b)
		}
	}
}

func TestMatcherWithoutFilter(t *testing.T) {
	b := matchBlock(t, rand.New(rand.NewPCG(1, 1)), matchValues(t), 2)
	if n := checkMatcher(t, nil, b); n != b.Len() {
		t.Errorf("%d of %d match no filter", n, b.Len())
	}
}

func FuzzMatcher(f *testing.F) {
	for _, text := range []string{
		"True and not False", "Min64 lt 0 or Max32 ge 5 and Empty eq ''", "Double le 1 and NaN ne 1.5 and NegativeZero eq 0",
		"PartitionKey gt 'o' and RowKey le '\uFFFD'", "Timestamp eq datetime'0001-01-01' or Last gt datetime'2020-01-01'",
		"Binary lt X'01' or Guid ge guid'01000000-0000-0000-0000-000000000000' or Missing eq 1",
	} {
		f.Add(text, samplePayload())
	}
	f.Fuzz(func(t *testing.T, text string, payload []byte) {
		x, err := filter.Parse(text)
		if err != nil {
			return
		}
		if b := openAny(t, payload, encoding.Block); b != nil {
			checkMatcher(t, x, b)
		}
	})
}
