package server

import (
	"errors"

	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/server/auth"
	"sandtable/server/message"
	"sandtable/server/xmldoc"
)

// fail returns the reply for an error, in the protocol of the request.
func (x *exchange) fail(p protocol, err error) *reply {
	failed := x.failure(p, p.describe(err))
	failed.err = err
	return failed
}

// describe is [describe] with what older versions and Cosmos DB answer instead.
func (p protocol) describe(err error) serviceError {
	if p.cosmos {
		if known, ok := describeCosmos(err); ok {
			return known
		}
	}
	switch {
	case p.version < versionForbidden && isNotAllowed(err):
		return serviceError{404, "ResourceNotFound", textNotFound, executing}
	case p.version < versionMismatches && isNotAllowed(err):
		err = auth.ErrAuthorizationFailure
	case p.version < versionChallenge && errors.Is(err, auth.ErrBearerRefused):
		err = auth.ErrAuthenticationFailed
	case p.version >= versionChallenge && errors.Is(err, auth.ErrNoCredentials):
		if p.document {
			return challenge
		}
		return noInformation
	}
	known := describe(err)
	switch {
	case p.cosmos || p.version >= versionDetails:
	case known.code == "InvalidDuplicateRow":
		known.code, known.message = "InvalidInput", textInvalidInput
	case known.code == "InvalidInput":
		known.message = textInvalidInput
	}
	return known
}

// failure returns the reply for a service error. An error without a code comes
// from before the service and has no body.
func (x *exchange) failure(p protocol, known serviceError) *reply {
	if p.cosmos && known.code != "" {
		return x.cosmosFailure(p, known)
	}
	failed := &reply{status: known.status, errorCode: known.code, phase: known.phase, document: p.document}
	if known.phase == executing {
		failed.preference = p.preference
	}
	switch message := known.message + x.tail(); {
	case known.code == "":
	case p.old() && known.phase.beforeService():
		failed.contentType = contentTypeDocument
		failed.body = payload.AppendAtomError([]byte(xmldoc.ByteOrderMark), true, known.code, message)
	case p.document, known.phase.beforeService() && p.xmlErrors:
		failed.contentType, failed.body = contentTypeDocument, xmldoc.AppendError(nil, known.code, message)
	case p.old():
		failed.body = payload.AppendAtomError(nil, true, known.code, message)
	case p.xmlErrors:
		failed.contentType, failed.body = contentTypeXML, payload.AppendAtomError(nil, false, known.code, message)
	case known.phase.beforeService():
		failed.contentType, failed.body = contentTypeFrontEnd, payload.AppendError(nil, known.code, message)
	default:
		failed.contentType, failed.body = p.entryType(), payload.AppendError(nil, known.code, message)
	}
	return failed
}

// tail ends the text of every error.
func (x *exchange) tail() string {
	now := odata.DateTimeOf(x.options.Now()).AppendFull(nil)
	return "\nRequestId:" + x.id + "\nTime:" + string(now)
}

// write sends the reply with the headers that every answer has.
func (x *exchange) write(w message.ResponseWriter, out *reply) {
	x.writeHeader(w.Header(), out)
	w.WriteHeader(out.status)
	if _, err := w.Write(out.body); err != nil {
		out.page = nil // the caller is gone, but HTTP/2 may still be reading the body
	}
}

func (x *exchange) writeHeader(h message.Header, out *reply) {
	p := &x.protocol
	if p.cosmos && out.status == message.StatusNoContent && p.version >= versionCosmosTyped {
		out.contentType = cosmosPlainType
	}
	out.writeHeader(h, p.old())
	h["x-ms-request-id"] = []string{x.id}
	if out.phase == httpLayer {
		h["Server"] = []string{"Microsoft-HTTPAPI/2.0"}
	} else {
		x.nameService(h)
	}
	if (out.phase.beforeService() || out.document) && out.errorCode != "" && p.version >= versionErrorCodeHeader {
		h["x-ms-error-code"] = []string{out.errorCode}
	}
	if out.status == message.StatusUnauthorized {
		h["WWW-Authenticate"] = []string{bearerChallenge}
	}
	if p.cosmos {
		removeForeignHeaders(h)
	}
	out.cors.write(h, out.document)
	h["Date"] = []string{x.options.Now().UTC().Format(message.TimeFormat)}
}

// nameService adds the headers that only the table service itself knows.
func (x *exchange) nameService(h message.Header) {
	p := &x.protocol
	h["Server"] = []string{"Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0"}
	if p.named && p.version >= versionInResponses {
		h["x-ms-version"] = []string{p.version}
	}
	if id := x.clientRequestID(); p.version >= versionClientRequestID && id != "" {
		h["x-ms-client-request-id"] = []string{id}
	}
}
