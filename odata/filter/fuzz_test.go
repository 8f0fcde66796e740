package filter

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"sandtable/odata"
)

// FuzzParse: every text parses or returns one of the three kinds of errors, a filter's
// string parses to the same filter, and its matches are within its bounds.
func FuzzParse(f *testing.F) {
	seed(f)
	r := rand.New(rand.NewPCG(5, 6))
	entities := randomEntities(f, r)
	f.Fuzz(func(t *testing.T, text string) {
		x, err := Parse(text)
		if err != nil {
			checkError(t, text, err)
			return
		}
		printed := x.String()
		y, err := Parse(printed)
		if err != nil {
			t.Fatalf("%q printed as %q: %v", text, printed, err)
		}
		if !equal(x, y) || y.String() != printed {
			t.Fatalf("%q printed as %q is %s, want %s", text, printed, sexpr(y), sexpr(x))
		}
		bounds := Bounds(x)
		for _, e := range entities {
			if Match(x, e) && !bounds.Contains(e.Key()) {
				t.Fatalf("%q matches %q, outside of %v", text, e.Key(), bounds)
			}
		}
	})
}

// seed adds the filters of testdata.
func seed(f *testing.F) {
	for _, file := range []string{"parse.txt", "errors.txt", "match.txt", "bounds.txt"} {
		for _, line := range readLines(f, file) {
			f.Add(line)
		}
	}
}

func checkError(t *testing.T, text string, err error) {
	t.Helper()
	var syntax *SyntaxError
	var types *TypeError
	units := odata.UTF16Len(strings.ToValidUTF8(text, "\uFFFD"))
	switch {
	case errors.As(err, &syntax) && (syntax.Position < 0 || syntax.Position > units):
		t.Fatalf("%q: position %d of %d", text, syntax.Position, units)
	case errors.As(err, &types) && types.Position < 0:
		t.Fatalf("%q: position %d", text, types.Position)
	case errors.As(err, &syntax), errors.As(err, &types), errors.Is(err, ErrNotImplemented):
		if err.Error() == "" {
			t.Fatalf("%q: error without a text", text)
		}
	default:
		t.Fatalf("%q: error of no known kind: %v", text, err)
	}
}
