package keydesign

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/odata/rowfile"
	"sandtable/web/client"
)

// Part is a candidate for a part of a partition key: a property, or something that is
// computed from it.
type Part struct {
	Property string // may be PartitionKey or RowKey
	Of       string // "", "year", "month", "day", "start" (the first character) or "hash" (of 16)
}

// String returns it in words, such as "month of OrderedAt".
func (p Part) String() string {
	switch p.Of {
	case "":
		return p.Property
	case "start":
		return "first letter of " + p.Property
	case "hash":
		return "hash of " + p.Property
	}
	return p.Of + " of " + p.Property
}

// value returns the part of an entity's key.
func (p Part) value(e *odata.Entity) string {
	v, ok := client.ValueOf(e, p.Property)
	if !ok {
		return ""
	}
	return p.of(v)
}

func (p Part) of(v odata.Value) string {
	text := rowfile.Text(v)
	switch p.Of {
	case "year":
		return text[:min(len(text), 4)]
	case "month":
		return text[:min(len(text), 7)]
	case "day":
		return text[:min(len(text), 10)]
	case "start":
		for _, r := range text {
			return strings.ToUpper(string(r))
		}
	case "hash":
		h := fnv.New32a()
		h.Write([]byte(text))
		return strconv.FormatUint(uint64(h.Sum32()%16), 16)
	}
	return text
}

// Parts returns the parts that entities like these can have, the keys first.
func Parts(entities []*odata.Entity) (all []Part) {
	types := map[string]odata.Type{odata.PartitionKeyName: odata.EdmString, odata.RowKeyName: odata.EdmString}
	for _, e := range entities[:min(len(entities), 1000)] {
		for _, p := range e.Properties {
			types[p.Name] = p.Value.Type()
		}
	}
	for name, t := range types {
		switch t {
		case odata.EdmDateTime:
			for _, of := range []string{"day", "month", "year"} {
				all = append(all, Part{name, of})
			}
		case odata.EdmString:
			all = append(all, Part{name, ""}, Part{name, "start"}, Part{name, "hash"})
		case odata.EdmBinary, odata.EdmDouble:
		default:
			all = append(all, Part{name, ""})
		}
	}
	rank := func(p Part) int {
		return slices.Index([]string{odata.RowKeyName, odata.PartitionKeyName}, p.Property)
	}
	slices.SortFunc(all, func(a, b Part) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), strings.Compare(a.Property, b.Property), strings.Compare(a.Of, b.Of))
	})
	return all
}

// Key returns the partition key that an entity would have.
func Key(parts []Part, e *odata.Entity) string {
	values := make([]string, len(parts))
	for i, p := range parts {
		values[i] = p.value(e)
	}
	return strings.Join(values, "_")
}

// Spread is how entities are spread over partitions.
type Spread struct {
	Partitions, Median, Largest int
	Batches                     int // entity group transactions of up to 100 that write all of it
	Sizes                       []Size
	BusiestShare                float64 // of the recent writes, -1 without any
}

// Size counts the partitions of a range of sizes.
type Size struct {
	Label string
	Count int
}

// SpreadOf counts partitions; keys has the key of each entity, and written those of
// recent writes.
func SpreadOf(keys []string, written []string) Spread {
	counts := map[string]int{}
	for _, k := range keys {
		counts[k]++
	}
	s := Spread{Partitions: len(counts), BusiestShare: -1}
	sizes := make([]int, 0, len(counts))
	for _, n := range counts {
		sizes = append(sizes, n)
		s.Batches += (n + 99) / 100
	}
	slices.Sort(sizes)
	if len(sizes) > 0 {
		s.Median, s.Largest = sizes[len(sizes)/2], sizes[len(sizes)-1]
	}
	s.Sizes = histogram(sizes)
	if len(written) > 0 {
		writes, most := map[string]int{}, 0
		for _, k := range written {
			writes[k]++
			most = max(most, writes[k])
		}
		s.BusiestShare = float64(most) / float64(len(written))
	}
	return s
}

// histogram groups sizes, in order, by powers of two from five on.
func histogram(sizes []int) (all []Size) {
	from, to := 1, 1
	for i := 0; i < len(sizes); {
		n := 0
		for i < len(sizes) && sizes[i] <= to {
			i, n = i+1, n+1
		}
		label := strconv.Itoa(from)
		if to > from {
			label += "–" + strconv.Itoa(to)
		}
		if n > 0 || len(all) > 0 {
			all = append(all, Size{label, n})
		}
		if from = to + 1; from <= 4 {
			to = from
		} else {
			to = 2 * (from - 1)
		}
	}
	return all
}

// Plan is how a query would be answered with another key.
type Plan struct {
	Kind     string
	Examined int
}

// PlanOf returns how a filter would be answered if the parts were the partition
// key, and how many of the entities it would examine.
func PlanOf(parts []Part, x filter.Expr, entities []*odata.Entity) Plan {
	fixed := equalities(x)
	var leading []Part
	for _, p := range parts {
		if _, ok := fixed[p.Property]; !ok {
			break
		}
		leading = append(leading, p)
	}
	kind := client.PlanTableScan // even if it is bounded by leading parts
	if len(leading) == len(parts) && len(parts) > 0 {
		kind = client.PlanPartitionScan
	}
	plan := Plan{Kind: kind}
	for _, e := range entities {
		matches := true
		for _, p := range leading {
			matches = matches && p.value(e) == p.of(fixed[p.Property])
		}
		if matches {
			plan.Examined++
		}
	}
	return plan
}

// equalities returns the properties that a filter compares for equality, where all
// its conditions have to hold.
func equalities(x filter.Expr) map[string]odata.Value {
	all := map[string]odata.Value{}
	operands := []filter.Expr{x}
	if and, ok := x.(*filter.And); ok {
		operands = and.Operands
	}
	for _, o := range operands {
		if c, ok := o.(*filter.Comparison); ok && c.Operator == filter.Equal {
			all[c.Property] = c.Constant
		}
	}
	return all
}
