package server

import (
	"errors"
	"strconv"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/batch"
	"sandtable/odata/filter"
	"sandtable/odata/payload"
	"sandtable/server/auth"
	"sandtable/server/message"
	"sandtable/server/xmldoc"
)

// ErrBodyUnreadable means that a body broke off or came too slowly.
var ErrBodyUnreadable = errors.New("request body could not be read")

// Errors of the server itself.
var (
	errAtomFormat         = errors.New("atom format is not supported")
	errJSONFormat         = errors.New("json format is not supported")
	errJSONVerbose        = errors.New("verbose json format is not supported")
	errMediaType          = errors.New("media type is not supported")
	errVersion            = errors.New("x-ms-version is not a date")
	errContinuation       = errors.New("continuation token is malformed")
	errQueryOption        = errors.New("query option is not supported")
	errQueryValue         = errors.New("query parameter has a wrong value")
	errStatsOnPrimary     = errors.New("statistics are at the secondary endpoint")
	errTop                = errors.New("$top is not a number from 0 to 1000")
	errSelectNames        = errors.New("$select has more than 255 names")
	errPreflight          = errors.New("no CORS rule matches")
	errPreflightHeader    = errors.New("preflight without Origin or method")
	errVerb               = errors.New("document does not support the verb")
	errMethodNotAllowed   = errors.New("resource does not have the method")
	errUnknownVerb        = errors.New("no resource has the verb")
	errNotImplemented     = errors.New("operation is not implemented on the resource")
	errNoAccount          = errors.New("no such account")
	errSecondaryWrite     = errors.New("write to the secondary endpoint")
	errBodyTooLarge       = errors.New("request body is too large")
	errIfMatchMissing     = errors.New("If-Match is required")
	errIfNoneMatchPut     = errors.New("If-None-Match with PUT")
	errIfNoneMatchDelete  = errors.New("If-None-Match with DELETE")
	errBothConditions     = errors.New("If-Match and If-None-Match together")
	errMethodCount        = errors.New("more than one X-HTTP-Method")
	errMethodValue        = errors.New("X-HTTP-Method is unknown")
	errMethodNotPost      = errors.New("X-HTTP-Method without POST")
	errNoSuchEntityTable  = errors.New("no such table in the list of tables")
	errTableBeingDeleted  = errors.New("table is being deleted")
	errOddTag             = errors.New("odd entity tag does not match")
	errTableFilter        = errors.New("filter of tables names another property than TableName")
	errOperationInBatch   = errors.New("operation is not possible in a changeset")
	errTooManyOperations  = errors.New("changeset has more than 100 operations")
	errDifferentPartition = errors.New("changeset touches more than one partition")
	errDifferentTable     = errors.New("changeset touches more than one table")
	errDuplicateRow       = errors.New("changeset touches an entity twice")
	errLengthMissing      = errors.New("POST or PUT without Content-Length")
	errBusy               = errors.New("too many request bodies or replies in memory")
)

// tagError is an If-Match that is not an entity tag.
type tagError string

func (e tagError) Error() string {
	return "The etag value '" + string(e) + "' specified in one of the request headers is not valid. " +
		"Please make sure only one etag value is specified and is valid."
}

// keyCountError is an address with other keys than its resource has.
type keyCountError string

func (e keyCountError) Error() string {
	return "The number of keys specified in the URI does not match number of key properties for the resource '" + string(e) + "'."
}

// operationError is the error of one operation of a changeset.
type operationError struct {
	index int
	err   error
}

func (e *operationError) Error() string { return strconv.Itoa(e.index) + ":" + e.err.Error() }
func (e *operationError) Unwrap() error { return e.err }

// serviceError is an error as the service sends it.
type serviceError struct {
	status  int
	code    string
	message string
	phase   phase
}

// phase is when the service detects an error, which shows in the headers and in
// the texts of batches.
type phase uint8

