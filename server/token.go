package server

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"sandtable/odata"
)

// The names of a continuation's parts: parameters of the next request and,
// with a prefix, headers of this response.
//
// Source: "Query timeout and pagination".
const (
	nextPartitionKey   = "NextPartitionKey"
	nextRowKey         = "NextRowKey"
	nextTableName      = "NextTableName"
	continuationPrefix = "x-ms-continuation-"
)

// Base64 as tokens have it: padded with "-", and with two characters that are
// safe in headers and addresses for "+" and "/".
var (
	tokenEscaper   = strings.NewReplacer("=", "-", "+", "*", "/", "_")
	tokenUnescaper = strings.NewReplacer("-", "=", "*", "+", " ", "+", "_", "/")
)

// encodeToken returns text as a continuation token, such as 1!8!U21pdGg-.
func encodeToken(text string) string {
	encoded := tokenEscaper.Replace(base64.StdEncoding.EncodeToString([]byte(text)))
	return "1!" + strconv.Itoa(len(encoded)) + "!" + encoded
}

// decodeToken is the inverse of [encodeToken].
func decodeToken(token string) (string, error) {
	version, rest, _ := strings.Cut(token, "!")
	length, encoded, ok := strings.Cut(rest, "!")
	if !ok || version != "1" || length != strconv.Itoa(len(encoded)) {
		return "", errContinuation
	}
	text, err := base64.StdEncoding.DecodeString(tokenUnescaper.Replace(encoded))
	if err != nil {
		return "", errContinuation
	}
	return string(text), nil
}

// entityContinuation reads where a query goes on: a key from which on
// entities are to be examined. The row key may be missing, not empty.
func entityContinuation(query url.Values) (odata.Key, error) {
	var key odata.Key
	var err error
	if !query.Has(nextPartitionKey) {
		if query.Has(nextRowKey) {
			return key, errContinuation
		}
		return key, nil
	}
	if key.PartitionKey, err = decodeToken(query.Get(nextPartitionKey)); err != nil {
		return key, err
	}
	if query.Has(nextRowKey) {
		key.RowKey, err = decodeToken(query.Get(nextRowKey))
	}
	return key, err
}

// encodeTableToken names the table at which a list of tables goes on: its
// lower-case name and the time when it was made, in 100 ns since 1601.
func encodeTableToken(name string, created odata.DateTime) string {
	return encodeToken(fmt.Sprintf("%s\x01%016x", strings.ToLower(name), uint64(created-odata.MinDateTime)))
}

// tableContinuation reads the name from which on tables are to be listed.
func tableContinuation(query url.Values) (string, error) {
	if !query.Has(nextTableName) {
		return "", nil
	}
	text, err := decodeToken(query.Get(nextTableName))
	if err != nil {
		return "", err
	}
	name, _, _ := strings.Cut(text, "\x01")
	return name, nil
}
