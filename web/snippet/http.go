package snippet

import (
	"strings"

	"sandtable/web/client"
	"sandtable/web/inspect"
)

// repeated are the headers that a repetition needs; the client writes the others itself.
var repeated = []string{"Accept", "Content-Type", "DataServiceVersion", "If-Match", "If-None-Match", "MaxDataServiceVersion", "Prefer", "x-ms-version"}

// Headers returns the headers that repeat a call. They hold no credentials.
func Headers(c inspect.Call) client.Header {
	var all client.Header
	for _, name := range repeated {
		if value := c.Header.Get(name); value != "" {
			all = append(all, client.Field{Name: name, Value: value})
		}
	}
	return all
}

// shellQuote writes a word for a shell, in which nothing is special.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func curl(c inspect.Call, service string) string {
	address := c.Address(service)
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	command := "curl -X "
	if strings.ContainsAny(address, "[]{}") {
		command = "curl --globoff -X " // otherwise they stand for several addresses
	}
	lines := []string{command + word(c.Method) + " " + shellQuote(address+separator) + `"$TABLES_SAS"`}
	for _, f := range Headers(c) {
		lines = append(lines, "-H "+shellQuote(f.Name+": "+f.Value))
	}
	if len(c.Body) > 0 {
		lines = append(lines, "--data-raw "+shellQuote(string(c.Body)))
	}
	return strings.Join(lines, " \\\n  ") + "\n"
}

// word quotes a method unless it is one: anything may have been sent.
func word(method string) string {
	for _, r := range method {
		if r < 'A' || r > 'Z' {
			return shellQuote(method)
		}
	}
	return method
}

func fetch(c inspect.Call, service string) string {
	var b strings.Builder
	address := quote(c.Address(service))
	if c.Signed {
		separator := "?"
		if strings.Contains(address, "?") {
			separator = "&"
		}
		b.WriteString("const sas = \"\"; // a shared access signature\n")
		address = strings.TrimSuffix(address, `"`) + separator + `" + sas`
	}
	b.WriteString("const response = await fetch(" + address + ", {\n  method: " + quote(c.Method) + ",\n  headers: {\n")
	for _, f := range Headers(c) {
		b.WriteString("    " + quote(f.Name) + ": " + quote(f.Value) + ",\n")
	}
	b.WriteString("  },\n")
	if len(c.Body) > 0 {
		b.WriteString("  body: " + quote(string(c.Body)) + ",\n")
	}
	b.WriteString("});\nconsole.log(response.status, await response.text());\n")
	return b.String()
}