const (
	// executing errors have the headers of an answer. That of the only operation
	// of a changeset has no index before its text.
	executing phase = iota
	// parsing errors lack Cache-Control and Preference-Applied.
	parsing
	// checking errors lack Preference-Applied only.
	checking
	// frontEnd errors come from before the table service: a request without
	// credentials, but not failed authorization.
	frontEnd
	// httpLayer errors come from the HTTP layer before the front end, about credentials,
	// the version or an address: the answer names neither the table service nor a version.
	httpLayer
	// belowCosmos errors come from the layer below the Table API of Cosmos DB.
	belowCosmos
	// inChangeset errors of Cosmos DB have a position before their text.
	inChangeset
)

func (p phase) beforeService() bool { return p == frontEnd || p == httpLayer }

const (
	textInvalidInput   = "One of the request inputs is not valid."
	textProcessing     = "An error occurred while processing this request."
	textNotFound       = "The specified resource does not exist."
	textTableNotFound  = "The table specified does not exist."
	textNotImplemented = "The requested operation is not implemented on the specified resource."
	textInternal       = "Server encountered an internal error. Please try again after some time."
	textAuthFailed     = "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature."
	textNotAuthorized  = "This request is not authorized to perform this operation"
	textValueTooLarge  = "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less."
	textProperties     = "The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties."
	textQueryValue     = "Value for one of the query parameters specified in the request URI is invalid."
	textBearer         = "Server failed to authenticate the request. Please refer to the information in the www-authenticate header."
	textDuplicateRow   = "The batch request contains multiple changes with same row key. An entity can appear only once in a batch request."
)

