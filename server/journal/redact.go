package journal

import (
	"strings"

	"sandtable/server/message"
)

// Redacted stands in the place of a secret.
const Redacted = "REDACTED"

// Redactor takes secrets out of texts: those that it was given, wherever they
// stand and however they are escaped, and whatever stands where secrets do,
// behind "sig=" for instance.
type Redactor struct {
	secrets [256][]string // by their first byte
}

// shortest is the length of a text below which it is no secret worth looking
// for: it would be found everywhere.
const shortest = 6

// NewRedactor returns one that knows these secrets. Short ones are left out.
func NewRedactor(secrets ...string) *Redactor {
	r := new(Redactor)
	r.add(secrets)
	return r
}

func (r *Redactor) add(secrets []string) {
	for _, s := range secrets {
		if s = unescaped(s); len(s) >= shortest {
			r.secrets[s[0]] = append(r.secrets[s[0]], s)
		}
	}
}

// unescaped returns a text as it is looked for: without escapes.
func unescaped(text string) string {
	var b []byte
	for i := 0; i < len(text); {
		c, size := character(text[i:])
		b = append(b, c)
		i += size
	}
	return string(b)
}

// With returns a Redactor that knows, too, what an entry was signed with.
func (r *Redactor) With(e *Entry) *Redactor {
	secrets := e.credentials()
	if len(secrets) == 0 {
		return r
	}
	more := *r
	for i := range more.secrets {
		more.secrets[i] = more.secrets[i][:len(more.secrets[i]):len(more.secrets[i])]
	}
	more.add(secrets)
	return &more
}

// Text returns a text without secrets. Of one that was cut off, the beginning
// of a secret may be the end.
func (r *Redactor) Text(text string, cut bool) string {
	var b strings.Builder
	// word: the character before is a letter or a digit; escape: it is a backslash.
	kept, word, escape := 0, false, false
	for i := 0; i < len(text); {
		c, size := character(text[i:])
		start, end := i, i
		if secret := r.secretAt(text[i:], c, cut); secret > 0 {
			end = i + secret
		} else if !word {
			start, end = credentialAt(text, i, c)
		}
		if end > start {
			b.WriteString(text[kept:start])
			b.WriteString(Redacted)
			kept, i, word, escape = end, end, true, false
			continue
		}
		// Behind "\n" in JSON a word begins; behind a backslash that is none of
		// an escape it began with the "n". Both are looked at.
		word = isWord(c) && !(escape && isControl(c))
		escape = c == '\\'
		i += size
	}
	if kept == 0 {
		return text
	}
	b.WriteString(text[kept:])
	return b.String()
}

// secretAt returns the length of the known secret that a text begins with, 0
// for none.
func (r *Redactor) secretAt(text string, first byte, cut bool) (longest int) {
	for _, secret := range r.secrets[first] {
		n, matched := 0, 0
		for matched < len(secret) && n < len(text) {
			c, size := character(text[n:])
			if c != secret[matched] {
				break
			}
			matched++
			n += size
		}
		if matched == len(secret) || cut && n == len(text) && matched >= shortest {
			longest = max(longest, n)
		}
	}
	return longest
}

// The words that come before a secret, in lower case, and how long it has to be
// at least: "bearer" is an English word, too.
var announcements = []struct {
	word     string
	shortest int
}{
	{"sig=", 1}, {"accountkey=", 1}, {"token=", 1}, {"access_token=", 1}, {"bearer ", 16}, {"sharedkey ", 1}, {"sharedkeylite ", 1},
}

// credentialAt returns where a secret stands that is announced at i.
func credentialAt(text string, i int, first byte) (start, end int) {
	switch first | 0x20 {
	case 's', 'a', 't', 'b':
	default:
		return i, i
	}
	for _, a := range announcements {
		at, ok := announced(text, i, a.word)
		if !ok {
			continue
		}
		if strings.HasPrefix(a.word, "sharedkey") {
			at = behindName(text, at)
		}
		end, length := at, 0
		for end < len(text) {
			c, size := character(text[end:])
			if !isToken(c) {
				break
			}
			length++
			end += size
		}
		if length >= a.shortest {
			return at, end
		}
	}
	return i, i
}

// announced reports whether a word stands at i, in any case and with any
// escapes, and where it ends.
func announced(text string, i int, word string) (end int, ok bool) {
	for j := range len(word) {
		if i >= len(text) {
			return i, false
		}
		c, size := character(text[i:])
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != word[j] {
			return i, false
		}
		i += size
	}
	return i, true
}

// behindName returns where the signature begins in "account:signature"; i
// where that is not what stands there: then all of it goes.
func behindName(text string, i int) int {
	for j := i; j < len(text) && j-i <= 24; j++ {
		switch c := text[j]; {
		case c == ':' && j > i:
			return j + 1
		case (c < 'a' || c > 'z') && (c < '0' || c > '9'):
			return i
		}
	}
	return i
}

