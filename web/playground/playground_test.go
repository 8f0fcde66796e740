package playground

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/httpfile"
)

func TestLinksCarryCode(t *testing.T) {
	for _, code := range []string{"", "a", samples[1].Code, "// Ünïcödé 😀 <script>\n", strings.Repeat("x", maxCode)} {
		for _, http := range []bool{false, true} {
			got, language, ok, err := decodeLink(encodeLink(code, http))
			if got != code || language != http || !ok || err != nil {
				t.Errorf("%.20q came back as %.20q, %v, %v, %v", code, got, language, ok, err)
			}
		}
	}
	if n := len(encodeLink(samples[1].Code, false)); n > len(samples[1].Code) {
		t.Errorf("a link of %d characters for %d bytes of code", n, len(samples[1].Code))
	}
}

func TestLinksWrittenByHand(t *testing.T) {
	code, _, ok, err := decodeLink("code=console.log(%22a+b%22)")
	if code != `console.log("a b")` || !ok || err != nil {
		t.Errorf("got %q, %v, %v", code, ok, err)
	}
}

func TestQueriesWrittenByHand(t *testing.T) {
	tests := []struct {
		name, query, code string
		http, ok          bool
		err               error
	}{
		{"code", "page=playground&code=const%20a=1;b(a)", "const a=1;b(a)", false, true, nil},
		{"http", "http=GET+https%3A%2F%2Fx%2FT%26a&page=playground", "GET https://x/T&a", true, true, nil},
		{"none", "page=playground&encode=x", "", false, false, nil},
		{"empty", "page=playground&code=", "", false, true, nil},
		{"bad escape", "code=%zz", "", false, true, errLink},
		{"too long", "code=" + strings.Repeat("x", maxCode+1), "", false, true, errLink},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, http, ok, err := decodeQuery(test.query)
			if code != test.code || http != test.http || ok != test.ok || !errors.Is(err, test.err) {
				t.Errorf("got %.20q, %v, %v, %v", code, http, ok, err)
			}
		})
	}
}

// bomb inflates to far more than a link may carry.
func bomb() string {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	_, _ = w.Write(make([]byte, 50<<20))
	_ = w.Close()
	return linkPrefix + base64.RawURLEncoding.EncodeToString(b.Bytes())
}

func TestLinksThatCannotBeRead(t *testing.T) {
	whole := encodeLink(samples[0].Code, false)
	tests := []struct {
		name, fragment string
		ok             bool
		err            error
	}{
		{"nothing", "", false, nil},
		{"another fragment", "section", false, nil},
		{"another version", "js9=abc", false, nil},
		{"cut", whole[:len(whole)/2], true, errLink},
		{"not base64", linkPrefix + "!!", true, errLink},
		{"not deflated", linkPrefix + "AAAA", true, errLink},
		{"too long when inflated", bomb(), true, errLink},
		{"too long", plainPrefix + strings.Repeat("x", maxCode+1), true, errLink},
		{"bad escape", plainPrefix + "%zz", true, errLink},
		{"not UTF-8", plainPrefix + "%ff", true, errLink},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, _, ok, err := decodeLink(test.fragment)
			if code != "" || ok != test.ok || !errors.Is(err, test.err) {
				t.Errorf("got %.20q, %v, %v", code, ok, err)
			}
		})
	}
}

func FuzzDecodeLink(f *testing.F) {
	f.Add(encodeLink("const a = 1;", false))
	f.Add("code=a%20b")
	f.Fuzz(func(t *testing.T, fragment string) {
		code, _, _, err := decodeLink(fragment)
		if len(code) > maxCode || err != nil && code != "" {
			t.Errorf("%d bytes, %v", len(code), err)
		}
	})
}

