package filter

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sandtable/odata"
)

func TestParse(t *testing.T) {
	for _, b := range readBlocks(t, "parse.txt") {
		text, tree, printed := b.lines[0], b.lines[1], b.lines[0]
		if len(b.lines) > 2 {
			printed = b.lines[2]
		}
		t.Run(text, func(t *testing.T) {
			x, err := Parse(text)
			if err != nil {
				t.Fatalf("parse.txt:%d: %v", b.line, err)
			}
			if got := sexpr(x); got != tree {
				t.Errorf("parse.txt:%d: tree is\n%s, want\n%s", b.line, got, tree)
			}
			if got := x.String(); got != printed {
				t.Errorf("parse.txt:%d: prints\n%s, want\n%s", b.line, got, printed)
			}
			if got := string(x.AppendText([]byte("$filter="))); got != "$filter="+x.String() {
				t.Errorf("AppendText gives %s", got)
			}
			if y := mustParse(t, x.String()); !equal(x, y) {
				t.Errorf("parse.txt:%d: printed and parsed again it is\n%s, want\n%s", b.line, sexpr(y), tree)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, b := range readBlocks(t, "errors.txt") {
		t.Run(b.lines[0], func(t *testing.T) {
			x, err := Parse(b.lines[0])
			if err == nil {
				t.Fatalf("errors.txt:%d: parsed as %s", b.line, sexpr(x))
			}
			if x != nil {
				t.Errorf("errors.txt:%d: an Expr with the error", b.line)
			}
			if got := describe(err); !slices.Equal(got, b.lines[1:]) {
				t.Errorf("errors.txt:%d: %s\ngot\n%s\nwant\n%s", b.line, b.lines[0],
					strings.Join(got, "\n"), strings.Join(b.lines[1:], "\n"))
			}
		})
	}
}

// describe formats an error as in errors.txt.
func describe(err error) []string {
	var syntax *SyntaxError
	var types *TypeError
	switch {
	case errors.As(err, &syntax):
		return []string{strings.Repeat(" ", syntax.Position) + "^", "syntax: " + syntax.Error()}
	case errors.As(err, &types):
		return []string{strings.Repeat(" ", types.Position) + "^", "type: " + types.Error()}
	case errors.Is(err, ErrNotImplemented):
		return []string{"not implemented"}
	default:
		return []string{err.Error()}
	}
}

func TestParseLiteralTypes(t *testing.T) {
	for text, want := range map[string]odata.Type{
		"'x'": odata.EdmString, "X'00'": odata.EdmBinary, "true": odata.EdmBoolean,
		"datetime'2020-01-01'": odata.EdmDateTime, "NaN": odata.EdmDouble, "-INF": odata.EdmDouble,
		"guid'c9da6455-213d-42c9-9a79-3e9149a57833'": odata.EdmGuid,
		"3":  odata.EdmInt32,
		"3L": odata.EdmInt64, "3l": odata.EdmInt64, "2147483648L": odata.EdmInt64,
		"3.0": odata.EdmDouble, "3D": odata.EdmDouble, "3d": odata.EdmDouble, "1E3": odata.EdmDouble,
		"2147483648.0": odata.EdmDouble, "9223372036854775808D": odata.EdmDouble,
		"DateTime'2020-01-01'": odata.EdmDateTime, "Binary'00'": odata.EdmBinary,
		"GUID'c9da6455-213d-42c9-9a79-3e9149a57833'": odata.EdmGuid,
	} {
		t.Run(text, func(t *testing.T) {
			if got := mustValue(t, text).Type(); got != want {
				t.Errorf("type is %s, want %s", got, want)
			}
		})
	}
}

func TestParseEmpty(t *testing.T) {
	for _, text := range []string{"", " ", "\t\u00a0"} {
		_, err := Parse(text)
		want := fmt.Sprintf("Expression expected at position %d in '%s'.", odata.UTF16Len(text), text)
		if err == nil || err.Error() != want {
			t.Errorf("Parse(%q) = %v, want %s", text, err, want)
		}
	}
}

func TestPositionsCountUTF16(t *testing.T) {
	_, err := Parse("A eq '🔑é' 'x'")
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || syntax.Position != 14 {
		t.Errorf("error is %v, want position 14", err)
	}
	x := mustParse(t, "'🔑é' eq A  or (not (B eq 1))").(*Or)
	for i, want := range []int{0, 16} {
		if got := x.Operands[i].Position(); got != want {
			t.Errorf("position of %s is %d, want %d", x.Operands[i], got, want)
		}
	}
	if got := x.Operands[1].(*Not).Operand.Position(); got != 21 {
		t.Errorf("position below not is %d, want 21", got)
	}
}

func TestParseInvalidUTF8(t *testing.T) {
	x := mustParse(t, "A eq 'a\xffb'")
	if got, want := x.String(), "A eq 'a\uFFFDb'"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := Parse("\xff eq 1"); err == nil {
		t.Error("a name that is no UTF-8 was parsed")
	}
}

// nested returns a filter within n levels of something.
func nested(opening string, n int, inner, closing string) string {
	return strings.Repeat(opening, n) + inner + strings.Repeat(closing, n)
}

func TestParseDepth(t *testing.T) {
	for _, c := range []struct{ name, opening, inner, closing string }{
		{"parentheses", "(", "A eq 1", ")"},
		{"not", "not ", "A eq 1", ""},
		{"not and parentheses", "not (", "A eq 1", ")"},
		{"and below or", "A or B and (", "C", ")"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := mustParse(t, nested(c.opening, maxDepth, c.inner, c.closing))
			if y := mustParse(t, x.String()); !equal(x, y) {
				t.Errorf("printed and parsed again it is %s, want %s", sexpr(y), sexpr(x))
			}
			wantTooDeep(t, nested(c.opening, maxDepth+1, c.inner, c.closing))
		})
	}
	for _, opening := range []string{"(", "not ", "not (", "-", "f(", "A eq (", "A or not ("} {
		wantTooDeep(t, nested(opening, 1_000_000, "A", ""))
	}
}

// TestParseWide: operands next to each other are no deeper than one.
func TestParseWide(t *testing.T) {
	for _, operand := range []string{"(A)", "not A", "not (A)", "f(A)", "-A"} {
		_, err := Parse(operand + strings.Repeat(" or "+operand, 2*maxDepth))
		if syntax := (*SyntaxError)(nil); errors.As(err, &syntax) {
			t.Errorf("many of %q: %.100v", operand, err)
		}
	}
}

func wantTooDeep(t *testing.T, text string) {
	t.Helper()
	_, err := Parse(text)
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || err.Error() != "Recursion depth exceeded allowed limit." {
		t.Errorf("error of %.40q… is %.200v", text, err)
	}
}

// Long chains are flat: they are no deeper than short ones.
func TestParseLongChains(t *testing.T) {
	for _, joint := range []string{" and ", " or ", " or B and "} {
		text := strings.Repeat("A eq 1"+joint, maxOperands/4-1) + "A eq 1"
		x := mustParse(t, text)
		if x.String() != text {
			t.Errorf("chain of %q does not print as it was", joint)
		}
		Match(x, &odata.Entity{})
		Bounds(x)
	}
}

func TestProperties(t *testing.T) {
	x := mustParse(t, "A eq 1 and (B or not (C lt 2 or A gt 3)) and true and 'x' eq RowKey")
	want := []string{"A", "B", "C", "A", "RowKey"}
	if got := slices.Collect(Properties(x)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for name := range Properties(x) {
		if name == "C" {
			t.Error("the iteration continued after its end")
		}
		if name == "B" {
			break
		}
	}
	if got := slices.Collect(Properties(nil)); len(got) != 0 {
		t.Errorf("no filter names %v", got)
	}
}

func TestOperatorString(t *testing.T) {
	for o, want := range map[Operator]string{
		Equal: "eq", NotEqual: "ne", GreaterThan: "gt", GreaterThanOrEqual: "ge",
		LessThan: "lt", LessThanOrEqual: "le", 0: "", 99: "",
	} {
		if got := o.String(); got != want {
			t.Errorf("Operator(%d) is %q, want %q", o, got, want)
		}
	}
}

// TestManyOperands: the cost of a filter for one entity has a limit, far beyond
// what the documentation allows. Constants count as properties do.
func TestManyOperands(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		ok   bool
	}{{"fifteen", 15, true}, {"the most", maxOperands, true}, {"one more", maxOperands, false}, {"a long URL", 100_000, false}} {
		t.Run(c.name, func(t *testing.T) {
			for _, operand := range []string{"a", "not a", "true", "not false", "INF eq a", "a eq 1", "'x' eq a"} {
				n := c.n / len(strings.Split(strings.ReplaceAll(operand, "not ", ""), " eq "))
				if !c.ok {
					n++
				}
				_, err := Parse(operand + strings.Repeat(" or "+operand, n-1))
				if syntax := (*SyntaxError)(nil); errors.As(err, &syntax) == c.ok {
					t.Errorf("%d times %q: %.100v", n, operand, err)
				}
			}
		})
	}
}

// TestErrorMemory: a message has the filter's text, and only one message is made. In a
// batch a filter can be as long as a body.
func TestErrorMemory(t *testing.T) {
	for _, open := range []string{"(", "not (", "f(", "f(a,"} {
		text := strings.Repeat(open, 1<<20/len(open))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Parse(text); err == nil {
			t.Errorf("%q: no error", open)
		}
		runtime.ReadMemStats(&after)
		if got, limit := after.TotalAlloc-before.TotalAlloc, 8*uint64(len(text)); got > limit {
			t.Errorf("%q: allocated %d bytes for %d, want at most %d", open, got, len(text), limit)
		}
	}
}
