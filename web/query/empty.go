package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/odata/rowfile"
)

// Reason is why a query returned nothing.
type Reason struct {
	Text string
	Try  string // a filter that may return something, "" for none
}

// WhyEmpty explains from the data why a filter matches nothing: a property that
// no entity has, a value of another type than the property has, or a partition that
// does not exist. One correction may need another, so each is explained and applied
// until nothing is left to correct. partitions are the keys of all partitions, and
// nil if they are not known.
func WhyEmpty(text string, properties []Property, partitions []string) *Reason {
	if len(properties) == 0 {
		return nil
	}
	var all *Reason
	for r := mistake(text, properties, partitions); r != nil; r = mistake(r.Try, properties, partitions) {
		if all != nil {
			r.Text = all.Text + " " + r.Text
		}
		if all = r; r.Try == "" {
			break
		}
	}
	return all
}

// mistake explains the first comparison that cannot match, or returns nil.
func mistake(text string, properties []Property, partitions []string) *Reason {
	x, err := filter.Parse(text)
	if err != nil {
		return nil
	}
	var comparisons []*filter.Comparison
	collect(x, &comparisons)
	for _, c := range comparisons {
		i := slices.IndexFunc(properties, func(p Property) bool { return p.Name == c.Property })
		if i < 0 {
			return unknownProperty(text, c.Property, properties)
		}
		if r := wrongType(x, c, properties[i]); r != nil {
			return r
		}
		if r := unknownPartition(x, c, partitions); r != nil {
			return r
		}
	}
	return nil
}

func collect(x filter.Expr, all *[]*filter.Comparison) {
	switch x := x.(type) {
	case *filter.Comparison:
		*all = append(*all, x)
	case *filter.And:
		for _, operand := range x.Operands {
			collect(operand, all)
		}
	}
}

func unknownProperty(text, name string, properties []Property) *Reason {
	r := &Reason{Text: "No loaded entity has a property " + name + "."}
	names := make([]string, len(properties))
	for i, p := range properties {
		names[i] = p.Name
	}
	if like := nearest(name, names); like != "" {
		r.Text += " Did you mean " + like + "?"
		if renamed := rename(text, name, like); renamed != text { // a property "ge" reads as an operator
			r.Try = renamed
		}
	}
	return r
}

// maxMisspelt limits, in bytes, the names that are compared letter by letter: a
// table may have thousands of long keys.
const maxMisspelt = 32

// nearest returns the name that is nearest to a wrong one, "" if none is near.
func nearest(wrong string, names []string) string {
	best, found := 3, ""
	for _, name := range names {
		if strings.EqualFold(name, wrong) {
			return name
		}
		if len(wrong) > maxMisspelt || max(len(name)-len(wrong), len(wrong)-len(name)) >= best {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(wrong)); d < best && d < len(wrong) {
			best, found = d, name
		}
	}
	return found
}

func rename(text, from, to string) string {
	var b strings.Builder
	for _, w := range Words(text) {
		if w.Kind == Name && w.Text == from {
			b.WriteString(to)
		} else {
			b.WriteString(w.Text)
		}
	}
	return b.String()
}

// wrongType explains a value of a type that the property's values cannot be compared
// with: they all count as smaller.
func wrongType(x filter.Expr, c *filter.Comparison, p Property) *Reason {
	given := c.Constant.Type()
	if _, ok := c.ConstantFor(p.Type); ok || p.Type == 0 || given == 0 || c.Operator.Holds(-1) {
		return nil
	}
	r := &Reason{Text: fmt.Sprintf("%s is %s here; %s is %s, which never matches.",
		p.Name, short(p.Type), LiteralOf(c.Constant), article(short(given)))}
	v, err := rowfile.Parse(p.Type, rowfile.Text(c.Constant))
	if err != nil {
		return r
	}
	changed := *c
	changed.Constant = v
	r.Try = replace(x, c, &changed).String()
	return r
}

// unknownPartition explains a comparison with a partition that does not exist.
func unknownPartition(x filter.Expr, c *filter.Comparison, partitions []string) *Reason {
	if c.Property != odata.PartitionKeyName || c.Operator != filter.Equal || partitions == nil {
		return nil
	}
	key := c.Constant.Text()
	if slices.Contains(partitions, key) {
		return nil
	}
	r := &Reason{Text: "There is no partition " + LiteralOf(c.Constant) + "."}
	if like := nearest(key, partitions); like != "" {
		changed := *c
		changed.Constant = odata.StringValue(like)
		r.Text += " Did you mean " + LiteralOf(changed.Constant) + "?"
		r.Try = replace(x, c, &changed).String()
	}
	return r
}

func replace(x filter.Expr, old, new *filter.Comparison) filter.Expr {
	switch x := x.(type) {
	case *filter.Comparison:
		if x == old {
			return new
		}
	case *filter.And:
		copied := *x
		copied.Operands = slices.Clone(x.Operands)
		for i, operand := range copied.Operands {
			copied.Operands[i] = replace(operand, old, new)
		}
		return &copied
	}
	return x
}

func short(t odata.Type) string { return strings.TrimPrefix(t.String(), "Edm.") }

func article(name string) string {
	if strings.IndexByte("AEIOUaeiou", name[0]) >= 0 {
		return "an " + name
	}
	return "a " + name
}

// distance is the Levenshtein distance.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}

// Where returns the problem's position, for a message.
func (p *Problem) Where() string { return "Column " + strconv.Itoa(p.Column) }
