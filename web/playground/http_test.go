package playground

import (
	"strings"
	"testing"

	"sandtable/web/httpfile"
)

// TestCompile: each request is sent on the line that it has in its file, with
// values that cannot end their literal.
func TestCompile(t *testing.T) {
	list, err := httpfile.Parse("### one\nGET " + origin + "/T?$filter=A eq '</script>'\nAccept: a\"b\n\n### two\nPOST " + origin + "/T\n\n{\"a\": 1}\u2028`${x}`\n")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(compile(list), "\n")
	if len(lines) < 6 || !strings.Contains(lines[1], `send("GET", "`+origin) || !strings.Contains(lines[5], `send("POST", "`+origin+`/T", [], "{\"a\": 1}\u2028`) {
		t.Errorf("the program is\n%s", strings.Join(lines, "\n"))
	}
	if !strings.Contains(lines[1], `[["Accept","a\"b"]]`) {
		t.Errorf("the headers are in %s", lines[1])
	}
	if strings.Contains(sending(), "\n") || strings.Contains(sendScript, "//") {
		t.Error("what comes before has more than one line, or a comment that would end it")
	}
}

func TestHTTPSamplesCanBeRead(t *testing.T) {
	for _, s := range samples {
		if list, err := httpfile.Parse(s.Code); s.HTTP && (err != nil || len(list) < 3) {
			t.Errorf("%s: %d requests, %v", s.Name, len(list), err)
		}
	}
}
