package filter

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sandtable/odata"
)

// Random filters and entities share a few keys and values, so that some match.
var (
	randomKeys      = []string{"", "a", "a\x00", "b", "🔑", "\uFFFD"}
	randomConstants = []string{"''", "'b'", "1", "2L", "1.5", "NaN", "true", "datetime'2020-01-01'", "X'00'",
		"guid'c9da6455-213d-42c9-9a79-3e9149a57833'"}
	randomNames = []string{"A", "B", "not_", "eq"}
)

func pick[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

// randomFilter returns a filter of at most the given depth.
func randomFilter(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(4) == 0 {
		return randomCondition(r)
	}
	switch r.IntN(5) {
	case 0:
		return "not (" + randomFilter(r, depth-1) + ")"
	case 1:
		return "not " + randomFilter(r, depth-1)
	case 2, 3:
		return "(" + randomFilter(r, depth-1) + ") and " + randomFilter(r, depth-1)
	default:
		return randomFilter(r, depth-1) + " or (" + randomFilter(r, depth-1) + ")"
	}
}

func randomCondition(r *rand.Rand) string {
	left, right := pick(r, randomNames), pick(r, randomConstants)
	switch r.IntN(8) {
	case 0:
		return left
	case 1:
		return fmt.Sprint(r.IntN(2) == 0)
	case 2, 3, 4, 5:
		left = pick(r, []string{odata.PartitionKeyName, odata.PartitionKeyName, odata.RowKeyName})
		right = "'" + pick(r, randomKeys) + "'"
	}
	if r.IntN(4) == 0 {
		left, right = right, left
	}
	return fmt.Sprintf("%s %s %s", left, pick(r, allOperators), right)
}

// randomEntities returns an entity for every pair of keys.
func randomEntities(t testing.TB, r *rand.Rand) []*odata.Entity {
	var all []*odata.Entity
	for _, partition := range randomKeys {
		for _, row := range randomKeys {
			e := &odata.Entity{PartitionKey: partition, RowKey: row}
			for _, name := range randomNames {
				if r.IntN(3) > 0 {
					e.Properties = append(e.Properties, odata.Property{Name: name, Value: mustValue(t, pick(r, randomConstants))})
				}
			}
			all = append(all, e)
		}
	}
	return all
}

// All matches are within the bounds of the filter, where its remainder agrees with it,
// and a filter's string parses to the same filter.
func TestRandomFilters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	entities := randomEntities(t, r)
	matches, empty, bounded, shorter := 0, 0, 0, 0
	for range 5000 {
		text := randomFilter(r, 4)
		x := mustParse(t, text)
		if y := mustParse(t, x.String()); !equal(x, y) {
			t.Fatalf("%s printed as %s is another tree", text, x)
		}
		keys := Bounds(x)
		if keys.IsEmpty() {
			empty++
		} else if keys != (odata.KeyRange{}) {
			bounded++
		}
		remainder := Remainder(x)
		if remainder != x {
			shorter++
		}
		inverted := mustParse(t, "not ("+text+")")
		for _, e := range entities {
			match := Match(x, e)
			if match {
				matches++
				if !keys.Contains(e.Key()) {
					t.Fatalf("%s matches key %q, outside of %s", text, e.Key(), rangeText(keys))
				}
			}
			if keys.Contains(e.Key()) && Match(remainder, e) != match {
				t.Fatalf("%s leaves %v, which does not agree about key %q", text, remainder, e.Key())
			}
			if Match(inverted, e) == match {
				t.Fatalf("%s does not invert for %v", text, e)
			}
		}
	}
	// Filters that match nothing or everything would prove nothing.
	if matches < 25_000 || empty < 250 || bounded < 250 || shorter < 250 {
		t.Errorf("only %d matches, %d empty and %d bounded ranges, %d shorter remainders", matches, empty, bounded, shorter)
	}
}

// For comparisons of keys joined by and, the bounds are the smallest range:
// neither end can be moved towards the other without losing a match.
func TestBoundsOfConjunctionsAreTight(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	// All possible ends of ranges, and keys between any two of them that are not
	// adjacent.
	ends := []string{"", "a", "a\x00", "b", "b\x00", "c", "c\x00"}
	between := []string{"0", "a\x00z", "b\x00z", "c\x00z"}
	for range 3000 {
		var terms []string
		for range 1 + r.IntN(4) {
			terms = append(terms, fmt.Sprintf("%s %s '%s'", pick(r, []string{"PartitionKey", "RowKey"}),
				pick(r, []string{"eq", "ge", "gt", "le", "lt"}), pick(r, []string{"a", "b", "c"})))
		}
		x := mustParse(t, strings.Join(terms, " and "))
		matches := slices.DeleteFunc(slices.Concat(pairs(ends), pairs(append(between, ends...))),
			func(k odata.Key) bool {
				return !Match(x, &odata.Entity{PartitionKey: k.PartitionKey, RowKey: k.RowKey})
			})
		if got, want := Bounds(x), tightest(matches, pairs(ends)); got != want {
			t.Fatalf("bounds of %s are %s, want %s", x, rangeText(got), rangeText(want))
		}
	}
}

func pairs(keys []string) []odata.Key {
	var all []odata.Key
	for _, partition := range keys {
		for _, row := range keys {
			all = append(all, odata.Key{PartitionKey: partition, RowKey: row})
		}
	}
	return all
}

// tightest returns the smallest range with these keys whose ends are among the
// given ends, or that has no upper end.
func tightest(keys, ends []odata.Key) odata.KeyRange {
	if len(keys) == 0 {
		return odata.KeyRange{Bounded: true}
	}
	last := slices.MaxFunc(keys, odata.Key.Compare)
	r := odata.KeyRange{From: slices.MinFunc(keys, odata.Key.Compare)}
	for _, end := range ends {
		if last.Less(end) && (!r.Bounded || end.Less(r.To)) {
			r.To, r.Bounded = end, true
		}
	}
	return r
}
