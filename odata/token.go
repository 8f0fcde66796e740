package odata

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// Base64 as tokens have it: padded with "-", and with two characters that are
// safe in headers and addresses for "+" and "/".
var (
	tokenEscaper   = strings.NewReplacer("=", "-", "+", "*", "/", "_")
	tokenUnescaper = strings.NewReplacer("-", "=", "*", "+", " ", "+", "_", "/")
)

// EncodeToken returns text as a continuation token, such as 1!8!U21pdGg-.
func EncodeToken(text string) string {
	encoded := tokenEscaper.Replace(base64.StdEncoding.EncodeToString([]byte(text)))
	return "1!" + strconv.Itoa(len(encoded)) + "!" + encoded
}

// DecodeToken is the inverse of [EncodeToken]. Any other text stands for
// itself, as a place to start from.
func DecodeToken(token string) string {
	version, rest, _ := strings.Cut(token, "!")
	length, encoded, ok := strings.Cut(rest, "!")
	if !ok || version != "1" || length != strconv.Itoa(len(encoded)) {
		return token
	}
	text, err := base64.StdEncoding.DecodeString(tokenUnescaper.Replace(encoded))
	if err != nil {
		return token
	}
	return string(text)
}
