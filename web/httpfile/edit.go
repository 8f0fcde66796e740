package httpfile

import (
	"slices"
	"strings"
)

// SetHeaders returns the file with headers of a request set: those of the same
// name are replaced, the others stay as they are written. r is one that [Parse]
// returned for the file.
func SetHeaders(file string, r Request, set []Header) string {
	lines := strings.Split(file, "\n")
	from := r.Line
	for from < r.Last && (continues(lines[from]) || isComment(lines[from])) {
		from++
	}
	to := from
	for to < r.Last && strings.TrimSpace(lines[to]) != "" {
		to++
	}
	kept := slices.DeleteFunc(slices.Clone(lines[from:to]), func(line string) bool {
		name, _, _ := strings.Cut(line, ":")
		return !isComment(line) && slices.ContainsFunc(set, func(h Header) bool { return strings.EqualFold(h.Name, strings.TrimSpace(name)) })
	})
	for _, h := range set {
		kept = append(kept, h.Name+": "+h.Value)
	}
	return strings.Join(slices.Concat(lines[:from], kept, lines[to:]), "\n")
}

// Header returns the value of a header, "" if the request has none of that name.
func (r Request) Header(name string) string {
	for _, h := range r.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}