// isWord reports the characters of names.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// isControl reports the letters that stand behind a backslash for a control
// character in JSON.
func isControl(c byte) bool { return strings.IndexByte("nrtbf", c) >= 0 }

// isToken reports the characters of Base64, of its variant for addresses, and
// of bearer tokens. The percent sign is there for escapes that are none.
func isToken(c byte) bool {
	return isWord(c) || strings.IndexByte("+/=-.~%", c) >= 0
}

// character returns the first character of a text that is not empty, and how
// long it is as it is written: escaped as in JSON or in XML, once or more often,
// and all of that as in an address, once or more often.
func character(text string) (c byte, size int) {
	switch c, size = unescapedPercent(text); c {
	case '\\':
		return inJSON(text, size)
	case '&':
		return inXML(text, size)
	}
	return c, size
}

// unescapedPercent is [character] with the escapes of addresses alone.
func unescapedPercent(text string) (c byte, size int) {
	if text[0] != '%' {
		return text[0], 1
	}
	digits := 1
	for strings.HasPrefix(text[digits:], "25") { // an escaped percent sign
		digits += 2
	}
	if len(text) >= digits+2 {
		if high, low := digit(text[digits]), digit(text[digits+1]); high < 16 && low < 16 {
			return byte(high<<4 | low), digits + 2
		}
	}
	return '%', digits
}

// inJSON reads an escape whose backslash takes size bytes.
func inJSON(text string, size int) (byte, int) {
	n := size
	for n < len(text) { // one that is in a JSON text within a JSON text has more
		c, more := unescapedPercent(text[n:])
		if c != '\\' {
			break
		}
		n += more
	}
	var escape [5]byte
	length := 0
	for length < len(escape) && n < len(text) {
		c, more := unescapedPercent(text[n:])
		escape[length] = c
		length++
		n += more
		if length == 1 && c == '/' {
			return '/', n
		}
	}
	high, low := digit(escape[3]), digit(escape[4])
	if string(escape[:3]) == "u00" && high < 16 && low < 16 {
		return byte(high<<4 | low), n
	}
	return '\\', size
}

// inXML reads a reference to a character whose ampersand takes size bytes.
func inXML(text string, size int) (byte, int) {
	var b [8]byte
	name := b[:0]
	n := size
	for n < len(text) && len(name) < cap(b) {
		c, more := unescapedPercent(text[n:])
		n += more
		if c == ';' {
			if c, ok := referred(string(name)); ok {
				return c, n
			}
			break
		}
		name = append(name, c)
	}
	return '&', size
}

// referred returns what stands between "&" and ";" for.
func referred(name string) (byte, bool) {
	if name == "amp" {
		return '&', true
	}
	digits, ok := strings.CutPrefix(name, "#")
	base := 10
	if hex, is := strings.CutPrefix(strings.ToLower(digits), "x"); is {
		digits, base = hex, 16
	}
	n := 0
	for i := range len(digits) {
		d := digit(digits[i])
		if d >= base {
			return 0, false
		}
		n = n*base + d
	}
	return byte(n), ok && digits != "" && n < 0x80
}

// digit returns the value of a hexadecimal digit, 99 for none.
func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return 99
}

// Field returns a value of a header without secrets.
func (r *Redactor) Field(name, value string) string {
	name = strings.ToLower(name)
	switch {
	case strings.Contains(name, "authorization"):
		return r.authorization(value)
	case strings.Contains(name, "cookie"), strings.Contains(name, "token"), strings.Contains(name, "secret"),
		strings.Contains(name, "password"), strings.Contains(name, "api-key"), strings.Contains(name, "functions-key"),
		strings.Contains(name, "encryption-key"):
		return Redacted
	}
	return r.Text(value, false)
}

// authorization keeps the scheme and, of a Shared Key, the account.
func (r *Redactor) authorization(value string) string {
	scheme, rest, ok := strings.Cut(value, " ")
	if !ok || strings.IndexFunc(scheme, func(c rune) bool { return c >= 0x80 || !isWord(byte(c)) && c != '-' }) >= 0 || len(scheme) > 24 {
		return Redacted
	}
	kept := scheme + " "
	if at := behindName(rest, 0); at > 0 {
		kept += rest[:at]
	}
	return r.Text(kept, false) + Redacted
}

// Header returns a copy of a header without secrets.
func (r *Redactor) Header(h message.Header) message.Header {
	shown := make(message.Header, len(h))
	for name, values := range h {
		texts := make([]string, len(values))
		for i, value := range values {
			texts[i] = r.Field(name, value)
		}
		shown[name] = texts
	}
	return shown
}
