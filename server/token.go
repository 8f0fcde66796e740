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

// decodeToken is the inverse of [encodeToken]. Any other text stands for
// itself, as a place to start from.
func decodeToken(token string) string {
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

// encodeContinuation returns the tokens for the key at which a query continues.
func (r *request) encodeContinuation(key odata.Key) (partition, row string) {
	partition, row = encodeToken(key.PartitionKey), encodeToken(key.RowKey)
	if r.cosmos {
		return cosmosToken(partition, row, r.query.Has(nextPartitionKey))
	}
	return partition, row
}

// entityContinuation reads the key at which a query continues. Either part may
// be missing, but the row key not empty.
func entityContinuation(query url.Values) (odata.Key, error) {
	partition, row := query.Get(nextPartitionKey), query.Get(nextRowKey)
	if query.Has(nextRowKey) && row == "" {
		return odata.Key{}, errContinuation
	}
	partition, row = readCosmosToken(partition, row)
	return odata.Key{PartitionKey: decodeToken(partition), RowKey: decodeToken(row)}, nil
}

// encodeTableToken names the table at which a list of tables continues: its
// lower-case name and its time of creation, in 100 ns since 1601.
func encodeTableToken(name string, created odata.DateTime) string {
	return encodeToken(fmt.Sprintf("%s\x01%016x", strings.ToLower(name), uint64(created-odata.MinDateTime)))
}

// tableContinuation reads the name at which a list of tables continues.
func tableContinuation(query url.Values) string {
	name, _, _ := strings.Cut(decodeToken(query.Get(nextTableName)), "\x01")
	return name
}
