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
)

// A link's fragment is linkPrefix and the code, deflated and in base64url. People
// who write links by hand write plainPrefix and the code, escaped as in a query.
const (
	linkPrefix  = "js1="
	plainPrefix = "code="
)

// maxCode is how many bytes of code a link may carry. A few bytes can inflate to
// any size.
const maxCode = 256 << 10

var errLink = errors.New("the code in this link cannot be read: it may have been cut")

// encodeLink returns the fragment of a link that carries code.
func encodeLink(code string) string {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		panic(err) // the level is valid
	}
	_, _ = io.WriteString(w, code) // a Buffer takes everything
	_ = w.Close()
	return linkPrefix + base64.RawURLEncoding.EncodeToString(packed.Bytes())
}

// decodeLink returns the code in a fragment; ok reports whether there is any.
func decodeLink(fragment string) (code string, ok bool, err error) {
	if plain, found := strings.CutPrefix(fragment, plainPrefix); found {
		code, err = url.QueryUnescape(plain)
		if err != nil || len(code) > maxCode || !utf8.ValidString(code) {
			return "", true, errLink
		}
		return code, true, nil
	}
	packed, found := strings.CutPrefix(fragment, linkPrefix)
	if !found {
		return "", false, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(packed)
	if err != nil {
		return "", true, errLink
	}
	content, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(raw)), maxCode+1))
	if err != nil || len(content) > maxCode || !utf8.Valid(content) {
		return "", true, errLink
	}
	return string(content), true, nil
}
