package settings

import (
	"regexp"
	"strings"
)

// part is a tag of a document, or an element without others in it.
type part struct {
	path    string // the tags around it
	text    string
	changed bool
}

// pieces matches elements without others in them, and tags.
var pieces = regexp.MustCompile(`<(\w+)>[^<]*</\w+>|<[^>]*>`)

func parts(document string) (all []part) {
	path := ""
	for _, found := range pieces.FindAllStringSubmatch(document, -1) {
		text, leaf := found[0], found[1] != ""
		if strings.HasPrefix(text, "</") {
			path = path[:strings.LastIndex(path, "<")]
		}
		all = append(all, part{path: path, text: text, changed: leaf})
		if !leaf && !strings.HasPrefix(text, "</") && !strings.HasPrefix(text, "<?") {
			path += text
		}
	}
	return all
}

// marked splits a document, and marks the elements that the stored one does not have.
func marked(sent, stored string) []part {
	known := map[part]bool{}
	for _, p := range parts(stored) {
		known[p] = true
	}
	all := parts(sent)
	for i, p := range all {
		all[i].changed = p.changed && !known[p]
	}
	return all
}
