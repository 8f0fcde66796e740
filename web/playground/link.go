package playground

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"io"
	"net/url"
	"strings"
	"unicode/utf8"

	courses "sandtable/web/course"
)

// A link's fragment is a prefix, which names the language, and the code, deflated
// and in base64url. People who write links by hand write a plain prefix and the
// code, escaped as in a query.
const (
	linkPrefix  = "js1="
	plainPrefix = "code="

	httpPrefix      = "http1="
	plainHTTPPrefix = "http="
)

// maxCode is how many bytes of code a link may carry, and progress may keep. A few
// bytes of a link can inflate to any size.
const maxCode = courses.MaxCode

var errLink = errors.New("the code in this link cannot be read: it may have been cut")

// encodeLink returns the fragment of a link that carries code.
func encodeLink(code string, http bool) string {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		panic(err) // the level is valid
	}
	_, _ = io.WriteString(w, code) // a Buffer takes everything
	_ = w.Close()
	prefix := linkPrefix
	if http {
		prefix = httpPrefix
	}
	return prefix + base64.RawURLEncoding.EncodeToString(packed.Bytes())
}

// decodeLink returns the code in a fragment, and whether it is requests of HTTP;
// ok reports whether there is any.
func decodeLink(fragment string) (code string, http, ok bool, err error) {
	prefix, content, found := strings.Cut(fragment, "=")
	switch prefix += "="; {
	case !found:
		return "", false, false, nil
	case prefix == plainPrefix || prefix == plainHTTPPrefix:
		code, err = url.QueryUnescape(content)
	case prefix == linkPrefix || prefix == httpPrefix:
		code, err = inflate(content)
	default:
		return "", false, false, nil
	}
	http = prefix == httpPrefix || prefix == plainHTTPPrefix
	if err != nil || len(code) > maxCode || !utf8.ValidString(code) {
		return "", http, true, errLink
	}
	return code, http, true, nil
}

// decodeQuery returns the code in a query, as people write it by hand: code= or
// http= among its parts, escaped as in a fragment. Package net/url would drop a
// part with a semicolon.
func decodeQuery(query string) (code string, http, ok bool, err error) {
	for part := range strings.SplitSeq(query, "&") {
		if strings.HasPrefix(part, plainPrefix) || strings.HasPrefix(part, plainHTTPPrefix) {
			return decodeLink(part)
		}
	}
	return "", false, false, nil
}

// inflate returns at most one byte more than maxCode.
func inflate(packed string) (string, error) {
	raw, err := base64.RawURLEncoding.DecodeString(packed)
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(raw)), maxCode+1))
	return string(content), err
}
