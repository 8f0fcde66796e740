package server_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// The tests here and in the other files are named after the lines of the
// protocol's checklist: inserts, round trips, tags, conditions (entities_test.go),
// keys in bodies and addresses, projection, filters (query_test.go and package
// filter), paging, batches (batch_test.go and package batch), access policies,
// service properties and CORS (documents_test.go), credentials (package auth),
// versions (handler_test.go, atom_test.go).

// TestInsertMatrix inserts with every combination of Prefer, metadata level and the
// ways to request it.
func TestInsertMatrix(t *testing.T) {
	for _, prefer := range []string{"", "return-content", "return-no-content", "return-something"} {
		for _, level := range []string{"nometadata", "minimalmetadata", "fullmetadata"} {
			for _, way := range []string{"Accept", "$format"} {
				t.Run(prefer+" "+level+" by "+way, func(t *testing.T) {
					f := newFixture(t)
					f.createTable("things")
					target, headers := "/things", []string{"Prefer: " + prefer}
					if way == "$format" {
						target += "?$format=application/json;odata=" + level
					} else {
						headers = append(headers, "Accept: application/json;odata="+level)
					}
					r := f.do("POST", target, `{"PartitionKey":"p","RowKey":"r"}`, headers...)
					r.wantHeader("Location", "https://"+testHost+"/things(PartitionKey='p',RowKey='r')")
					applied := prefer
					if prefer == "return-something" {
						applied = ""
					}
					r.wantHeader("Preference-Applied", applied)
					if prefer == "return-no-content" {
						r.wantStatus(204).wantBody("").wantHeader("Content-Length", "")
						return
					}
					r.wantStatus(201).wantHeader("Content-Type", "application/json;odata="+level+";streaming=true;charset=utf-8")
					_, metadata := r.members()["odata.metadata"]
					_, link := r.members()["odata.editLink"]
					if metadata != (level != "nometadata") || link != (level == "fullmetadata") {
						t.Errorf("body %s", r.body)
					}
				})
			}
		}
	}
}

