package query

import (
	"strings"
	"unicode"

	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/odata/rowfile"
)

// Operator is an operator of the builder, in its own words.
type Operator string

// The operators. Contains is not the service's: the page leaves rows out itself.
const (
	Equals    Operator = "equals"
	NotEquals Operator = "not equal to"
	AtLeast   Operator = "at least"
	MoreThan  Operator = "more than"
	AtMost    Operator = "at most"
	LessThan  Operator = "less than"
	Begins    Operator = "begins with"
	Contains  Operator = "contains"
)

// Operators are all of them, in the order of the menu.
var Operators = []Operator{Equals, NotEquals, AtLeast, MoreThan, AtMost, LessThan, Begins, Contains}

var symbols = map[Operator]string{Equals: "eq", NotEquals: "ne", AtLeast: "ge", MoreThan: "gt", AtMost: "le", LessThan: "lt"}

var namesOf = map[filter.Operator]Operator{filter.Equal: Equals, filter.NotEqual: NotEquals, filter.GreaterThanOrEqual: AtLeast,
	filter.GreaterThan: MoreThan, filter.LessThanOrEqual: AtMost, filter.LessThan: LessThan}

// Clause is a condition of the builder. All clauses of a query hold.
type Clause struct {
	Property string
	Operator Operator
	Type     odata.Type // of the value
	Text     string     // the value as the user enters it
}

// Clauses returns the clauses of a filter. It reports false for one that the
// builder cannot show: with or, not, or a condition of another form.
func Clauses(text string) ([]Clause, bool) {
	if strings.TrimSpace(text) == "" {
		return nil, true
	}
	x, err := filter.Parse(text)
	if err != nil {
		return nil, false
	}
	parts := []filter.Expr{x}
	if and, ok := x.(*filter.And); ok {
		parts = and.Operands
	}
	var all []Clause
	for i := 0; i < len(parts); i++ {
		if c, ok := prefixClause(parts[i:]); ok {
			all = append(all, c)
			i++
			continue
		}
		c, ok := clauseOf(parts[i])
		if !ok {
			return nil, false
		}
		all = append(all, c)
	}
	return all, true
}

func clauseOf(x filter.Expr) (Clause, bool) {
	switch x := x.(type) {
	case *filter.Comparison:
		c := Clause{x.Property, namesOf[x.Operator], x.Constant.Type(), rowfile.Text(x.Constant)}
		_, err := rowfile.Parse(c.Type, c.Text) // no null, and no date that entities cannot have
		return c, err == nil
	case *filter.Property:
		return Clause{x.Name, Equals, odata.EdmBoolean, "true"}, true
	}
	return Clause{}, false
}

// prefixClause reads the two conditions as which begins-with is written.
func prefixClause(parts []filter.Expr) (Clause, bool) {
	if len(parts) < 2 {
		return Clause{}, false
	}
	from, ok := parts[0].(*filter.Comparison)
	to, ok2 := parts[1].(*filter.Comparison)
	if !ok || !ok2 || from.Property != to.Property || from.Operator != filter.GreaterThanOrEqual || to.Operator != filter.LessThan ||
		from.Constant.Type() != odata.EdmString || to.Constant.Type() != odata.EdmString {
		return Clause{}, false
	}
	prefix := from.Constant.Text()
	if end, ok := prefixEnd(prefix); !ok || end != to.Constant.Text() {
		return Clause{}, false
	}
	return Clause{from.Property, Begins, odata.EdmString, prefix}, true
}

// prefixEnd returns the first string after all that begin with a prefix, in the
// order of the service, that of UTF-16. A prefix of nothing but the last characters has none.
func prefixEnd(prefix string) (string, bool) {
	runes := []rune(prefix)
	for i := len(runes) - 1; i >= 0; i-- {
		switch runes[i] {
		case 0xD7FF, 0xFFFF, unicode.MaxRune: // what follows has another number of code units, or is no character
		default:
			runes[i]++
			return string(runes[:i+1]), true
		}
	}
	return "", false
}

// Compile writes clauses as a filter. What they contain beyond that is the text
// that the page filters by itself, see [PostFilter]. A clause whose value is not
// of its type is written as it was entered, for the parser to refuse.
func Compile(clauses []Clause) (text string, post PostFilter) {
	var parts []string
	for _, c := range clauses {
		switch {
		case c.Property == "" && c.Operator != Contains:
		case c.Operator == Contains:
			post = PostFilter{c.Property, c.Text}
		case c.Operator == Begins:
			parts = append(parts, beginsWith(c.Property, c.Text))
		default:
			parts = append(parts, c.Property+" "+symbols[c.Operator]+" "+Literal(c.Type, c.Text))
		}
	}
	return strings.Join(parts, " and "), post
}

// beginsWith writes begins-with as a range.
func beginsWith(property, prefix string) string {
	text := property + " ge " + Quote(prefix)
	if end, ok := prefixEnd(prefix); ok {
		text += " and " + property + " lt " + Quote(end)
	}
	return text
}

// Literal writes a value of a type for a filter.
func Literal(t odata.Type, text string) string {
	v, err := rowfile.Parse(t, text)
	if err != nil {
		if t == odata.EdmString {
			return Quote(text)
		}
		return text
	}
	return LiteralOf(v)
}

// LiteralOf writes a value for a filter, through the parser's own printing.
func LiteralOf(v odata.Value) string {
	x := filter.Comparison{Property: "P", Operator: filter.Equal, Constant: v}
	return strings.TrimPrefix(x.String(), "P eq ")
}

// PostFilter leaves out rows in which a text does not occur. The service has no
// such condition: the page reads all rows and looks itself.
type PostFilter struct {
	Property string // "" for any
	Text     string
}

// ParsePostFilter reads what String returns.
func ParsePostFilter(text string) PostFilter {
	property, rest, ok := strings.Cut(text, ":")
	if !ok {
		return PostFilter{Text: text}
	}
	return PostFilter{property, rest}
}

// String returns the filter for an address, "" for none.
func (f PostFilter) String() string {
	if f.Text == "" {
		return ""
	}
	return f.Property + ":" + f.Text
}

// Match reports whether the text occurs, in whatever case.
func (f PostFilter) Match(e *odata.Entity) bool {
	if f.Text == "" {
		return true
	}
	text := strings.ToLower(f.Text)
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	switch f.Property {
	case "":
		if has(e.PartitionKey) || has(e.RowKey) {
			return true
		}
	case odata.PartitionKeyName:
		return has(e.PartitionKey)
	case odata.RowKeyName:
		return has(e.RowKey)
	}
	for _, p := range e.Properties {
		if (f.Property == "" || f.Property == p.Name) && !p.Value.IsZero() && has(rowfile.Text(p.Value)) {
			return true
		}
	}
	return false
}
