package snapshots

import (
	"encoding/json"
	"strings"
	"unicode"

	"sandtable/web/control"
	"sandtable/web/humanize"
)

// fileName returns the name of a snapshot's file, without characters that file
// systems refuse.
func fileName(account, name string) string {
	safe := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -_.", r) {
			return r
		}
		return '-'
	}, name)
	return account + "-" + strings.Trim(safe, " .-") + ".jsonl"
}

// nameOfFile returns the name of the snapshot that a file is opened as.
func nameOfFile(file string) string {
	for _, end := range []string{".jsonl", ".ndjson"} {
		file = strings.TrimSuffix(file, end)
	}
	runes := []rune(strings.TrimSpace(file))
	if len(runes) == 0 {
		return "from a file"
	}
	return string(runes[:min(len(runes), 100)])
}

// kindWords says how a snapshot came about.
func kindWords(s control.Snapshot) string {
	if s.Incomplete {
		return "incomplete file"
	}
	switch s.Kind {
	case "import":
		return "taken by the import"
	case "delete":
		return "taken before a deletion"
	case "restore":
		return "taken by a restore"
	case "file":
		return "opened from a file"
	}
	return "taken by hand"
}

// sign returns the sign of a difference and what it stands for.
func sign(d control.Difference) (text, words, class string) {
	switch {
	case d.Before == nil:
		return "+", "comes back", "back"
	case d.After == nil:
		return "−", "goes", "gone"
	}
	return "~", "changes", "changed"
}

// shownProperties is how many properties of a difference are listed.
const shownProperties = 3

// keysOf returns the keys of the entity.
func keysOf(d control.Difference) string {
	e := d.After
	if e == nil {
		e = d.Before
	}
	return plain(e["PartitionKey"]) + " / " + plain(e["RowKey"])
}

// propertyWords lists what differs, such as "Age 42 → 41, Name Ada → –".
func propertyWords(d control.Difference) string {
	var all []string
	for _, name := range d.Properties() {
		before, after := plain(d.Before[name]), plain(d.After[name])
		was, is := control.TypeOf(d.Before, name), control.TypeOf(d.After, name)
		switch {
		case d.Before == nil:
			all = append(all, name+" "+after)
		case d.After == nil:
			all = append(all, name+" "+before)
		case before != after:
			all = append(all, name+" "+before+" → "+after)
		case was != is:
			all = append(all, name+" "+before+", "+was+" → "+is)
		case string(d.Before[name]) != string(d.After[name]):
			all = append(all, name+" "+before+" → differs further on")
		}
	}
	switch {
	case len(all) == 0 && d.Before != nil && d.After != nil:
		return "written again with the same values"
	case len(all) > shownProperties:
		return strings.Join(all[:shownProperties], ", ") + " and " + humanize.Number(len(all)-shownProperties) + " more"
	}
	return strings.Join(all, ", ")
}

// plain returns a value as text, at most 40 characters of it.
func plain(value json.RawMessage) string {
	if value == nil {
		return "–"
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:39]) + "…"
	}
	return text
}