// serviceErrors maps each error to the service's, once. The first that
// matches counts.
//
// Sources: "Table service error codes", "Common REST API error codes", and
// recordings and live test suites for texts, misspellings included.
var serviceErrors = []struct {
	err error
	serviceError
}{
	{engine.ErrTableNotFound, serviceError{404, "TableNotFound", textTableNotFound, executing}},
	{errNoSuchEntityTable, serviceError{404, "ResourceNotFound", textNotFound, executing}},
	{engine.ErrTableExists, serviceError{409, "TableAlreadyExists", "The table specified already exists.", executing}},
	{errTableBeingDeleted, serviceError{409, "TableBeingDeleted", "The specified table is being deleted. Try operation later.", executing}},
	{engine.ErrEntityNotFound, serviceError{404, "ResourceNotFound", textNotFound, executing}},
	{engine.ErrEntityExists, serviceError{409, "EntityAlreadyExists", "The specified entity already exists.", executing}},
	{engine.ErrConditionNotMet, serviceError{412, "UpdateConditionNotSatisfied", "The update condition specified in the request was not satisfied.", executing}},
	{errOddTag, serviceError{412, "ConditionNotMet", "The condition specified using HTTP conditional header(s) is not met.", parsing}},
	{engine.ErrAccountNotFound, serviceError{404, "ResourceNotFound", textNotFound, frontEnd}},
	{errNoAccount, serviceError{404, "ResourceNotFound", textNotFound, frontEnd}},

	{odata.ErrTableNameInvalid, serviceError{400, "InvalidResourceName", "The specifed resource name contains invalid characters.", executing}},
	{odata.ErrTableNameLength, serviceError{400, "OutOfRangeInput", "The specified resource name length is not within the permissible limits.", executing}},
	{odata.ErrTableNameReserved, serviceError{400, "InvalidInput", textInvalidInput, executing}},
	{odata.ErrPropertyNameInvalid, serviceError{400, "PropertyNameInvalid", "The property name is invalid.", executing}},
	{odata.ErrPropertyNameTooLong, serviceError{400, "PropertyNameTooLong", "The property name exceeds the maximum allowed length (255).", executing}},
	{odata.ErrPropertyValueTooLarge, serviceError{400, "PropertyValueTooLarge", textValueTooLarge, checking}},
	{odata.ErrTooManyProperties, serviceError{400, "TooManyProperties", textProperties, executing}},
	{odata.ErrEntityTooLarge, serviceError{400, "EntityTooLarge", "The entity is larger than the maximum allowed size (1MB).", executing}},
	{odata.ErrPathSyntax, serviceError{400, "InvalidInput", "Bad Request - Error in query syntax.", parsing}},
	{odata.ErrKeyOutOfRange, serviceError{400, "OutOfRangeInput", "One of the request inputs is out of range.", parsing}},
	{odata.ErrKeyRejected, serviceError{400, "", "", frontEnd}},
	{odata.ErrPathNotImplemented, serviceError{501, "NotImplemented", textNotImplemented, executing}},
	{odata.ErrPathUnknown, serviceError{400, "InvalidUri", "The requested URI does not represent any resource on the server.", httpLayer}},

	{payload.ErrKeyMissing, serviceError{400, "PropertiesNeedValue", "The values are not specified for all properties in the entity.", executing}},
	{payload.ErrNoTableName, serviceError{400, "PropertiesNeedValue", "The values are not specified for all properties in the entity.", executing}},
	{payload.ErrKeyType, serviceError{400, "InvalidInput", textInvalidInput, executing}},
	{payload.ErrDuplicateProperty, serviceError{400, "DuplicatePropertiesSpecified", "A property is specified more than one time.", executing}},
	{payload.ErrSyntax, serviceError{400, "InvalidInput", textProcessing, parsing}},

	{filter.ErrNotImplemented, serviceError{501, "NotImplemented", textNotImplemented, executing}},
	{errNotImplemented, serviceError{501, "NotImplemented", textNotImplemented, executing}},
	{errQueryOption, serviceError{501, "NotImplemented", textNotImplemented, executing}},
	{errTableFilter, serviceError{500, "InternalError", textInternal, executing}},
	{errTop, serviceError{400, "InvalidInput", textInvalidInput, parsing}},
	{errSelectNames, serviceError{400, "InvalidInput", textInvalidInput, parsing}},
	{errContinuation, serviceError{400, "InvalidInput", textInvalidInput, parsing}},

	{errAtomFormat, serviceError{415, "AtomFormatNotSupported", "Atom format is not supported.", parsing}},
	{errJSONFormat, serviceError{415, "JsonFormatNotSupported", "JSON format is not supported.", parsing}},
	{errJSONVerbose, serviceError{415, "JsonVerboseFormatNotSupported", "Verbose JSON format is not supported.", parsing}},
	{errMediaType, serviceError{415, "MediaTypeNotSupported", "None of the provided media types are supported", parsing}},
	{errVersion, serviceError{400, "InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct format.", httpLayer}},
	{errQueryValue, serviceError{400, "InvalidQueryParameterValue", textQueryValue, parsing}},
	{errStatsOnPrimary, serviceError{400, "InvalidQueryParameterValue", textQueryValue, parsing}},
	{xmldoc.ErrDocument, serviceError{400, "InvalidXmlDocument", "XML specified is not syntactically valid.", executing}},
	{xmldoc.ErrNodeValue, serviceError{400, "InvalidXmlNodeValue", "The value for one of the XML nodes is not in the correct format.", executing}},
	{xmldoc.ErrMissingNode, serviceError{400, "MissingRequiredXmlNode", "A required XML node was not specified in the request body.", executing}},
	{errPreflight, serviceError{403, "CorsPreflightFailure", "CORS not enabled or no matching rule found for this request.", frontEnd}},
	{errPreflightHeader, serviceError{400, "InvalidHeaderValue", "A required CORS header is not present.", frontEnd}},
	{errVerb, serviceError{405, "UnsupportedHttpVerb", "The resource doesn't support specified Http Verb.", parsing}},
	{errMethodNotAllowed, serviceError{405, "MethodNotAllowed", "The requested method is not allowed on the specified resource.", parsing}},
	{errUnknownVerb, serviceError{400, "InvalidHttpVerb", "The HTTP verb specified was not recognized by the server.", parsing}},
	{errSecondaryWrite, serviceError{403, "InsufficientAccountPermissions", "Write operations are not allowed.", parsing}},
	{errLengthMissing, serviceError{411, "MissingContentLengthHeader", "The Content-Length header was not specified.", httpLayer}},
	{errBusy, serviceError{503, "ServerBusy", "The server is busy.", executing}},
	{errBodyTooLarge, serviceError{413, "RequestBodyTooLarge", "The request body is too large and exceeds the maximum permissible limit.", frontEnd}},
	{ErrBodyUnreadable, serviceError{400, "InvalidInput", textProcessing, parsing}},

	{errIfMatchMissing, serviceError{400, "InvalidInput", textInvalidInput, parsing}},
	{errIfNoneMatchPut, serviceError{400, "InvalidInput", "If-None-Match HTTP header cannot be specified for PUT operations", parsing}},
	{errIfNoneMatchDelete, serviceError{400, "InvalidInput", "If-None-Match HTTP header cannot be specified for DELETE operations.", parsing}},
	{errBothConditions, serviceError{400, "InvalidInput", "Both If-Match and If-None-Match HTTP headers cannot be specified at the same time. Please specify either one of the headers or none of them.", parsing}},
	{errMethodCount, serviceError{400, "XMethodIncorrectCount", "More than one X-HTTP-Method is specified.", parsing}},
	{errMethodValue, serviceError{400, "XMethodIncorrectValue", "The specified X-HTTP-Method is invalid.", parsing}},
	{errMethodNotPost, serviceError{400, "XMethodNotUsingPost", "The request uses X-HTTP-Method with an HTTP verb other than POST.", parsing}},

	{batch.ErrBoundary, serviceError{400, "InvalidInput", textInvalidInput, parsing}},
	{batch.ErrSyntax, serviceError{400, "InvalidInput", textInvalidInput, parsing}},
	{batch.ErrOperation, serviceError{400, "InvalidInput", textProcessing, parsing}},
	{batch.ErrQueryMixed, serviceError{400, "InvalidInput", textInvalidInput, parsing}},
	{batch.ErrChangesets, serviceError{400, "InvalidInput", textInvalidInput, parsing}},
	{errOperationInBatch, serviceError{400, "InvalidInput", textInvalidInput, parsing}},
	{errDifferentTable, serviceError{400, "InvalidInput", textInvalidInput, parsing}},
	{errTooManyOperations, serviceError{400, "InvalidInput", "The batch request operation exceeds the maximum 100 changes per change set.", executing}},
	{errDifferentPartition, serviceError{400, "CommandsInBatchActOnDifferentPartitions", "All commands in a batch must operate on same entity group.", executing}},
	{errDuplicateRow, serviceError{400, "InvalidDuplicateRow", textDuplicateRow, executing}},

	{auth.ErrAuthenticationFailed, serviceError{403, "AuthenticationFailed", textAuthFailed, httpLayer}},
	{auth.ErrInvalidAuthenticationInfo, serviceError{400, "InvalidAuthenticationInfo", "The authentication information was not provided in the correct format. Verify the value of Authorization header.", httpLayer}},
	{auth.ErrNoCredentials, serviceError{404, "ResourceNotFound", textNotFound, frontEnd}},
	{auth.ErrBearerRefused, challenge},
	{auth.ErrNotByBearer, serviceError{404, "ResourceNotFound", textNotFound, frontEnd}},
	{auth.ErrPolicyConflict, serviceError{400, "InvalidQueryParameterValue", textQueryValue, frontEnd}},
	{auth.ErrAuthorizationFailure, serviceError{403, "AuthorizationFailure", textNotAuthorized + ".", executing}},
	{auth.ErrPermissionMismatch, serviceError{403, "AuthorizationPermissionMismatch", textNotAuthorized + " using this permission.", executing}},
	{auth.ErrResourceTypeMismatch, serviceError{403, "AuthorizationResourceTypeMismatch", textNotAuthorized + " using this resource type.", executing}},
	{auth.ErrServiceMismatch, serviceError{403, "AuthorizationServiceMismatch", textNotAuthorized + " using this service.", executing}},
	{auth.ErrProtocolMismatch, serviceError{403, "AuthorizationProtocolMismatch", textNotAuthorized + " using this protocol.", executing}},
	{auth.ErrSourceIPMismatch, serviceError{403, "AuthorizationSourceIPMismatch", textNotAuthorized + " using this source IP.", executing}},

	// Before ErrStorage, which they come with: nothing was to be saved, or
	// another store will take the place of this one.
	{ErrUnavailable, serviceError{503, "ServerBusy", "The server is busy.", executing}},
	{ErrOutcomeUnknown, serviceError{500, "OperationTimedOut", "Operation could not be completed within the specified time.", executing}},
	{engine.ErrReading, serviceError{503, "ServerBusy", "The server is busy.", executing}},
	{engine.ErrClosed, serviceError{503, "ServerBusy", "The server is busy.", executing}},
	{engine.ErrStorage, serviceError{message.StatusInsufficientStorage, "InsufficientStorage", "The change may not have been saved. Nothing saved before is lost.", executing}},
}

