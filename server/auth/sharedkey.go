package auth

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sandtable/odata"
)

// maxSkew is how far the date of a signed request may differ from the server's
// clock, in either direction.
const maxSkew = 15 * time.Minute

// authenticateSharedKey checks an Authorization header of the form
// "SharedKey account:signature" or "SharedKeyLite account:signature".
func authenticateSharedKey(r Request, authorization string, account Account, now time.Time) (Grant, error) {
	scheme, credentials, _ := strings.Cut(authorization, " ")
	name, signature, _ := strings.Cut(credentials, ":")
	if scheme != SchemeSharedKey && scheme != SchemeSharedKeyLite || signature == "" {
		return Grant{}, refuse(ErrInvalidAuthenticationInfo, "the Authorization header is not SharedKey or SharedKeyLite account:signature")
	}
	if name != account.Name {
		return Grant{}, refuse(ErrAuthenticationFailed, "the header names the account "+name+", the address "+account.Name)
	}
	date := signedDate(r)
	sent, err := parseTime(date)
	if err != nil {
		return Grant{}, refuse(ErrAuthenticationFailed, "x-ms-date or Date is missing or not an HTTP date: "+date)
	}
	if skew := now.Sub(sent); skew > maxSkew || skew < -maxSkew {
		return Grant{}, refuse(ErrAuthenticationFailed, "the date is "+skew.String()+" from the server's clock")
	}
	text := stringToSign(scheme, r, account.Name, date, r.Path)
	if signedBy(account.Keys, text, signature) {
		return Grant{Scheme: scheme, full: true}, nil
	}
	for _, path := range otherPaths(r.Path, account.Name) {
		if signedBy(account.Keys, stringToSign(scheme, r, account.Name, date, path), signature) {
			return Grant{Scheme: scheme, full: true}, nil
		}
	}
	return Grant{}, refuseSignature(account.Keys, text, signature, sharedKeyMistakes(scheme, r, account.Name, date))
}

// otherPaths returns the paths that a signature may cover instead of the one that was sent: its
// normal form, because clients and proxies may rewrite escapes, and at an emulator's secondary
// endpoint the primary's path, which clients for .NET sign.
func otherPaths(sent, account string) []string {
	forms := slices.Compact([]string{sent, normalEscapes(sent)})
	paths := forms[1:]
	for _, path := range forms {
		if rest, ok := strings.CutPrefix(path, "/"+account+odata.SecondarySuffix); ok && (rest == "" || rest[0] == '/') {
			paths = append(paths, "/"+account+rest)
		}
	}
	return paths
}

func signedDate(r Request) string {
	if date := r.Header.Get("x-ms-date"); date != "" {
		return date
	}
	return r.Header.Get("Date")
}

// parseTime reads the date of a header in any of the three forms that HTTP allows.
// The error is that of the last of them.
//
// Source: RFC 9110, section 5.6.7.
func parseTime(text string) (t time.Time, err error) {
	for _, layout := range [...]string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if t, err = time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return t, err
}

// stringToSign returns the text that a signature covers. That of the table
// service has no canonicalized headers, and no query parameter except comp.
func stringToSign(scheme string, r Request, account, date, path string) string {
	resource := "/" + account + path
	if r.Query.Has("comp") { // even if it is empty
		resource += "?comp=" + r.Query.Get("comp")
	}
	if scheme == SchemeSharedKeyLite {
		return date + "\n" + resource
	}
	return strings.ToUpper(r.Method) + "\n" + r.Header.Get("Content-MD5") + "\n" + r.Header.Get("Content-Type") + "\n" +
		date + "\n" + resource
}

// SharedKeyLite returns the Authorization header of a request to the table
// service, for our own clients and for tests.
func SharedKeyLite(r Request, account string, key []byte) string {
	text := stringToSign(SchemeSharedKeyLite, r, account, signedDate(r), r.Path)
	return SchemeSharedKeyLite + " " + account + ":" + Sign(key, text)
}

// normalEscapes writes a path as most clients sign it: characters that need no
// escape are literal, all others have one, with upper-case hexadecimal digits.
func normalEscapes(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c != '%' && c != '/' && strings.IndexByte(literalInPath, c) < 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		if c != '%' || i+2 >= len(path) {
			b.WriteByte(c)
			continue
		}
		high, low := hexDigit(path[i+1]), hexDigit(path[i+2])
		if high < 0 || low < 0 {
			b.WriteByte(c)
			continue
		}
		i += 2
		if decoded := byte(high<<4 | low); strings.IndexByte(literalInPath, decoded) >= 0 {
			b.WriteByte(decoded)
		} else {
			b.WriteString("%" + strings.ToUpper(path[i-1:i+1]))
		}
	}
	return b.String()
}

const literalInPath = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~$()',=@:;!*+&"

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// quoteLines quotes a string to sign in one line.
func quoteLines(text string) string { return `"` + strings.ReplaceAll(text, "\n", `\n`) + `"` }