func TestPropertiesAtTheirLimits(t *testing.T) {
	properties := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"p%d":%d`, i, i)
		}
		return b.String()
	}
	// Four characters of Base64 are three bytes.
	binary := func(bytes int) string {
		text := strings.Repeat("AAAA", bytes/3)
		switch bytes % 3 {
		case 1:
			text += "AA=="
		case 2:
			text += "AAA="
		}
		return `,"b@odata.type":"Edm.Binary","b":"` + text + `"`
	}
	for _, c := range []struct {
		name, members string
		code          string // "" for success
	}{
		{"252 properties", properties(252), ""},
		{"253 properties", properties(253), "TooManyProperties"},
		{"32,768 characters", `,"s":"` + strings.Repeat("s", 32768) + `"`, ""},
		{"32,769 characters", `,"s":"` + strings.Repeat("s", 32769) + `"`, "PropertyValueTooLarge"},
		{"32,768 units of surrogate pairs", `,"s":"` + strings.Repeat("😀", 16384) + `"`, ""},
		{"32,770 units of surrogate pairs", `,"s":"` + strings.Repeat("😀", 16385) + `"`, "PropertyValueTooLarge"},
		{"65,536 bytes", binary(65536), ""},
		{"65,537 bytes", binary(65537), "PropertyValueTooLarge"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			for _, r := range []*response{
				f.do("POST", "/things", `{"PartitionKey":"p","RowKey":"r"`+c.members+`}`),
				f.do("PUT", "/things(PartitionKey='p',RowKey='put')", `{"PartitionKey":"p","RowKey":"put"`+c.members+`}`),
			} {
				if c.code == "" {
					if r.status >= 300 {
						t.Errorf("status %d", r.status)
					}
				} else if code, _ := r.wantStatus(400).serviceError(); code != c.code {
					t.Errorf("code %s, want %s", code, c.code)
				}
			}
		})
	}
}

// TestRoundTrip sends values and reads them at each level in the service's notation.
func TestRoundTrip(t *testing.T) {
	for _, c := range []struct{ name, sent, annotated, bare string }{
		{"a whole double", `"v":3.0`, `"v":3.0`, `"v":3.0`},
		{"a double from an integer", `"v@odata.type":"Edm.Double","v":3`, `"v":3.0`, `"v":3.0`},
		{"a large double", `"v":1.23456789012346E+24`, `"v":1.23456789012346E+24`, `"v":1.23456789012346E+24`},
		{"an integer beyond 32 bits", `"v":2147483648`, `"v":2147483648.0`, `"v":2147483648.0`},
		{"not a number", `"v@odata.type":"Edm.Double","v":"NaN"`, `"v@odata.type":"Edm.Double","v":"NaN"`, `"v":"NaN"`},
		{"infinity", `"v":"Infinity","v@odata.type":"Edm.Double"`, `"v@odata.type":"Edm.Double","v":"Infinity"`, `"v":"Infinity"`},
		{"minus infinity", `"v":"-Infinity","v@odata.type":"Edm.Double"`, `"v@odata.type":"Edm.Double","v":"-Infinity"`, `"v":"-Infinity"`},
		{"the smallest int32", `"v":-2147483648`, `"v":-2147483648`, `"v":-2147483648`},
		{"the smallest int64", `"v":"-9223372036854775808","v@odata.type":"Edm.Int64"`, `"v@odata.type":"Edm.Int64","v":"-9223372036854775808"`, `"v":"-9223372036854775808"`},
		{"a date with zeros at its end", `"v":"2012-01-02T23:59:59.2000000Z","v@odata.type":"Edm.DateTime"`, `"v@odata.type":"Edm.DateTime","v":"2012-01-02T23:59:59.2Z"`, `"v":"2012-01-02T23:59:59.2Z"`},
		{"a date in another time zone", `"v":"2012-01-02T23:59:59+01:30","v@odata.type":"Edm.DateTime"`, `"v@odata.type":"Edm.DateTime","v":"2012-01-02T22:29:59Z"`, `"v":"2012-01-02T22:29:59Z"`},
		{"the first date", `"v":"1601-01-01T00:00:00Z","v@odata.type":"Edm.DateTime"`, `"v@odata.type":"Edm.DateTime","v":"1601-01-01T00:00:00Z"`, `"v":"1601-01-01T00:00:00Z"`},
		{"a GUID in upper case", `"v":"C9DA6455-213D-42C9-9A79-3E9149A57833","v@odata.type":"Edm.Guid"`, `"v@odata.type":"Edm.Guid","v":"c9da6455-213d-42c9-9a79-3e9149a57833"`, `"v":"c9da6455-213d-42c9-9a79-3e9149a57833"`},
		{"a string like a date", `"v":"2021-07-13T00:00:00Z"`, `"v":"2021-07-13T00:00:00Z"`, `"v":"2021-07-13T00:00:00Z"`},
		{"a name that is not ASCII", `"ꀕ":"é😀"`, `"\ua015":"\u00e9\ud83d\ude00"`, `"\ua015":"\u00e9\ud83d\ude00"`},
		{"punctuation", `"v":"<>&'\"\\/"`, `"v":"<>&'\"\\/"`, `"v":"<>&'\"\\/"`},
		{"control characters", `"v":"\u0001\t\r\n\u007f"`, `"v":"\u0001\t\r\n` + "\x7f" + `"`, `"v":"\u0001\t\r\n` + "\x7f" + `"`},
		{"blanks", `"v":"  a  "`, `"v":"  a  "`, `"v":"  a  "`},
		{"nothing", `"v":""`, `"v":""`, `"v":""`},
		{"names that differ in case", `"Birthday":1,"birthday":2`, `"Birthday":1,"birthday":2`, `"Birthday":1,"birthday":2`},
		{"the name of a tag", `"Etag":"a"`, `"Etag":"a"`, `"Etag":"a"`},
		{"no bytes", `"v":"","v@odata.type":"Edm.Binary"`, `"v@odata.type":"Edm.Binary","v":""`, `"v":""`},
		{"a boolean as a string", `"v":"False","v@odata.type":"Edm.Boolean"`, `"v":false`, `"v":false`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			f.insert("things", `{"PartitionKey":"p","RowKey":"r",`+c.sent+`}`)
			for level, want := range map[string]string{"nometadata": c.bare, "minimalmetadata": c.annotated, "fullmetadata": c.annotated} {
				r := f.do("GET", "/things(PartitionKey='p',RowKey='r')", "", "Accept: application/json;odata="+level).wantStatus(200)
				if !strings.HasSuffix(r.body, `Z",`+want+"}") {
					t.Errorf("%s: got %s, want %s", level, r.body, want)
				}
			}
		})
	}
}

