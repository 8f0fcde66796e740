package inspect

import (
	"cmp"
	"strings"
)

// actions are the letters of sp in words.
var actions = []struct{ letter, word string }{
	{"r", "query"}, {"a", "add"}, {"u", "update"}, {"d", "delete"}, {"w", "write"}, {"l", "list"}, {"c", "create"},
}

// Allows says in words what the shared access signature of a call permits, "" if
// it has none.
func Allows(c Call) string {
	if c.Option("sv") == "" || c.Option("se") == "" && c.Option("si") == "" {
		return ""
	}
	var verbs []string
	for _, a := range actions {
		if strings.Contains(c.Option("sp"), a.letter) {
			verbs = append(verbs, a.word)
		}
	}
	text := cmp.Or(strings.Join(verbs, ", "), "what the policy permits")
	if table := c.Option("tn"); table != "" {
		text += " in the table " + table
	} else {
		text += " in the whole account"
	}
	if policy := c.Option("si"); policy != "" {
		text += ", under the policy " + policy
	}
	if from := c.Option("spk"); from != "" {
		text += ", from partition " + from
	}
	if from := c.Option("srk"); from != "" {
		text += ", row " + from
	}
	if to := c.Option("epk"); to != "" {
		text += ", up to partition " + to
	}
	if to := c.Option("erk"); to != "" {
		text += ", row " + to
	}
	if start := c.Option("st"); start != "" {
		text += ", from " + start
	}
	if end := c.Option("se"); end != "" {
		text += ", until " + end
	}
	if c.Option("spr") == "https" {
		text += ", over HTTPS only"
	}
	if ip := c.Option("sip"); ip != "" {
		return text + ", from " + ip
	}
	return text + ", from any address"
}
