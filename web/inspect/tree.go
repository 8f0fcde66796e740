package inspect

import (
	"strconv"

	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/odata/rowfile"
)

// Node is a part of a filter. A comparison has a property, an operator in words
// and a value; "all of", "any of" and "not" have parts.
type Node struct {
	Group    string // "all of", "any of", "not"; "" for a condition
	Property string
	Operator string
	Value    string
	Type     string // of the value, such as "Int32"
	Parts    []Node
}

// words are the operators as a person reads them.
var words = map[filter.Operator]string{
	filter.Equal: "is", filter.NotEqual: "is not", filter.GreaterThan: "is greater than", filter.GreaterThanOrEqual: "is at least",
	filter.LessThan: "is less than", filter.LessThanOrEqual: "is at most",
}

// Tree returns a filter as a tree. The error is that of [filter.Parse].
func Tree(text string) (Node, error) {
	x, err := filter.Parse(text)
	if err != nil {
		return Node{}, err
	}
	return nodeOf(x), nil
}

func nodeOf(x filter.Expr) Node {
	switch x := x.(type) {
	case *filter.And:
		return Node{Group: "all of", Parts: nodesOf(x.Operands)}
	case *filter.Or:
		return Node{Group: "any of", Parts: nodesOf(x.Operands)}
	case *filter.Not:
		return Node{Group: "not", Parts: []Node{nodeOf(x.Operand)}}
	case *filter.Comparison:
		return Node{Property: x.Property, Operator: words[x.Operator], Value: shown(x.Constant), Type: typeName(x.Constant)}
	case *filter.Property:
		return Node{Property: x.Name, Operator: "is", Value: "true", Type: "Boolean"}
	case *filter.Constant:
		return Node{Value: shown(x.Value), Type: typeName(x.Value)}
	}
	return Node{Value: "everything"} // no filter
}

func nodesOf(all []filter.Expr) []Node {
	nodes := make([]Node, len(all))
	for i, x := range all {
		nodes[i] = nodeOf(x)
	}
	return nodes
}

func shown(v odata.Value) string {
	if v.Type() == odata.EdmString {
		return strconv.Quote(v.Text())
	}
	return rowfile.Text(v)
}

func typeName(v odata.Value) string {
	const prefix = len("Edm.")
	return v.Type().String()[prefix:]
}
