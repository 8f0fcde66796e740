package scenario

import (
	"net/http"
	"strings"
	"testing"
)

func TestParseErrorsNameTheLine(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no title", ">>>\nGET /\n<<<\n200", "f:1: expected == and a title"},
		{"unknown statement", "== a\ntabel Fruit", `f:2: unknown statement "tabel Fruit"`},
		{"no method", "== a\n>>>\nGET\n<<<\n200", `f:3: expected a method and a path, found "GET"`},
		{"no answer", "== a\n>>>\nGET /", "f:3: expected <<< and the answer"},
		{"no status", "== a\n>>>\nGET /\n<<<\nOK", `f:5: expected a status, found "OK"`},
		{"bad field", "== a\n>>>\nGET /\nAccept\n<<<\n200", `f:4: expected a header field, found "Accept"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse("f", c.text)
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestAllScenariosParse(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	titles := map[string]bool{}
	for _, s := range all {
		if len(s.Exchanges) == 0 {
			t.Errorf("%s: %s: no exchange", s.File, s.Title)
		}
		if titles[s.Title] {
			t.Errorf("%s: duplicate title %q", s.File, s.Title)
		}
		titles[s.Title] = true
	}
}

func TestCheck(t *testing.T) {
	got := received{status: 404, header: http.Header{"Etag": {"one"}, "Cache-Control": {"no-cache"}, "Content-Type": {"application/json"}},
		body: `{"odata.error":{"code":"TableNotFound","message":{"lang":"en-US","value":"None.\nRequestId:1\nTime:2026-11-22T09:00:00.1234567Z"}}}`}
	for _, c := range []struct {
		name     string
		want     Answer
		contains string // part of the only difference, "" for none
	}{
		{"the same", Answer{Status: 404, Header: []Field{{Name: "ETag", Value: "{any}"}}, Body: "error TableNotFound None."}, ""},
		{"status", Answer{Status: 200, Body: "error TableNotFound None."}, "status 404, want 200"},
		{"header value", Answer{Status: 404, Header: []Field{{Name: "ETag", Value: "two"}}, Body: "{any}"}, "ETag: one, want two"},
		{"missing header", Answer{Status: 404, Header: []Field{{Name: "Location", Value: "{any}"}}, Body: "{any}"}, "no Location"},
		{"unwanted header", Answer{Status: 404, Header: []Field{{Name: "ETag", Absent: true}}, Body: "{any}"}, "ETag: one, want none"},
		{"code", Answer{Status: 404, Body: "error TableBusy None."}, "body "},
		{"message", Answer{Status: 404, Body: "error TableNotFound Nothing."}, "body "},
		{"phase", Answer{Status: 404, Body: "refused TableNotFound None."}, "Cache-Control: [no-cache], want none"},
		{"no body wanted", Answer{Status: 404}, "body "},
	} {
		t.Run(c.name, func(t *testing.T) {
			differences := variables{}.check(c.want, got)
			if c.contains == "" && differences != nil || c.contains != "" && (len(differences) != 1 || !strings.HasPrefix(differences[0], c.contains)) {
				t.Errorf("got %q, want %q", differences, c.contains)
			}
		})
	}
}

func TestCapturedValuesAreUsed(t *testing.T) {
	v := variables{}
	if ok, err := v.match("W/{etag=any}!", "W/1!"); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if got := v.replace("If {etag} or {other}"); got != "If 1 or {other}" {
		t.Errorf("got %q", got)
	}
}

func TestRepetitions(t *testing.T) {
	all, err := parse("f", "== a\n>>>\nPOST /\n\n[\n{repeat 2}\n{i}{x*3},\n{end}\n]\n<<<\n200\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := all[0].Exchanges[0].Body, "[\n0xxx,\n1xxx,\n]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
