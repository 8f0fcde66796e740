package sas

import (
	"net/url"
	"strings"
	"time"
)

// Version is the version of the signatures, which also decides their form.
const Version = "2019-02-02"

// The letters that a token can have, in the order in which the service wants
// them.
const (
	TablePermissions   = "raud"
	AccountPermissions = "rwdlacu"
	ResourceTypes      = "sco"
)

// Policy is a stored access policy of a table. A field that is "" is left to the
// token.
type Policy struct {
	ID            string
	Start, Expiry string // times, see ParseTime
	Permissions   string // letters of "raud"
}

// Token describes a shared access signature as it was typed.
type Token struct {
	Account       string
	Table         string // "" for the whole account
	Policy        Policy // of the table; the zero Policy for none
	Permissions   string // letters, in any order
	ResourceTypes string // letters of "sco", for an account
	Start, Expiry string // times, see ParseTime
	Protocol      string // "https" or "https,http"
	IP            string // an address, or two with a hyphen; "" for any

	FromPartition, FromRow string // "" for the first
	ToPartition, ToRow     string // inclusive; "" for the last
}

// Parameter is a query parameter of a token.
type Parameter struct{ Name, Value string }

// Fixed reports whether the policy sets a parameter, so that the token must not
// have it.
func (t Token) Fixed(parameter string) bool {
	switch parameter {
	case "sp":
		return t.Policy.Permissions != ""
	case "st":
		return t.Policy.Start != ""
	case "se":
		return t.Policy.Expiry != ""
	}
	return false
}

// Effective returns the token with what its policy sets in place of its own
// fields.
func (t Token) Effective() Token {
	if t.Fixed("sp") {
		t.Permissions = t.Policy.Permissions
	}
	if t.Fixed("st") {
		t.Start = t.Policy.Start
	}
	if t.Fixed("se") {
		t.Expiry = t.Policy.Expiry
	}
	return t
}

// Order returns the letters in the order of the known ones, each once. Unknown
// letters are left out.
func Order(letters, known string) string {
	ordered := ""
	for _, letter := range known {
		if strings.ContainsRune(letters, letter) {
			ordered += string(letter)
		}
	}
	return ordered
}

// Toggle adds a letter or removes it.
func Toggle(letters, letter, known string) string {
	if strings.Contains(letters, letter) {
		return strings.ReplaceAll(letters, letter, "")
	}
	return Order(letters+letter, known)
}

// Known returns the permissions that the token can have.
func (t Token) Known() string {
	if t.Table == "" {
		return AccountPermissions
	}
	return TablePermissions
}

// Parameters returns the query parameters without the signature, in the order in
// which they are written.
func (t Token) Parameters() []Parameter {
	var all []Parameter
	add := func(name, value string) {
		if value != "" && !t.Fixed(name) {
			all = append(all, Parameter{name, value})
		}
	}
	add("sv", Version)
	if t.Table == "" {
		add("ss", "t")
		add("srt", Order(t.ResourceTypes, ResourceTypes))
	}
	add("st", WireTime(t.Start))
	add("se", WireTime(t.Expiry))
	add("sp", Order(t.Permissions, t.Known()))
	add("spr", t.Protocol)
	add("sip", strings.TrimSpace(t.IP))
	if t.Table != "" {
		add("tn", strings.ToLower(t.Table))
		add("si", t.Policy.ID)
		add("spk", t.FromPartition)
		add("srk", t.FromRow)
		add("epk", t.ToPartition)
		add("erk", t.ToRow)
	}
	return all
}

// StringToSign returns the text that the signature covers.
func (t Token) StringToSign() string {
	values := map[string]string{}
	for _, p := range t.Parameters() {
		values[p.Name] = p.Value
	}
	return stringToSign(t.Account, t.Table, values)
}

// stringToSign writes the parameters of a token in the order in which they are
// signed, which depends on its version. The table is "" for a token of the whole account.
func stringToSign(account, table string, values map[string]string) string {
	version := values["sv"]
	lines := func(names ...string) (text string) {
		for _, name := range names {
			text += values[name] + "\n"
		}
		return text
	}
	if table == "" {
		text := account + "\n" + lines("sp", "ss", "srt", "st", "se", "sip", "spr", "sv")
		if version >= "2020-12-06" {
			text += lines("ses")
		}
		return text
	}
	resource := "/" + account + "/" + strings.ToLower(table)
	if version >= "2015-02-21" {
		resource = "/table" + resource
	}
	text := lines("sp", "st", "se") + resource + "\n" + lines("si")
	if version >= "2015-04-05" {
		text += lines("sip", "spr")
	}
	return text + lines("sv", "spk", "srk", "epk") + values["erk"]
}

// Signed returns the parameters with the signature.
func (t Token) Signed(key []byte) []Parameter {
	return append(t.Parameters(), Parameter{"sig", sign(key, t.StringToSign())})
}

// Query writes parameters as the query of a URL.
func Query(all []Parameter) string {
	parts := make([]string, len(all))
	for i, p := range all {
		parts[i] = p.Name + "=" + strings.ReplaceAll(url.QueryEscape(p.Value), "+", "%20")
	}
	return strings.Join(parts, "&")
}

// WireTime returns a time as it is signed, in whole seconds. A text that is not a time
// stays as it is, so that the string to sign shows it.
func WireTime(text string) string {
	if at, ok := ParseTime(text); ok {
		return at.Format(time.RFC3339)
	}
	return strings.TrimSpace(text)
}
