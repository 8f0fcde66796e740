package httpfile

import (
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

const sample = `### Insert an order
POST https://playground.table.core.windows.net/Orders
Content-Type: application/json
Prefer: return-no-content

{
  "PartitionKey": "2026-11",

  "total": 42.5
}

### The orders above 100
# a comment
GET https://playground.table.core.windows.net/Orders()
    ?$filter=PartitionKey eq '2026-11' and name eq 'a%b#c'
    # the first alone
    &$top=50
Accept: application/json
`

func TestParse(t *testing.T) {
	const host = "https://playground.table.core.windows.net/"
	want := []Request{
		{"Insert an order", "POST", host + "Orders", []Header{{"Content-Type", "application/json"}, {"Prefer", "return-no-content"}},
			"{\n  \"PartitionKey\": \"2026-11\",\n\n  \"total\": 42.5\n}", 1, 11, 2},
		{"The orders above 100", "GET", host + "Orders()?$filter=PartitionKey%20eq%20'2026-11'%20and%20name%20eq%20'a%25b%23c'&$top=50",
			[]Header{{"Accept", "application/json"}}, "", 12, 19, 14},
	}
	for name, file := range map[string]string{"lines of Unix": sample, "lines of Windows": strings.ReplaceAll(sample, "\n", "\r\n")} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(file)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, want)
			}
		})
	}
}

func TestSmallFiles(t *testing.T) {
	tests := []struct {
		name, file string
		count      int
	}{
		{"empty", "", 0},
		{"comments alone", "# a\n// b\n### c\n\n###", 0},
		{"no separator before the first", "GET http://a/", 1},
		{"a separator at the end", "GET http://a/\n###", 1},
		{"separators in a row", "###\n###\nGET http://a/\n###\n###\nGET http://b/", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if all, err := Parse(test.file); len(all) != test.count || err != nil {
				t.Errorf("got %+v, %v, want %d requests", all, err, test.count)
			}
		})
	}
}

// TestVersionOfHTTP: other tools end the URL with it, after the lines that continue it.
func TestVersionOfHTTP(t *testing.T) {
	for file, want := range map[string]string{
		"GET http://a/T HTTP/1.1\nAccept: b":                     "http://a/T",
		"GET http://a/T HTTP/2":                                  "http://a/T",
		"GET http://a/T()\n  ?$filter=A eq 'x'\n  &b=1 HTTP/1.1": "http://a/T()?$filter=A%20eq%20'x'&b=1",
		"GET http://a/T()?$filter=A eq 'over HTTP/1.1'":          "http://a/T()?$filter=A%20eq%20'over%20HTTP/1.1'",
		"GET http://a/HTTP/1.1":                                  "http://a/HTTP/1.1",
	} {
		if all, err := Parse(file); err != nil || len(all) != 1 || all[0].URL != want {
			t.Errorf("%s is %+v, %v, want %s", file, all, err, want)
		}
	}
}

func TestErrorsNameTheLine(t *testing.T) {
	tests := []struct {
		name, file string
		line, read int
	}{
		{"no method", "###\nhttp://a/", 2, 0},
		{"another method", "TRACE http://a/", 1, 0},
		{"small letters", "get http://a/", 1, 0},
		{"no URL", "GET", 1, 0},
		{"a body without an empty line", "GET http://a/\n###\nPOST http://a/\n{\"a\": 1}", 4, 1},
		{"a header without a name", "GET http://a/\n: b", 2, 0},
		{"too many headers", "GET http://a/" + strings.Repeat("\na: b", MaxHeaders+1), MaxHeaders + 2, 0},
		{"a URL that is too long", "\nGET http://a/\n" + strings.Repeat("&a\n", MaxURL/2), 2, 0},
		{"too many requests", strings.Repeat("###\nGET http://a/\n", MaxRequests+1), 2*MaxRequests + 2, MaxRequests},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			all, err := Parse(test.file)
			var at *Error
			if !errors.As(err, &at) || at.Line != test.line || len(all) != test.read {
				t.Errorf("got %d requests, %v, want %d and an error in line %d", len(all), err, test.read, test.line)
			}
		})
	}
}

func TestAt(t *testing.T) {
	all, _ := Parse("# before\n\n### comments alone\n# none\n" + sample)
	for line, want := range map[int]int{1: -1, 4: -1, 5: 0, 9: 0, 15: 0, 16: 1, 23: 1, 99: -1} {
		if got := At(all, line); got != want {
			t.Errorf("line %d: got %d, want %d", line, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add("###\nGET http://a/?b=%zz%20\n&c\nA: b\r\n\r\nbody\n###")
	f.Fuzz(func(t *testing.T, file string) {
		all, err := Parse(file)
		var at *Error
		if err != nil && (!errors.As(err, &at) || at.Line < 1 || at.Line > strings.Count(file, "\n")+1) {
			t.Errorf("%v", err)
		}
		if len(all) > MaxRequests {
			t.Errorf("%d requests", len(all))
		}
		last := 0
		for i, r := range all {
			if r.First <= last || r.Line < r.First || r.Last < r.Line || At(all, r.Line) != i || !methods[r.Method] {
				t.Errorf("request %d: %+v", i, r)
			}
			if _, err := url.PathUnescape(r.URL); err != nil {
				t.Errorf("%q is not escaped: %v", r.URL, err)
			}
			last = r.Last
		}
	})
}
