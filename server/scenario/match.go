package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// variables are what {name} stands for.
type variables map[string]string

var placeholder = regexp.MustCompile(`\{([A-Za-z][A-Za-z0-9]*)(=any)?\}`)

// replace replaces the names in a request by their values. Names that are not
// known, such as those in JSON, stay as they are.
func (v variables) replace(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		if value, ok := v[name[1:len(name)-1]]; ok {
			return value
		}
		return name
	})
}

const timePattern = `\d{4}-\d\d-\d\dT\d\d(?::|%3A)\d\d(?::|%3A)\d\d(?:\.\d+)?Z`

// pattern compiles an expected text.
func (v variables) pattern(text string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	end := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(regexp.QuoteMeta(text[end:m[0]]))
		end = m[1]
		name, value := text[m[2]:m[3]], ""
		switch {
		case m[4] >= 0:
			value = "(?P<" + name + ">.*?)"
		case name == "any":
			value = ".*?"
		case name == "time":
			value = timePattern
		default:
			value = regexp.QuoteMeta(v.replace(text[m[0]:m[1]]))
		}
		b.WriteString(value)
	}
	b.WriteString(regexp.QuoteMeta(text[end:]) + `\z`)
	return regexp.Compile(b.String())
}

// match reports whether a text is as expected, and keeps what it captures.
func (v variables) match(want, got string) (bool, error) {
	p, err := v.pattern(want)
	if err != nil {
		return false, err
	}
	found := p.FindStringSubmatch(got)
	for i, name := range p.SubexpNames() {
		if found != nil && name != "" {
			v[name] = found[i]
		}
	}
	return found != nil, nil
}

// check compares an answer with what is wanted and returns the differences.
func (v variables) check(want Answer, got received) []string {
	var differences []string
	note := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	if got.status != want.Status {
		note("status %d, want %d", got.status, want.Status)
	}
	for _, f := range want.Header {
		values, there := got.header[canonical(f.Name)]
		value := strings.Join(values, ", ")
		switch {
		case f.Absent && there:
			note("%s: %s, want none", f.Name, value)
		case f.Absent:
		case !there:
			note("no %s, want %s", f.Name, f.Value)
		default:
			if ok, err := v.match(f.Value, value); err != nil || !ok {
				note("%s: %s, want %s %s", f.Name, value, v.replace(f.Value), problem(err))
			}
		}
	}
	cacheControl, there := got.header["Cache-Control"]
	switch {
	case strings.HasPrefix(want.Body, "error ") && !there:
		note("no Cache-Control, want no-cache")
	case strings.HasPrefix(want.Body, "refused ") && there:
		note("Cache-Control: %s, want none", cacheControl)
	}
	wantBody, gotBody := v.bodies(want.Body, got)
	if ok, err := v.match(wantBody, gotBody); err != nil || !ok {
		note("body %s\nwant %s %s", gotBody, v.replace(wantBody), problem(err))
	}
	return differences
}

func problem(err error) string {
	if err == nil {
		return ""
	}
	return "(" + err.Error() + ")"
}

// bodies returns both bodies in a form that can be compared.
func (v variables) bodies(want string, got received) (wanted, have string) {
	// Not the Content-Type, which errors of old versions lack (C15).
	isXML := strings.HasPrefix(strings.TrimPrefix(got.body, "\uFEFF"), "<")
	kind, rest, _ := strings.Cut(want, " ")
	if kind == "error" || kind == "refused" {
		code, message, _ := strings.Cut(rest, " ")
		message = strings.ReplaceAll(message, `\n`, "\n") + "\nRequestId:{any}\nTime:{time}"
		if isXML {
			return "{any}<{any}code>" + code + "</{any}code>{any}" + message + "</{any}", got.body
		}
		encoded, _ := json.Marshal(map[string]any{"odata.error": map[string]any{
			"code": code, "message": map[string]any{"lang": "en-US", "value": message},
		}})
		want = string(encoded)
	}
	if w, ok := sortedJSON(want); ok {
		if g, ok := sortedJSON(got.body); ok {
			return w, g
		}
	}
	return want, strings.TrimRight(got.body, "\n")
}

// sortedJSON returns a JSON document with the members of objects in order.
func sortedJSON(text string) (string, bool) {
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return "", false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil || d.More() {
		return "", false
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return "", false
	}
	return strings.TrimSuffix(b.String(), "\n"), true
}

// canonical returns the form in which [http.Header] has a name.
func canonical(name string) string { return http.CanonicalHeaderKey(name) }