// challenge is what newer versions say to a token that they do not take, and
// to a request without credentials about an XML document.
var challenge = serviceError{401, "InvalidAuthenticationInfo", textBearer, httpLayer}

// noInformation is what newer versions say to any other request without
// credentials, as recorded.
var noInformation = serviceError{401, "NoAuthenticationInformation", textBearer, frontEnd}

const bearerChallenge = "Bearer authorization_uri=https://login.microsoftonline.com/common/oauth2/authorize resource_id=https://storage.azure.com"

// isNotAllowed reports whether a SAS that is authentic lacks what a request
// needs.
func isNotAllowed(err error) bool {
	for _, refusal := range []error{
		auth.ErrAuthorizationFailure, auth.ErrPermissionMismatch, auth.ErrResourceTypeMismatch, auth.ErrServiceMismatch, auth.ErrProtocolMismatch, auth.ErrSourceIPMismatch,
	} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

// isOfStore reports whether the store failed, or memory ran out, rather than one of the
// operations. Clients retry a transaction if the status of the whole answer says so, but
// never because of the status of a part.
func isOfStore(err error) bool {
	for _, failure := range []error{errBusy, ErrUnavailable, ErrOutcomeUnknown, engine.ErrReading, engine.ErrClosed, engine.ErrStorage} {
		if errors.Is(err, failure) {
			return true
		}
	}
	return false
}

// Describe returns how the service answers an error of the engine, or one of
// this package.
func Describe(err error) (status int, code, message string) {
	known := describe(err)
	return known.status, known.code, known.message
}

// describe returns the service's words for an error. An error that it does not
// know is a fault of ours and becomes InternalError.
func describe(err error) serviceError {
	var outOfRange *odata.OutOfRangeError
	var syntax *filter.SyntaxError
	var types *filter.TypeError
	var tag tagError
	var keys keyCountError
	var selected selectError
	switch {
	case errors.As(err, &outOfRange):
		return serviceError{400, "OutOfRangeInput", outOfRange.Error(), executing}
	case errors.As(err, &syntax):
		return serviceError{400, "InvalidInput", syntax.Error(), parsing}
	case errors.As(err, &types) && types.Null:
		return serviceError{400, "InvalidInput", types.Error(), executing}
	case errors.As(err, &types):
		return serviceError{400, "InvalidInput", types.Error(), parsing}
	case errors.As(err, &tag):
		return serviceError{400, "InvalidInput", tag.Error(), parsing}
	case errors.As(err, &keys):
		return serviceError{400, "InvalidInput", keys.Error(), parsing}
	case errors.As(err, &selected):
		return serviceError{400, "InvalidInput", selected.Error(), parsing}
	}
	for _, known := range serviceErrors {
		if errors.Is(err, known.err) {
			return known.serviceError
		}
	}
	return serviceError{500, "InternalError", textInternal, executing}
}
