package server

import (
	"errors"
	"strconv"
	"strings"

	"sandtable/engine"
	"sandtable/odata/filter"
	"sandtable/odata/payload"
	"sandtable/server/auth"
)

// The Table API of Cosmos DB answers as the Table service does except for what
// is here, in recordings of 2020 and 2021. Its bodies are those of payload.Cosmos.

var (
	errCosmosAddress     = errors.New("cosmos: address is not that of a resource")
	errCosmosPatch       = errors.New("cosmos: PATCH is not supported")
	errCosmosUnsupported = errors.New("cosmos: operation is not supported")
	errCosmosKeyRange    = errors.New("cosmos: shared access signature with a key range")
	errCosmosDuplicate   = errors.New("cosmos: changeset inserts an entity that it touches before")
)

const textCosmosAddress = "Request url is invalid."

// cosmosErrors differ from those of the Table service.
var cosmosErrors = []struct {
	err error
	serviceError
}{
	{payload.ErrKeyMissing, serviceError{400, "PropertiesNeedValue", "PartitionKey/RowKey cannot be empty", belowCosmos}},
	{engine.ErrTableNotFound, serviceError{404, "ResourceNotFound", textNotFound, parsing}},
	{engine.ErrTableExists, serviceError{409, "TableAlreadyExists", "The specified table already exists.", executing}},
	{errCosmosAddress, serviceError{400, "InvalidInput", textCosmosAddress, belowCosmos}},
	{errCosmosPatch, serviceError{400, "InvalidInput", "One of the input values is invalid.", belowCosmos}},
	{errMediaType, serviceError{415, "MediaTypeNotSupported", "None of the provided media types are supported", belowCosmos}},
	{errCosmosUnsupported, serviceError{501, "NotImplemented", "The requested operation is not supported.", belowCosmos}},
	{errCosmosKeyRange, serviceError{501, "NotImplemented", "Shared access signature with PartitionKey or RowKey are not supported", belowCosmos}},
	{auth.ErrPermissionMismatch, serviceError{403, "Forbidden", textNotAuthorized + " using this permission.", belowCosmos}},
	{errCosmosDuplicate, serviceError{400, "InvalidDuplicateRow", textDuplicateRow, belowCosmos}},
}

// describeCosmos returns the answer of Cosmos DB to an error, if it has one of
// its own.
func describeCosmos(err error) (serviceError, bool) {
	if syntax := (*filter.SyntaxError)(nil); errors.As(err, &syntax) {
		return serviceError{400, "InvalidInput", textCosmosAddress, belowCosmos}, true
	}
	for _, known := range cosmosErrors {
		if !errors.Is(err, known.err) {
			continue
		}
		if of := (*operationError)(nil); known.err == errCosmosDuplicate && errors.As(err, &of) {
			known.message = strconv.Itoa(of.index) + ":" + known.message
		}
		return known.serviceError, true
	}
	return serviceError{}, false
}

// cosmosTypes are the content types of JSON, by metadata level.
var cosmosTypes = [...]string{
	payload.NoMetadata:      "application/json;odata=nometadata",
	payload.MinimalMetadata: "application/json;odata=minimalmetadata",
	payload.FullMetadata:    "application/json;odata=fullmetadata",
}

// cosmosPlainType is the content type of JSON if the request names no level, and of
// an empty answer, if that has one.
const cosmosPlainType = "application/json"

// negotiateCosmos reads Accept: JSON or, for a document, XML, by name. Cosmos DB
// ignores $format.
func negotiateCosmos(h header, document bool) (representation, error) {
	for media := range strings.SplitSeq(h.Get("Accept"), ",") {
		name, parameters, _ := strings.Cut(media, ";")
		switch name = strings.ToLower(strings.TrimSpace(name)); {
		case name == "application/json":
			level, err := metadataLevel(parameters)
			return representation{level: level, anyLevel: !strings.Contains(strings.ToLower(parameters), "odata")}, err
		case name == "application/xml" && document:
			return representation{level: payload.FullMetadata}, nil
		}
	}
	return representation{level: payload.FullMetadata}, errMediaType
}

// cosmosToken returns the continuation headers for the tokens of a key. From the
// second page on the first of them is an array.
func cosmosToken(partition, row string, later bool) (string, string) {
	token := cosmosTokenStart + partition + "|" + row + cosmosTokenEnd
	if later {
		token = "[" + token + "]"
	}
	return token, cosmosTokenRow
}

const (
	cosmosTokenStart = `{"token":"`
	cosmosTokenEnd   = `","range":{"min":"","max":"FF"}}`
	cosmosTokenRow   = "NA"
)

// readCosmosToken returns the tokens in cosmosToken's headers, and any other
// ones as they are.
func readCosmosToken(partition, row string) (string, string) {
	token, start := strings.CutPrefix(strings.TrimPrefix(partition, "["), cosmosTokenStart)
	token, end := strings.CutSuffix(strings.TrimSuffix(token, "]"), cosmosTokenEnd)
	first, second, ok := strings.Cut(token, "|")
	if row != cosmosTokenRow || !start || !end || !ok {
		return partition, row
	}
	return first, second
}
