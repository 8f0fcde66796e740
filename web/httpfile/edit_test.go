package httpfile

import (
	"strings"
	"testing"
)

func TestSetHeaders(t *testing.T) {
	tests := []struct {
		name, file string
		request    int
		want       string
	}{
		{"the first of two", "### a\nGET http://a/\n  ?x=1\nAccept: a\n\n### b\nGET http://b/", 0, "### a\nGET http://a/\n  ?x=1\nAccept: a\nX: 1\n\n### b\nGET http://b/"},
		{"the last, without a header or an end", "GET http://a/\n###\nGET http://b/", 1, "GET http://a/\n###\nGET http://b/\nX: 1"},
		{"before a body", "PUT http://a/\n\n{\"X: 2\": 1}\n", 0, "PUT http://a/\nX: 1\n\n{\"X: 2\": 1}\n"},
		{"in place of another", "GET http://a/\n# X: 3\nx : 2\nB: 1\nX: 4\n\n", 0, "GET http://a/\n# X: 3\nB: 1\nX: 1\n\n"},
		{"before the next without an empty line", "GET http://a/\nA: 1\n###\nGET http://b/", 0, "GET http://a/\nA: 1\nX: 1\n###\nGET http://b/"},
		{"lines of Windows", "GET http://a/\r\nA: 1\r\n\r\nbody", 0, "GET http://a/\r\nA: 1\r\nX: 1\n\r\nbody"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			all, err := Parse(test.file)
			if err != nil {
				t.Fatal(err)
			}
			got := SetHeaders(test.file, all[test.request], []Header{{"X", "1"}})
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			again, err := Parse(got)
			if err != nil || len(again) != len(all) || again[test.request].Header("x") != "1" || again[test.request].Body != all[test.request].Body {
				t.Errorf("read again: %+v, %v", again, err)
			}
		})
	}
}

func FuzzSetHeaders(f *testing.F) {
	f.Add(sample)
	f.Add("GET http://a/\n# c\n?x=1\nA: 1\n###")
	f.Fuzz(func(t *testing.T, file string) {
		all, err := Parse(file)
		if err != nil {
			return
		}
		for i, r := range all {
			again, err := Parse(SetHeaders(file, r, []Header{{"X-Set", "1"}}))
			if len(r.Headers) == MaxHeaders {
				continue // there is no space for another
			}
			if err != nil || len(again) != len(all) || again[i].Header("X-Set") != "1" || again[i].Body != r.Body || strings.Count(again[i].URL, "") != strings.Count(r.URL, "") {
				t.Fatalf("request %d of %q: %+v, %v", i, file, again, err)
			}
		}
	})
}
