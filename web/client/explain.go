package client

import (
	"cmp"
	"strconv"
	"strings"
)

// The plans of queries, from the cheapest to the most expensive.
const (
	PlanPoint         = "point"          // at most one key
	PlanRowRange      = "row range"      // within one partition
	PlanPartitionScan = "partition scan" // the whole of one partition
	PlanTableScan     = "table scan"     // more than one partition
)

// Explain says what a query did, and how much it read. The zero Explain comes
// from an endpoint that does not report it.
type Explain struct {
	Kind     string // its plan, such as PlanPoint
	Blocks   int
	Examined int
	Returned int
}

// ParseExplain reads the header in which Sandtable explains a query, such as
// "kind=row range;blocks=2;examined=52;returned=48". Parts that it does not
// know it passes over.
func ParseExplain(header string) Explain {
	var e Explain
	for _, part := range strings.Split(header, ";") {
		name, value, _ := strings.Cut(part, "=")
		n, _ := strconv.Atoi(value)
		switch strings.TrimSpace(name) {
		case "kind":
			e.Kind = value
		case "blocks":
			e.Blocks = n
		case "examined":
			e.Examined = n
		case "returned":
			e.Returned = n
		}
	}
	return e
}

// Plus returns what two pages of one query did together.
func (e Explain) Plus(next Explain) Explain {
	e.Kind = cmp.Or(e.Kind, next.Kind)
	e.Blocks += next.Blocks
	e.Examined += next.Examined
	e.Returned += next.Returned
	return e
}
