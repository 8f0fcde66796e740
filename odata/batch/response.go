package batch

import (
	"bytes"
	"slices"
	"strconv"

	"sandtable/odata"
)

// Response is the response to one operation of a batch.
type Response struct {
	Status int
	// Header is written in this order, without additions.
	Header Header
	Body   []byte
}

// AppendResponses appends the response body of a batch: one part per operation of
// a changeset, or a single one for the operation that failed. If
// changesetBoundary is "" it is the response to a query.
func AppendResponses(b []byte, batchBoundary, changesetBoundary string, parts []Response) []byte {
	return appendResponses(b, batchBoundary, changesetBoundary, crlf, parts)
}

// AppendCosmosResponses is [AppendResponses] for Cosmos DB, which ends the lines
// around the responses in LF.
func AppendCosmosResponses(b []byte, batchBoundary, changesetBoundary string, parts []Response) []byte {
	return appendResponses(b, batchBoundary, changesetBoundary, "\n", parts)
}

func appendResponses(b []byte, batchBoundary, changesetBoundary, lineEnd string, parts []Response) []byte {
	b = slices.Grow(b, sizeOf(parts, len(batchBoundary)+len(changesetBoundary)))
	return appendBatch(b, batchBoundary, changesetBoundary, lineEnd, len(parts), func(b []byte, i int) []byte {
		b = append(b, "HTTP/1.1 "...)
		b = strconv.AppendInt(b, int64(parts[i].Status), 10)
		b = append(b, ' ')
		b = append(b, reason(parts[i].Status)...)
		b = append(b, "\r\n"...)
		return appendMessage(b, parts[i].Header, parts[i].Body)
	})
}

// sizeOf estimates the size of responses, so that the buffer grows only once.
func sizeOf(parts []Response, boundaries int) int {
	size := 256
	for i := range parts {
		size += 128 + boundaries + len(parts[i].Body)
		for _, f := range parts[i].Header {
			size += len(f.Name) + len(f.Value) + 4
		}
	}
	return size
}

// ParseResponses reads the response body of a batch with the given Content-Type.
// The bodies of the responses are slices of it. The error is ErrBoundary or
// ErrSyntax, also for more than [odata.MaxBatchOperations] responses.
func ParseResponses(mediaType string, body []byte) ([]Response, error) {
	return parseResponses(mediaType, body, true)
}

func parseResponses(mediaType string, body []byte, outer bool) ([]Response, error) {
	boundary, ok := boundaryOf(mediaType)
	if !ok {
		return nil, ErrBoundary
	}
	walk := newParts(body, boundary)
	if !walk.found {
		return nil, ErrBoundary
	}
	var all []Response
	var around, fields headers
	for {
		part, ok := walk.next()
		if !ok {
			break
		}
		header, rest, ok := around.cut(cutBlankLines(part))
		if !ok {
			return nil, ErrSyntax
		}
		nested := header.Get(contentType)
		if _, ok := boundaryOf(nested); ok && outer {
			inner, err := parseResponses(nested, rest, false)
			if err != nil {
				return nil, err
			}
			if all = append(all, inner...); len(all) > odata.MaxBatchOperations {
				return nil, ErrSyntax
			}
			continue
		}
		response, ok := parseResponse(rest, &fields)
		if !ok {
			return nil, ErrSyntax
		}
		if all = append(all, response); len(all) > odata.MaxBatchOperations {
			return nil, ErrSyntax
		}
	}
	if outer && !walk.closed {
		return nil, ErrSyntax
	}
	return all, nil
}

func parseResponse(text []byte, fields *headers) (Response, bool) {
	line, rest := cutLine(cutBlankLines(text))
	version, line, _ := bytes.Cut(line, []byte(" "))
	code, _, _ := bytes.Cut(line, []byte(" "))
	status, err := strconv.Atoi(string(code))
	if err != nil || len(code) != 3 || status < 100 || !bytes.HasPrefix(version, []byte("HTTP/")) {
		return Response{}, false
	}
	header, body, ok := fields.cut(rest)
	return Response{Status: status, Header: header, Body: bytes.Trim(body, "\r\n")}, ok
}

const crlf = "\r\n"

// appendBatch appends a multipart body with n parts, which are within a
// changeset unless its boundary is "". The line end is that of delimiters and of
// the fields around a part.
func appendBatch(b []byte, batchBoundary, changesetBoundary, lineEnd string, n int, part func([]byte, int) []byte) []byte {
	partBoundary := batchBoundary
	if changesetBoundary != "" {
		partBoundary = changesetBoundary
		b = appendAll(b, "--", batchBoundary, lineEnd, "Content-Type: multipart/mixed; boundary=", changesetBoundary, crlf, crlf)
	}
	for i := range n {
		b = appendAll(b, "--", partBoundary, lineEnd, "Content-Type: application/http", lineEnd, "Content-Transfer-Encoding: binary", lineEnd, lineEnd)
		b = part(b, i)
		b = append(b, crlf...)
	}
	if changesetBoundary != "" {
		b = appendAll(b, "--", changesetBoundary, "--", lineEnd)
	}
	return appendAll(b, "--", batchBoundary, "--", crlf)
}

func appendAll(b []byte, parts ...string) []byte {
	for _, part := range parts {
		b = append(b, part...)
	}
	return b
}

// appendMessage appends what follows the first line of a request or response.
func appendMessage(b []byte, header Header, body []byte) []byte {
	for _, f := range header {
		b = appendField(b, f)
	}
	b = append(b, "\r\n"...)
	return append(b, body...)
}

func appendField(b []byte, f Field) []byte {
	b = append(b, f.Name...)
	b = append(b, ": "...)
	b = append(b, f.Value...)
	return append(b, "\r\n"...)
}

// reason returns the reason phrase of the statuses that operations can have. This
// package does not import net/http, because it has no I/O.
func reason(status int) string {
	switch status {
	case 200:
		return "OK"
	case 201:
		return "Created"
	case 202:
		return "Accepted"
	case 204:
		return "No Content"
	case 304:
		return "Not Modified"
	case 400:
		return "Bad Request"
	case 401:
		return "Unauthorized"
	case 403:
		return "Forbidden"
	case 404:
		return "Not Found"
	case 405:
		return "Method Not Allowed"
	case 409:
		return "Conflict"
	case 411:
		return "Length Required"
	case 412:
		return "Precondition Failed"
	case 413:
		return "Request Entity Too Large"
	case 415:
		return "Unsupported Media Type"
	case 500:
		return "Internal Server Error"
	case 501:
		return "Not Implemented"
	case 503:
		return "Service Unavailable"
	default:
		return ""
	}
}
