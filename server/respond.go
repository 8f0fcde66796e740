package server

import (
	"errors"
	"strings"

	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/server/auth"
	"sandtable/server/message"
	"sandtable/server/xmldoc"
)

// fail returns the reply that says an error in the request's representation.
func (x *exchange) fail(err error) *reply {
	known := x.describe(err)
	if errors.Is(err, auth.ErrNoCredentials) && x.request.version >= versionChallenge {
		known = noInformation
		if x.request.document {
			known = challenge
		}
	}
	return failure(&x.request, known, x.tail())
}

// describe is [describe] with what Cosmos DB calls otherwise, and older
// versions.
func (x *exchange) describe(err error) serviceError {
	if x.request.version < versionMismatches && isMismatch(err) {
		err = auth.ErrAuthorizationFailure
	}
	if x.endpoint.cosmos && errors.Is(err, errAtomFormat) {
		err = errMediaType
	}
	return describe(err)
}

// failure returns the reply that says a service error to a request. An error
// without a code comes from before the service and has no body.
func failure(r *request, known serviceError, tail string) *reply {
	failed := &reply{status: known.status, errorCode: known.code, phase: known.phase, document: r.document}
	if known.phase == executing {
		failed.preference = r.preference
	}
	switch message := known.message + tail; {
	case known.code == "":
	case r.document, known.phase == frontEnd && r.representation.xmlErrors && r.version >= versionJSON:
		failed.contentType, failed.body = contentTypeDocument, xmldoc.AppendError(nil, known.code, message)
	case r.representation.xmlErrors:
		failed.contentType, failed.body = contentTypeXML, payload.AppendAtomError(nil, known.code, message)
	case known.phase == frontEnd:
		failed.contentType, failed.body = contentTypeFrontEnd, payload.AppendError(nil, known.code, message)
	default:
		failed.contentType, failed.body = r.representation.entryType(), payload.AppendError(nil, known.code, message)
	}
	return failed
}

// tail is what the service puts behind the text of every error.
func (x *exchange) tail() string {
	now := odata.DateTimeOf(x.handler.options.Now()).AppendFull(nil)
	return "\nRequestId:" + x.requestID + "\nTime:" + string(now)
}

// write sends the reply with the headers that every answer has.
func (x *exchange) write(w message.ResponseWriter, done *reply) {
	h := w.Header()
	done.writeHeader(h)
	h["Server"] = []string{"Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0"}
	h["x-ms-request-id"] = []string{x.requestID}
	if x.sentVersion != "" && checkVersion(x.sentVersion) {
		h["x-ms-version"] = []string{x.sentVersion}
	}
	if id := x.http.Header.Get("x-ms-client-request-id"); x.request.version >= versionClientRequestID && echoes(id) {
		h["x-ms-client-request-id"] = []string{id}
	}
	if (done.phase == frontEnd || done.document) && done.errorCode != "" && x.request.version >= versionErrorCodeHeader {
		h["x-ms-error-code"] = []string{done.errorCode}
	}
	if done.status == message.StatusUnauthorized {
		h["WWW-Authenticate"] = []string{bearerChallenge}
	}
	if x.endpoint.cosmos {
		for _, name := range notOfCosmos {
			delete(h, name)
		}
	}
	done.cors.write(h)
	h["Date"] = []string{x.handler.options.Now().UTC().Format(message.TimeFormat)}
	w.WriteHeader(done.status)
	if whole, ok := w.(message.WholeWriter); ok {
		whole.WriteWhole(done.body)
		return
	}
	_, _ = w.Write(done.body) // the caller is gone, if this fails
}

// notOfCosmos are the headers that Cosmos DB does not have, as recorded.
var notOfCosmos = []string{"Server", "x-ms-version", "Cache-Control", "X-Content-Type-Options"}

// echoes reports whether a client's request id is one that the service echoes.
func echoes(id string) bool {
	notVisible := func(r rune) bool { return r < 0x20 || r > 0x7E }
	return id != "" && len(id) <= 1024 && strings.IndexFunc(id, notVisible) < 0
}
