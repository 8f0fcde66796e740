package server

import (
	"fmt"
	"net/url"
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

// encodeContinuation returns the tokens for the key at which a query continues.
func (r *request) encodeContinuation(key odata.Key) (partition, row string) {
	partition, row = odata.EncodeToken(key.PartitionKey), odata.EncodeToken(key.RowKey)
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
	return odata.Key{PartitionKey: odata.DecodeToken(partition), RowKey: odata.DecodeToken(row)}, nil
}

// encodeTableToken names the table at which a list of tables continues: its
// lower-case name and its time of creation, in 100 ns since 1601.
func encodeTableToken(name string, created odata.DateTime) string {
	return odata.EncodeToken(fmt.Sprintf("%s\x01%016x", strings.ToLower(name), uint64(created-odata.MinDateTime)))
}

// tableContinuation reads the name at which a list of tables continues.
func tableContinuation(query url.Values) string {
	name, _, _ := strings.Cut(odata.DecodeToken(query.Get(nextTableName)), "\x01")
	return name
}
