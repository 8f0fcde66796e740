package batch

import "bytes"

// Operation is one request within a batch.
type Operation struct {
	Method string // as written
	// Target is the request target as written: a URL or a path.
	Target string
	// Header must not be modified: those of several operations share an array.
	Header Header
	// ContentID is the Content-ID of the operation's own header, which its
	// response echoes. One in the header of the MIME part is not echoed and
	// ignored.
	ContentID string
	// Body is a slice of the batch's body, without surrounding line ends. Its
	// Content-Length is ignored: clients send wrong ones.
	Body []byte
}

// Request is a batch: the operations of its changeset, or a single query.
type Request struct {
	Operations []Operation
	// Query means that the only operation is a GET outside of a changeset.
	Query bool
}

// Parse reads the body of a batch with the given Content-Type.
//
// It accepts what working clients send: lines that end in LF, empty lines around
// parts, header names in any case, quoted boundaries, and a body without its last
// line end or without one of its two closing delimiters. A body without both is
// truncated: half a changeset must not be executed.
//
// A batch can have at most limit operations. Parse stops after one more: such
// a batch fails whatever follows. The error is one of ErrBoundary, ErrSyntax,
// ErrOperation, ErrQueryMixed and ErrChangesets.
func Parse(mediaType string, body []byte, limit int) (Request, error) {
	boundary, ok := boundaryOf(mediaType)
	if !ok {
		return Request{}, ErrBoundary
	}
	outer := newParts(body, boundary)
	if !outer.found {
		return Request{}, ErrBoundary
	}
	r := reader{limit: limit}
	for {
		part, ok := outer.next()
		if !ok {
			break
		}
		if err := r.part(part); err != nil {
			return Request{}, err
		}
		if len(r.request.Operations) > limit {
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
	limit      int // of operations
	changesets int
	closed     bool // the changeset had its closing delimiter

	// Caches of the previous operation.
	around headers
	line   lastLine
	fields headers
}

// lastLine remembers the last request line, as headers do theirs.
type lastLine struct {
	text           []byte // with its line end; or nil
	method, target string
}

// part reads a part of the batch: a changeset or a query.
func (r *reader) part(text []byte) error {
	header, rest, ok := new(headers).cut(cutBlankLines(text))
	if !ok {
		return ErrSyntax
	}
	if boundary, ok := boundaryOf(header.Get(contentType)); ok {
		return r.changeset(rest, boundary)
	}
	op, ok := r.operation(rest)
	switch {
	case !ok:
		return ErrSyntax
	case r.changesets > 0 || r.request.Query:
		return ErrQueryMixed
	case op.Method != queryMethod:
		// writes need a changeset
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
	r.request.Operations = make([]Operation, 0, min(len(text)/usualOperation, r.limit)+1)
	for len(r.request.Operations) <= r.limit {
		part, ok := inner.next()
		if !ok {
			break
		}
		_, rest, ok := r.around.cut(cutBlankLines(part))
		if !ok {
			return ErrOperation
		}
		op, ok := r.operation(rest)
		switch {
		case !ok:
			return ErrOperation
		case op.Method == queryMethod:
			return ErrQueryMixed
		}
		r.request.Operations = append(r.request.Operations, op)
	}
	r.closed = inner.closed
	return nil
}

// usualOperation is the usual minimum size of an operation with its MIME header,
// in bytes, to estimate their number.
const usualOperation = 200

// operation reads an HTTP request.
func (r *reader) operation(text []byte) (Operation, bool) {
	method, target, rest, ok := r.line.cut(cutBlankLines(text))
	if !ok {
		return Operation{}, false
	}
	header, body, ok := r.fields.cut(rest)
	if !ok {
		return Operation{}, false
	}
	return Operation{Method: method, Target: target, Header: header, ContentID: header.Get(contentIDName), Body: trimLineEnds(body)}, true
}

// cut reads a request line. Its target may contain spaces, which keys have and
// some clients do not encode.
func (l *lastLine) cut(text []byte) (method, target string, rest []byte, ok bool) {
	if l.text != nil && bytes.HasPrefix(text, l.text) {
		return l.method, l.target, text[len(l.text):], true
	}
	line, rest := cutLine(text)
	line = bytes.TrimSpace(line)
	verb, line, _ := bytes.Cut(line, []byte(" "))
	last := bytes.LastIndexByte(line, ' ')
	if !isToken(verb) || last < 0 || !isText(line) || !bytes.HasPrefix(line[last+1:], []byte("HTTP/")) {
		return "", "", nil, false
	}
	address := bytes.TrimSpace(line[:last])
	if len(address) == 0 {
		return "", "", nil, false
	}
	if string(verb) != l.method {
		l.method = string(verb)
	}
	l.target = string(address)
	if l.text = nil; rest != nil { // the line is complete
		l.text = text[:len(text)-len(rest)]
	}
	return l.method, l.target, rest, true
}

// trimLineEnds removes surrounding line ends.
func trimLineEnds(text []byte) []byte {
	for len(text) > 0 && isLineEnd(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isLineEnd(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

func isLineEnd(c byte) bool { return c == '\r' || c == '\n' }

// AppendRequest appends the body of a batch: a changeset with these operations,
// or a single query if changesetBoundary is "". The boundaries must not occur in
// the operations.
//
// An operation's ContentID becomes its first field, unless its header has one.
func AppendRequest(b []byte, batchBoundary, changesetBoundary string, operations []Operation) []byte {
	return appendBatch(b, batchBoundary, changesetBoundary, crlf, len(operations), func(b []byte, i int) []byte {
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
