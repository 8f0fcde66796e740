package batch

import (
	"bytes"

	"sandtable/odata"
)

// Operation is one request within a batch.
type Operation struct {
	Method string // as it was written
	// Target is the address as it was written: absolute, or a path.
	Target string
	Header Header
	// ContentID is the Content-ID among the operation's own fields, which its
	// response repeats. One among the fields of the part around it is not
	// repeated, and not here.
	ContentID string
	// Body is without line ends around it. It is part of the batch's body,
	// uncopied. Its Content-Length means nothing: clients send wrong ones.
	Body []byte
}

// Request is a batch: the operations of its changeset, or a single query.
type Request struct {
	Operations []Operation
	// Query says that there is one operation, a GET outside of a changeset.
	Query bool
}

// Parse reads the body of a batch with the given Content-Type.
//
// It accepts what working clients send: lines that end in LF, empty lines
// around parts, headers in any case, quoted boundaries, and a body without its
// last line end, or without one of its two closing delimiters. A body without
// either was cut, and half a changeset must not be executed.
//
// Reading ends behind the first operation that is too many, at 101: such a
// batch fails whatever follows. The error is one of those of batches.
func Parse(mediaType string, body []byte) (Request, error) {
	boundary, ok := boundaryOf(mediaType)
	if !ok {
		return Request{}, ErrBoundary
	}
	outer := newParts(body, boundary)
	if !outer.found {
		return Request{}, ErrBoundary
	}
	r := reader{}
	for {
		part, ok := outer.next()
		if !ok {
			break
		}
		if err := r.part(part); err != nil {
			return Request{}, err
		}
		if len(r.request.Operations) > odata.MaxBatchOperations {
			return r.request, nil
		}
	}
	switch {
	case r.changesets == 0 && !r.request.Query:
		return Request{}, ErrSyntax
	case r.changesets == 1 && !r.closed && !outer.closed:
		return Request{}, ErrSyntax
	}
	return r.request, nil
}

// reader collects the parts of a batch.
type reader struct {
	request    Request
	changesets int
	closed     bool // the changeset had its closing delimiter
}

// part reads a part of the batch: a changeset or a query.
func (r *reader) part(text []byte) error {
	header, rest, ok := cutHeader(cutBlankLines(text))
	if !ok {
		return ErrSyntax
	}
	if boundary, ok := boundaryOf(header.Get(contentType)); ok {
		return r.changeset(rest, boundary)
	}
	op, ok := parseOperation(rest)
	switch {
	case !ok:
		return ErrSyntax
	case r.changesets > 0 || r.request.Query:
		return ErrQueryMixed
	case op.Method != queryMethod:
		// Changes are in changesets only.
		return ErrSyntax
	}
	r.request = Request{Operations: []Operation{op}, Query: true}
	return nil
}

const queryMethod = "GET"

func (r *reader) changeset(text []byte, boundary string) error {
	r.changesets++
	switch {
	case r.request.Query:
		return ErrQueryMixed
	case r.changesets > 1:
		return ErrChangesets
	}
	inner := newParts(text, boundary)
	if !inner.found {
		return ErrBoundary
	}
	for len(r.request.Operations) <= odata.MaxBatchOperations {
		part, ok := inner.next()
		if !ok {
			break
		}
		_, rest, ok := cutFields(cutBlankLines(part))
		if !ok {
			return ErrSyntax
		}
		op, ok := parseOperation(rest)
		switch {
		case !ok:
			return ErrSyntax
		case op.Method == queryMethod:
			return ErrQueryMixed
		}
		r.request.Operations = append(r.request.Operations, op)
	}
	r.closed = inner.closed
	return nil
}

// parseOperation reads an HTTP request. Its target can have blanks in it, as
// keys have and some clients do not encode.
func parseOperation(text []byte) (Operation, bool) {
	line, rest := cutLine(cutBlankLines(text))
	line = bytes.TrimSpace(line)
	method, line, _ := bytes.Cut(line, []byte(" "))
	last := bytes.LastIndexByte(line, ' ')
	if !isToken(method) || last < 0 || !isText(line) || !bytes.HasPrefix(line[last+1:], []byte("HTTP/")) {
		return Operation{}, false
	}
	target := bytes.TrimSpace(line[:last])
	header, body, ok := cutHeader(rest)
	if !ok || len(target) == 0 {
		return Operation{}, false
	}
	return Operation{
		Method:    string(method),
		Target:    string(target),
		Header:    header,
		ContentID: header.Get(contentIDName),
		Body:      bytes.Trim(body, "\r\n"),
	}, true
}

// AppendRequest appends the body of a batch: a changeset with these
// operations, or without a boundary for it ("") a single query. The boundaries
// must not occur in the operations.
//
// An operation's ContentID comes first among its fields, unless its header has
// one too.
func AppendRequest(b []byte, batchBoundary, changesetBoundary string, operations []Operation) []byte {
	return appendBatch(b, batchBoundary, changesetBoundary, len(operations), func(b []byte, i int) []byte {
		return appendOperation(b, &operations[i])
	})
}

func appendOperation(b []byte, op *Operation) []byte {
	b = append(b, op.Method...)
	b = append(b, ' ')
	b = append(b, op.Target...)
	b = append(b, " HTTP/1.1\r\n"...)
	if op.ContentID != "" && op.Header.Get(contentIDName) == "" {
		b = appendField(b, Field{contentIDName, op.ContentID})
	}
	return appendMessage(b, op.Header, op.Body)
}
