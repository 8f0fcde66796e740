package entity

import (
	"encoding/json"
	"strings"
	"testing"

	"sandtable/odata"
)

func TestIndented(t *testing.T) {
	text := "Yılmaz \U0001F3D6 \u00a0\u2028 \" \\u0131 \r\n"
	e := &odata.Entity{PartitionKey: "p", RowKey: "r", Properties: []odata.Property{{Name: "Name", Value: odata.StringValue(text)}}}
	got := indented(e)
	if !strings.Contains(got, "\n  \"Name\": \"Yılmaz \U0001F3D6 ") {
		t.Errorf("%s", got)
	}
	var back struct{ Name string }
	if err := json.Unmarshal([]byte(got), &back); err != nil || back.Name != text {
		t.Errorf("%v: %q came back as %q", err, text, back.Name)
	}
}

func FuzzWithoutEscapes(f *testing.F) {
	f.Add("Yılmaz \\u0131 \U0001F3D6")
	f.Add(`"\`)
	f.Fuzz(func(t *testing.T, text string) {
		withoutEscapes(text)
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Skip("no JSON")
		}
		var want, got string
		if json.Unmarshal(quoted, &want) != nil {
			t.Skip("no JSON")
		}
		if err := json.Unmarshal([]byte(withoutEscapes(string(quoted))), &got); err != nil || got != want {
			t.Errorf("%s became %q, %v", quoted, got, err)
		}
	})
}
