package jsoncheck

import (
	"testing"

	"sandtable/odata/rowfile"
)

func TestEntity(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a good one", "{\"A\":1,\n\"B@odata.type\":\"Edm.Int64\",\"B\":\"7\"}", ""},
		{"a comma too many", "{\n\"A\":1,\n}", "line 2: a value or a name is missing before “}”, or there is a comma too many"},
		{"a name without quotes", "{\n A:1}", "line 2: a name in double quotes is missing before “A”"},
		{"no comma", "{\"A\":1\n\"B\":2}", "line 2: a comma or a closing brace is missing before “\"B\"”"},
		{"no colon", "{\"A\" 1}", "line 1: a colon is missing before “1”"},
		{"no value", "{\"A\":}", "line 1: a value or a name is missing before “}”, or there is a comma too many"},
		{"single quotes", "{\"A\":'x'}", "line 1: “'x'” does not begin a value: a text needs double quotes"},
		{"a text without an end", "{\"A\":\"x\n}", "line 1: a text is not closed in its line: a line end in a text is written \\n"},
		{"a path of Windows", `{"A":"C:\Windows"}`, `line 1: a \ in a text is written \\`},
		{"half an escape", `{"A":"\u12"}`, `line 1: \u needs four hexadecimal digits`},
		{"another word", "{\"A\":True}", "line 1: “True” does not begin a value: a text needs double quotes"},
		{"a word with a wrong end", "{\"A\":trua}", "line 1: a word without quotes is true, false or null"},
		{"half a number", "{\"A\":-}", "line 1: a number is not complete before “}”"},
		{"not closed", "{\"A\":1,\n\"B\":2\n", "line 2: the text ends before a quote, a bracket or a brace is closed"},
		{"nothing", "", "line 1: the text ends before a quote, a bracket or a brace is closed"},
		{"more text", "{\"A\":1}\n{\"A\":2}", "line 2: after the closing brace there is “{”"},
		{"a list", "[1]", "line 1: an entity is written between braces"},
		{"no Double", "{\"A\":1,\n\"D@odata.type\":\"Edm.Double\",\n\"D\":\"abc\"}", "line 3, D: " + rowfile.ErrDouble.Error()},
		{"no Int64", "{\"L\":\"x\",\"L@odata.type\":\"Edm.Int64\"}", "line 1, L: " + rowfile.ErrInt64.Error()},
		{"no String", "{\"S\":5,\"S@odata.type\":\"Edm.String\"}", "line 1, S: a String is a text in double quotes"},
		{"no type", "{\"L@odata.type\":\"Edm.Long\",\"L\":\"1\"}", "line 1, L: “\"Edm.Long\"” is not a type such as \"Edm.Int64\""},
		{"an object", "{\"A\":1,\n\"O\":{}}", "line 2, O: a value is a text, a number, true or false, and no list or object"},
		{"a number too large", "{\"A\":1e999}", "line 1, A: " + rowfile.ErrDouble.Error()},
		{"half a character", `{"A":"\ud800"}`, `line 1, A: a text has a \u escape that is half a character`},
		{"a name twice", "{\"A\":1,\n\"A\":2}", "line 2, A: there are two properties with this name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if p := Entity(c.text); p != (Problem{}) {
				got = p.String()
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// FuzzEntity: no text makes it panic.
func FuzzEntity(f *testing.F) {
	f.Add("{\"A\":1,\n\"B@odata.type\":\"Edm.Int64\",\"B\":\"7\"}")
	f.Add("{\"A\":}")
	f.Fuzz(func(_ *testing.T, text string) { Entity(text) })
}