func TestConsole(t *testing.T) {
	var c console
	if got := c.summary(); got != "Not run yet" {
		t.Errorf("before the first run: %q", got)
	}
	c.start(0)
	if c.receive(`[{"level":"log","text":"a","line":1},{"level":"clear"},{"level":"warn","text":"b","line":2}]`) {
		t.Error("the run has ended too soon")
	}
	if len(c.lines) != 1 || c.lines[0].Text != "b" || c.summary() != "Running" {
		t.Errorf("%+v, %q", c.lines, c.summary())
	}
	if c.receive(`not JSON`) {
		t.Error("a malformed batch ended the run")
	}
	if !c.receive(`[{"level":"end","end":{"outcome":"failed","milliseconds":41.6,"failure":{"name":"RestError","code":"TableNotFound","status":404,"line":3}}}]`) {
		t.Error("the run has not ended")
	}
	if got := c.summary(); got != "Failed after 42 ms" {
		t.Errorf("summary %q", got)
	}
	if f := c.end.Failure; f.title() != "TableNotFound (404)" || !strings.Contains(f.hint(), "createTable") {
		t.Errorf("%q, %q", f.title(), f.hint())
	}
}

func TestConsoleOfAPageThatWasLeft(t *testing.T) {
	var c console
	c.start(1)
	c.receive(`[{"level":"log","text":"a"}]`)
	kept := c.left()
	if kept.running || kept.end.Outcome != "stopped" || len(kept.lines) != 1 || kept.editor == 1 {
		t.Errorf("%+v", kept)
	}
	c.receive(`[{"level":"end","end":{"outcome":"finished"}}]`)
	if kept = c.left(); kept.end.Outcome != "finished" {
		t.Errorf("%+v", kept.end)
	}
}

func TestErrorLine(t *testing.T) {
	failed := &end{Failure: &failure{Line: 3}}
	tests := []struct {
		name string
		page Page
		want int
	}{
		{"not run", Page{}, 0},
		{"finished", Page{console: console{end: &end{}}}, 0},
		{"failed", Page{console: console{end: failed}}, 3},
		{"failed in other code", Page{editors: 2, console: console{editor: 1, end: failed}}, 0},
		{"requests that cannot be read", Page{problem: &httpfile.Error{Line: 2}, console: console{end: failed}}, 2},
		{"link that cannot be read", Page{problem: errLink}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.page.errorLine(); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

func TestConsoleTrees(t *testing.T) {
	var c console
	c.start(0)
	c.receive(`[{"level":"log","text":"{ a: 1 }","trees":[{"text":"{ a: 1 }","members":[{"name":"<b>","text":"1","kind":"number x"}],"more":3}]},{"level":"log","text":"b","trees":null}]`)
	v := c.lines[0].Trees[0]
	if len(v.Members) != 1 || v.Members[0].kind() != "is-plain" || len(c.lines[1].Trees) != 0 {
		t.Fatalf("%+v", c.lines)
	}
	closed := app.HTMLString((&tree{Value: v}).Render())
	v.open = true
	open := app.HTMLString((&tree{Value: v}).Render())
	if strings.Contains(closed, "3 more") || strings.Contains(closed, "<ul") {
		t.Errorf("the members of a closed value are drawn: %s", closed)
	}
	if !strings.Contains(open, "&lt;b&gt;") || !strings.Contains(open, "3 more") || strings.Contains(open, "<b>") {
		t.Errorf("open: %s", open)
	}
}

func TestAccountsOfPlaygrounds(t *testing.T) {
	if a, b := newAccount(), newAccount(); a == b || !isOwnAccount(a) || len(a) > 24 {
		t.Errorf("%s, %s", a, b)
	}
}

func TestOnlyRecordedAccountsAreDeleted(t *testing.T) {
	tests := []struct {
		name, recorded string
		want           []string
	}{
		{"none recorded", "", nil},
		{"two", "playgroundabcdefgh playground23456723", []string{"playgroundabcdefgh", "playground23456723"}},
		{"names that no playground chooses", "playground devstoreaccount1 myplaygroundabcdefgh playgroundabcdefghi playgroundabcdefgh/../x", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := abandoned(test.recorded); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestSamples(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range samples {
		if seen[s.Name] || s.Title == "" || strings.Contains(s.Code, "TABLE") || !strings.Contains(s.Code, origin) {
			t.Errorf("sample %q", s.Name)
		}
		seen[s.Name] = true
	}
	if sampleOf("none").Name != samples[0].Name {
		t.Error("an unknown sample is not the first")
	}
}
