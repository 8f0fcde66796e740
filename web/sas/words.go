package sas

import "strings"

// Span is a part of a summary. What matters is Strong.
type Span struct {
	Text   string
	Strong bool
}

// words collects spans.
type words []Span

func (w *words) say(text string)    { *w = append(*w, Span{Text: text}) }
func (w *words) stress(text string) { *w = append(*w, Span{text, true}) }

// list adds texts with commas and an "and" between them.
func (w *words) list(texts []string) {
	for i, text := range texts {
		switch {
		case i == 0:
		case i == len(texts)-1:
			w.say(" and ")
		default:
			w.say(", ")
		}
		w.stress(text)
	}
}

// Summary says what the token allows, in a sentence.
func (t Token) Summary() []Span {
	t = t.Effective()
	var w words
	if t.Table == "" {
		if !t.sayAccount(&w) {
			return []Span{{Text: "This link allows nothing yet: choose what it may do, and on what."}}
		}
	} else {
		verbs := verbsOf(t.Permissions, entityVerbs)
		if verbs == nil && t.Policy.ID != "" {
			return policySummary(t.Policy.ID, t.Table)
		}
		if verbs == nil {
			return []Span{{Text: "This link allows nothing yet: choose what it may do."}}
		}
		w.say("Anyone with this link can ")
		w.list(verbs)
		w.say(" entities in ")
		w.stress(t.Table)
		t.sayRange(&w)
	}
	if t.Policy.ID != "" {
		w.say(", as long as the policy ")
		w.stress(t.Policy.ID)
		w.say(" allows it")
	}
	w.say(", over ")
	if t.Protocol == "https" {
		w.stress("HTTPS only")
	} else {
		w.say("HTTPS and HTTP")
	}
	if ip := strings.TrimSpace(t.IP); ip != "" {
		w.say(", from ")
		w.stress(ip)
	} else {
		w.say(", from any address")
	}
	w.say(".")
	return w
}

// policySummary is for a token whose policy is not known.
func policySummary(id, table string) []Span {
	return []Span{{Text: "The policy "}, {id, true}, {Text: " of the table "}, {table, true}, {Text: " decides what this link allows."}}
}

type verb struct{ letters, word string }

var (
	entityVerbs  = []verb{{"r", "query"}, {"a", "add"}, {"u", "update"}, {"d", "delete"}}
	tableVerbs   = []verb{{"l", "list"}, {"cw", "create"}, {"d", "delete"}}
	serviceVerbs = []verb{{"r", "read"}, {"w", "change"}}
)

func verbsOf(permissions string, all []verb) (found []string) {
	for _, v := range all {
		if strings.ContainsAny(permissions, v.letters) {
			found = append(found, v.word)
		}
	}
	return found
}

// sayAccount says what a token of an account allows. It reports false if that is
// nothing.
func (t Token) sayAccount(w *words) bool {
	said := false
	for _, part := range []struct {
		letter  string
		verbs   []verb
		objects string
	}{{"o", entityVerbs, " entities in all tables"}, {"c", tableVerbs, " tables"}, {"s", serviceVerbs, " the service properties"}} {
		verbs := verbsOf(t.Permissions, part.verbs)
		if verbs == nil || !strings.Contains(t.ResourceTypes, part.letter) {
			continue
		}
		if said {
			w.say("; ")
		} else {
			w.say("Anyone with this link can ")
		}
		said = true
		w.list(verbs)
		w.say(part.objects)
	}
	switch {
	case said && t.Account != "":
		w.say(" of ")
		w.stress(t.Account)
	case said:
		w.say(" of its account")
	}
	return said
}

// sayRange says which keys the token reaches.
func (t Token) sayRange(w *words) {
	end := func(before, partition, row string) {
		w.say(before + "partition ")
		w.stress(partition)
		if row != "" {
			w.say(", row ")
			w.stress(row)
		}
	}
	switch {
	case t.FromPartition == "" && t.ToPartition == "":
	case t.FromPartition == t.ToPartition:
		w.say(", only in partition ")
		w.stress(t.FromPartition)
		if t.FromRow != "" {
			w.say(", from row ")
			w.stress(t.FromRow)
		}
		if t.ToRow != "" {
			w.say(", up to row ")
			w.stress(t.ToRow)
		}
	default:
		if t.FromPartition != "" {
			end(", from ", t.FromPartition, t.FromRow)
		}
		if t.ToPartition != "" {
			end(", up to ", t.ToPartition, t.ToRow)
		}
	}
}
