package settings

import "strings"

// part is a tag of a document, or an element without others in it.
type part struct {
	path    string // the tags around it
	text    string
	leaf    bool // an element without others in it
	changed bool // a leaf that the other document does not have
}

// parts splits a document of [client.PropertiesXML], which has no space between
// elements.
func parts(document string) (all []part) {
	path := ""
	pieces := strings.SplitAfter(document, ">")
	for i := 0; i < len(pieces)-1; i++ { // nothing follows the last tag
		tag, next := pieces[i], pieces[i+1]
		switch {
		case strings.HasPrefix(tag, "<?"):
			all = append(all, part{text: tag})
		case strings.HasPrefix(tag, "</"):
			path = path[:strings.LastIndex(path, "<")]
			all = append(all, part{path: path, text: tag})
		case strings.HasPrefix(next, "<") && !strings.HasPrefix(next, "</"):
			all = append(all, part{path: path, text: tag})
			path += tag
		default:
			all = append(all, part{path: path, text: tag + next, leaf: true})
			i++
		}
	}
	return all
}

// marked splits the document that is sent, and marks what differs from the stored one.
func marked(sent, stored string) []part {
	known := map[part]bool{}
	for _, p := range parts(stored) {
		known[p] = true
	}
	all := parts(sent)
	for i, p := range all {
		all[i].changed = p.leaf && !known[p]
	}
	return all
}
