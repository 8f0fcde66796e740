package jsoncheck

import (
	"encoding/json"
	"errors"
	"strings"

	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/odata/rowfile"
)

const typeSuffix = "@odata.type"

// Entity returns what is wrong with a text that should be the JSON of one entity, as in
// a request.
func Entity(text string) Problem {
	if p := Syntax(text); p.Text != "" {
		return p
	}
	members, p := membersOf(text)
	if p.Text != "" {
		return p
	}
	types := map[string]member{}
	for _, m := range members {
		of, annotates := strings.CutSuffix(m.name, typeSuffix)
		if !annotates {
			continue
		}
		if _, ok := m.typ(); !ok {
			return Problem{m.line, of, found(m.value) + " is not a type such as \"Edm.Int64\""}
		}
		types[of] = m
	}
	for _, m := range members {
		if problem := m.problem(types[m.name]); problem != "" {
			return Problem{m.line, m.name, problem}
		}
	}
	_, err := payload.DecodeEntity([]byte(text))
	switch {
	case err == nil:
		return Problem{}
	case errors.Is(err, payload.ErrSyntax):
		return Problem{Line: 1, Text: "this is not the JSON of an entity"}
	}
	return Problem{Line: 1, Text: err.Error()}
}

// member is a member of an object.
type member struct {
	name  string
	value string // as it is written
	line  int
}

// membersOf returns the members of the object that a text is. Its syntax is right.
func membersOf(text string) ([]member, Problem) {
	d := json.NewDecoder(strings.NewReader(text))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, Problem{Line: 1, Text: "an entity is written between braces"}
	}
	var all []member
	seen := map[string]bool{}
	for d.More() {
		name, _ := d.Token()
		m := member{line: lineOf(text, int(d.InputOffset()))}
		m.name, _ = name.(string)
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
		if seen[m.name] {
			return nil, Problem{m.line, m.name, "there are two properties with this name"}
		}
		seen[m.name], m.value = true, string(value)
		all = append(all, m)
	}
	d.Token()
	if rest := text[d.InputOffset():]; strings.TrimSpace(rest) != "" {
		from := strings.TrimLeft(rest, " \t\r\n")
		return nil, Problem{Line: lineOf(text, len(text)-len(from)), Text: "after the closing brace there is " + found(from)}
	}
	return all, Problem{}
}

// typ returns the type that an annotation names.
func (m member) typ() (odata.Type, bool) {
	var name string
	if json.Unmarshal([]byte(m.value), &name) != nil {
		return 0, false
	}
	return odata.ParseType(name)
}

// problem returns what is wrong with a member that has the type of an annotation, or
// the zero member for none.
func (m member) problem(typ member) string {
	name, _ := json.Marshal(m.name)
	text := "{" + string(name) + ":" + m.value + "}"
	if typ.value != "" {
		annotation, _ := json.Marshal(typ.name)
		text = "{" + string(annotation) + ":" + typ.value + "," + text[1:]
	}
	if _, err := payload.DecodeEntity([]byte(text)); err == nil {
		return ""
	}
	if t, ok := typ.typ(); ok {
		if _, err := rowfile.Parse(t, "?"); err != nil { // the type's rule
			return err.Error()
		}
		return "a String is a text in double quotes"
	}
	switch m.value[0] {
	case '{', '[':
		return "a value is a text, a number, true or false, and no list or object"
	case '"':
		return `a text has a \u escape that is half a character`
	}
	return rowfile.ErrDouble.Error()
}
