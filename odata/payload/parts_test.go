package payload

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		name, text string
		split      func([]byte) ([]Part, error)
		want       string
		err        error
	}{
		{"object", ` {"a" : 1.5, "b\"":[ {"c":"}"} , null ],"d":{}} `, SplitObject, `a=1.5|b"=[ {"c":"}"} , null ]|d={}`, nil},
		{"empty object", `{}`, SplitObject, ``, nil},
		{"array", `[{"a":"]"}, 2 ,"x"]`, SplitArray, `={"a":"]"}|=2|="x"`, nil},
		{"empty array", ` [ ] `, SplitArray, ``, nil},
		{"twice", `{"a":1,"a":2}`, SplitObject, ``, ErrDuplicateProperty},
		{"an array for an object", `[1]`, SplitObject, ``, ErrSyntax},
		{"an object for an array", `{"a":1}`, SplitArray, ``, ErrSyntax},
		{"cut", `[{"a":1}`, SplitArray, ``, ErrSyntax},
		{"more behind it", `[] []`, SplitArray, ``, ErrSyntax},
		{"no value", `{"a":}`, SplitObject, ``, ErrSyntax},
		{"too deep", strings.Repeat("[", 100) + strings.Repeat("]", 100), SplitArray, ``, ErrSyntax},
		{"invalid UTF-8", "[\"\xff\"]", SplitArray, ``, ErrSyntax},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			parts, err := test.split([]byte(test.text))
			if !errors.Is(err, test.err) {
				t.Fatalf("error %v, want %v", err, test.err)
			}
			var got []string
			for _, p := range parts {
				got = append(got, p.Name+"="+string(p.JSON))
			}
			if text := strings.Join(got, "|"); err == nil && text != test.want {
				t.Errorf("got %s, want %s", text, test.want)
			}
		})
	}
}

// FuzzSplit: what is split is valid JSON, and all of it is there.
func FuzzSplit(f *testing.F) {
	for _, text := range []string{`{"a":1,"b":[{}]}`, `[1,{"a":"]"},null]`, `{`, `[[[[`, "[\"\\ud800\"]", `{"a":1e999}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if parts, err := SplitArray(text); err == nil {
			var all []json.RawMessage
			if err := json.Unmarshal(trimmed(text), &all); err != nil || len(all) != len(parts) {
				t.Fatalf("%d elements of %q, encoding/json has %d, %v", len(parts), text, len(all), err)
			}
		}
		if parts, err := SplitObject(text); err == nil {
			var all map[string]json.RawMessage
			if err := json.Unmarshal(trimmed(text), &all); err != nil || len(all) != len(parts) {
				t.Fatalf("%d members of %q, encoding/json has %d, %v", len(parts), text, len(all), err)
			}
		}
	})
}

// trimmed removes a byte order mark, which encoding/json refuses.
func trimmed(text []byte) []byte { return []byte(strings.TrimPrefix(string(text), "\uFEFF")) }