// TestTags: header and body have the same ETag, derived from the Timestamp, and two
// writes within a tick of the clock have different ones.
func TestTags(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	const path = "/things(PartitionKey='p',RowKey='r')"
	seen := map[string]bool{f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`): true}
	for range 100 { // a fixture's clock does not advance
		etag := f.do("MERGE", path, `{}`).wantStatus(204).header.Get("ETag")
		if seen[etag] {
			t.Fatalf("%s twice", etag)
		}
		seen[etag] = true
		r := f.do("GET", path, "").wantHeader("ETag", etag)
		if m := r.members(); m["odata.etag"] != etag || m["Timestamp"] != etagTime(etag) {
			t.Fatalf("tag %s, body %s", etag, r.body)
		}
	}
}

// TestFilterCrossChecks is the reference's table of matches.
func TestFilterCrossChecks(t *testing.T) {
	for _, c := range []struct {
		stored  string
		filters map[string]bool
	}{
		{`"A":3`, map[string]bool{"A eq 3": true, "A eq 3L": false, "A eq 3.0": false, "A eq '3'": false, "A lt '3'": true, "3 eq A": true}},
		{`"A":"3","A@odata.type":"Edm.Int64"`, map[string]bool{"A ge 3": true, "A lt 3D": true, "A gt 3D": false}},
		{`"A":3.0`, map[string]bool{"A eq 3": true, "A eq 3L": true}},
		{`"B":1`, map[string]bool{"A ne 3": false, "not (A eq 3)": true, "A": false, "not A": true}},
		{`"A":true`, map[string]bool{"A": true, "A eq true": true, "A eq 'true'": false, "true": true, "false or A": true}},
		{`"A":"b"`, map[string]bool{"A gt 'B'": true, "A lt 'ba'": true, "A ge ''": true}},
		{`"A":"2014-05-07T08:20:53.2Z","A@odata.type":"Edm.DateTime"`, map[string]bool{"A eq datetime'2014-05-07T08:20:53.200Z'": true}},
		{`"A":"o'x"`, map[string]bool{"A eq 'o''x'": true}},
		{`"A":"AP8=","A@odata.type":"Edm.Binary"`, map[string]bool{"A eq X'00ff'": true, "A eq binary'00FF'": true, "A gt X'00'": true}},
		{`"A":"c9da6455-213d-42c9-9a79-3e9149a57833","A@odata.type":"Edm.Guid"`, map[string]bool{"A eq guid'C9DA6455-213D-42C9-9A79-3E9149A57833'": true}},
		{`"A":1`, map[string]bool{"PartitionKey ge 'p' and PartitionKey lt 'q' or RowKey eq 'x'": true, "PartitionKey ge 'q' and PartitionKey lt 'r' or RowKey eq 'r'": true}},
	} {
		f := newFixture(t)
		f.createTable("things")
		f.insert("things", `{"PartitionKey":"p","RowKey":"r",`+c.stored+`}`)
		for filter, want := range c.filters {
			if got := f.do("GET", "/things?$filter="+url.QueryEscape(filter), "").rowKeys() == "r"; got != want {
				t.Errorf("{%s}: %s matches: %v, want %v", c.stored, filter, got, want)
			}
		}
	}
}

// TestForbiddenCharacters: keys with these characters are refused in bodies and URLs.
func TestForbiddenCharacters(t *testing.T) {
	for _, c := range []struct {
		name, key   string
		address     int
		code, text  string
		escapedBody string
	}{
		{"slash", "a/b", 400, "InvalidInput", "Bad Request - Error in query syntax.", "a/b"},
		{"backslash", `a\b`, 400, "InvalidInput", "Bad Request - Error in query syntax.", `a\\b`},
		{"hash", "a#b", 400, "OutOfRangeInput", "One of the request inputs is out of range.", "a#b"},
		{"question mark", "a?b", 400, "OutOfRangeInput", "One of the request inputs is out of range.", "a?b"},
		{"U+0082", "a\u0082b", 400, "OutOfRangeInput", "One of the request inputs is out of range.", `a\u0082b`},
		{"U+0081", "a\u0081b", 400, "", "", `a\u0081b`},
		{"tab", "a\tb", 400, "", "", `a\tb`},
		{"delete", "a\x7fb", 400, "", "", `a\u007fb`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			f.do("POST", "/things", `{"PartitionKey":"`+c.escapedBody+`","RowKey":"r"}`).
				wantError(400, "OutOfRangeInput", "The 'PartitionKey' parameter of value '"+c.key+"' is out of range.")
			for _, method := range []string{"PUT", "MERGE", "GET", "DELETE"} {
				body := ""
				if method == "PUT" || method == "MERGE" {
					body = "{}"
				}
				r := f.do(method, "/things(PartitionKey='"+url.PathEscape(c.key)+"',RowKey='r')", body, "If-Match: *").wantStatus(c.address)
				if c.code == "" {
					r.wantBody("")
				} else {
					r.wantError(c.address, c.code, c.text)
				}
			}
		})
	}
}
