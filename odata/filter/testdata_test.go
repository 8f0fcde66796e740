package filter

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sandtable/odata"
)

// block is a case of a file in testdata: lines up to the next line "---".
// Empty lines and those that start with "# " are ignored.
type block struct {
	line  int // of the first line, for messages
	lines []string
}

func readBlocks(t *testing.T, file string) []block {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block
	current := block{}
	for i, line := range strings.Split(string(text)+"---", "\n") {
		switch {
		case line == "---":
			blocks = append(blocks, current)
			current = block{}
		case isRemark(line):
		default:
			if current.lines == nil {
				current.line = i + 1
			}
			current.lines = append(current.lines, line)
		}
	}
	if len(blocks) < 5 {
		t.Fatalf("%s has only %d cases", file, len(blocks))
	}
	return blocks
}

// mustParse parses a valid filter.
func mustParse(t testing.TB, text string) Expr {
	t.Helper()
	x, err := Parse(text)
	if err != nil {
		t.Fatalf("parse %s: %v", text, err)
	}
	return x
}

// mustValue parses a constant of a filter.
func mustValue(t testing.TB, text string) odata.Value {
	t.Helper()
	x, ok := mustParse(t, "A eq "+text).(*Comparison)
	if !ok {
		t.Fatalf("%s is no constant", text)
	}
	return x.Constant
}

// sexpr writes a tree as an s-expression: unlike a printed filter it shows
// every node.
func sexpr(x Expr) string {
	switch x := x.(type) {
	case *Comparison:
		return "(" + x.Operator.String() + " " + x.Property + " " + string(appendLiteral(nil, x.Constant)) + ")"
	case *Property:
		return x.Name
	case *Constant:
		return string(appendLiteral(nil, x.Value))
	case *Not:
		return "(not " + sexpr(x.Operand) + ")"
	case *And:
		return "(and" + sexprs(x.Operands) + ")"
	case *Or:
		return "(or" + sexprs(x.Operands) + ")"
	default:
		return "?"
	}
}

func sexprs(operands []Expr) string {
	var text strings.Builder
	for _, x := range operands {
		text.WriteString(" " + sexpr(x))
	}
	return text.String()
}

// readLines returns the lines of a file in testdata that is one block.
func readLines(t testing.TB, file string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(string(text), "\n"), isRemark)
}

func isRemark(line string) bool { return line == "" || strings.HasPrefix(line, "# ") }

// equal reports whether two filters are the same except for their positions.
func equal(x, y Expr) bool {
	switch x := x.(type) {
	case *Comparison:
		y, ok := y.(*Comparison)
		return ok && x.Property == y.Property && x.Operator == y.Operator && x.Constant.Equal(y.Constant)
	case *Property:
		y, ok := y.(*Property)
		return ok && x.Name == y.Name
	case *Constant:
		y, ok := y.(*Constant)
		return ok && x.Value.Equal(y.Value)
	case *Not:
		y, ok := y.(*Not)
		return ok && equal(x.Operand, y.Operand)
	case *And:
		y, ok := y.(*And)
		return ok && slices.EqualFunc(x.Operands, y.Operands, equal)
	case *Or:
		y, ok := y.(*Or)
		return ok && slices.EqualFunc(x.Operands, y.Operands, equal)
	default:
		return false
	}
}
