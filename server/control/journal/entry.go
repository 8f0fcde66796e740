package journal

import (
	"strings"
	"time"
	"unsafe"

	"sandtable/server"
	"sandtable/server/faults"
	"sandtable/server/message"
)

// Redacted replaces what is not recorded.
const Redacted = "REDACTED"

// The lengths, in bytes, to which the parts of a request are cut.
const (
	maxURL    = 8 << 10
	maxName   = 64
	maxField  = 1 << 10
	maxFields = 64 // of a header
)

// Entry is a request and its response. Nothing it points to changes any more.
type Entry struct {
	ID        uint64 // 1, 2, 3…, set by [Ring.Add]
	RequestID string
	Time      time.Time
	Duration  time.Duration
	Method    string
	URL       string
	Operation string // "" if none was found
	Account   string
	Table     string
	Partition *string // the only one that the request is about, nil for none or several
	// Members are the operations of an entity group transaction.
	Members []server.Member
	// What the client says about itself: the id and the label of the request, and the
	// program that sends it, without its version; "" if unknown.
	ClientRequestID, Label, Source string
	Status                         int
	Code                           string // of the error, or ""
	Reason                         string // why the request was refused, or ""
	// StringToSign is what the signature of a refused request should cover, as
	// far as that is known.
	StringToSign string
	// Signed is what it does cover, if that is a usual mistake.
	Signed     string
	Statistics server.Statistics
	Fault      faults.Decision // what the account's faults did to it

	RequestHeader  []Field
	ResponseHeader message.Header
	// RequestBody and ResponseBody are the beginnings of bodies that are
	// RequestLength and ResponseLength bytes long.
	RequestBody, ResponseBody     []byte
	RequestLength, ResponseLength int
}

// Field is a header field. Repeated ones are joined with ", ".
type Field struct{ Name, Value string }

// NewEntry returns the entry for a record, with bodies only on request. It takes
// time in proportion to what the entry keeps.
func NewEntry(r *server.Record, bodies bool) *Entry {
	e := &Entry{
		RequestID: r.RequestID, Time: r.Time, Duration: r.Duration,
		Method: cut(r.Request.Method, maxField), URL: address(r.Request),
		Operation: r.Operation, Account: cut(r.Account, maxField), Status: r.Status, Code: r.Code,
		Reason: r.Reason, StringToSign: r.StringToSign, Signed: r.Signed, Statistics: r.Statistics, Fault: r.Fault,
		Table: cut(r.Table, maxField), Members: members(r.Members),
		ClientRequestID: clientText(r.Request, "X-Ms-Client-Request-Id"), Label: clientText(r.Request, "X-Sandtable-Label"), Source: source(r.Request),
		RequestHeader: requestFields(r.Request), ResponseHeader: r.ResponseHeader,
		RequestLength: len(r.RequestBody), ResponseLength: len(r.ResponseBody),
	}
	if r.Partition != nil {
		key := cut(*r.Partition, maxField)
		e.Partition = &key
	}
	if bodies {
		e.RequestBody, e.ResponseBody = r.RequestBody, r.ResponseBody
	}
	return e
}

// Truncated reports whether a part of a body was not kept.
func (e *Entry) Truncated() bool {
	return len(e.RequestBody) < e.RequestLength || len(e.ResponseBody) < e.ResponseLength
}

// size is about how many bytes the entry keeps from being freed.
func (e *Entry) size() int {
	n := int(unsafe.Sizeof(*e)) + len(e.Method) + len(e.URL) + len(e.Account) + len(e.Reason) + len(e.StringToSign) + len(e.Signed) +
		len(e.Table) + len(e.ClientRequestID) + len(e.Label) + len(e.Source)
	if e.Partition != nil {
		n += len(*e.Partition)
	}
	for _, m := range e.Members {
		n += int(unsafe.Sizeof(m)) + len(m.RowKey)
	}
	for _, f := range e.RequestHeader {
		n += int(unsafe.Sizeof(f)) + len(f.Name) + len(f.Value)
	}
	for name, values := range e.ResponseHeader {
		n += fieldSize + len(name)
		for _, value := range values {
			n += len(value)
		}
	}
	return n + cap(e.RequestBody) + cap(e.ResponseBody)
}

// maxClientText limits what a client says about itself, in bytes.
const maxClientText = 128

// clientText returns a header of the client, of which long ones are cut.
func clientText(r *message.Request, canonical string) string {
	if values := r.Header[canonical]; len(values) > 0 {
		return cut(values[0], maxClientText)
	}
	return ""
}

// source returns the name of the SDK or program that sent a request, such as
// azsdk-js-data-tables. Browsers give theirs, which says nothing.
func source(r *message.Request) string {
	for _, header := range [...]string{"X-Ms-Useragent", "User-Agent"} {
		if name, _, _ := strings.Cut(clientText(r, header), "/"); name != "" && name != "Mozilla" {
			return name
		}
	}
	return ""
}

// members copies the operations of a transaction, whose keys share the memory of
// the body.
func members(list []server.Member) []server.Member {
	if list == nil {
		return nil
	}
	kept := make([]server.Member, len(list))
	for i, m := range list {
		kept[i] = server.Member{Operation: m.Operation, RowKey: cut(m.RowKey, maxField)}
	}
	return kept
}

// fieldSize is about what a field of a header takes besides its strings.
const fieldSize = 64

// cut copies a string up to a limit: it may share the memory of a whole request.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return strings.Clone(s)
	}
	return s[:limit] + "…"
}

// requestFields returns the known fields of a request. Names are spelled as they
// were sent if the platform reports that, otherwise as in the service's reference.
func requestFields(r *message.Request) []Field {
	fields := make([]Field, 0, len(r.Header))
	add := func(name, canonical string) {
		if len(fields) < maxFields {
			values := r.Header[canonical]
			value := strings.Join(values[:min(len(values), maxFields)], ", ")
			if canonical == "Authorization" {
				value = withoutSignature(value)
			}
			fields = append(fields, Field{cut(name, maxName), cut(value, maxField)})
		}
	}
	if r.RawHeader == "" {
		for canonical := range r.Header {
			if name, ok := recordedHeaders[canonical]; ok {
				add(name, canonical)
			}
		}
		return fields
	}
	for line := range strings.SplitSeq(r.RawHeader, "\n") {
		name, _, _ := strings.Cut(line, ":")
		if len(name) > maxName {
			continue
		}
		canonical := message.CanonicalName(name)
		if _, ok := recordedHeaders[canonical]; ok {
			add(name, canonical)
		}
	}
	return fields
}

// withoutSignature keeps the scheme of an Authorization header and, of a Shared
// Key, the account.
func withoutSignature(value string) string {
	scheme, rest, _ := strings.Cut(value, " ")
	switch {
	case strings.EqualFold(scheme, "Bearer"):
		return scheme + " " + Redacted
	case !strings.EqualFold(scheme, "SharedKey") && !strings.EqualFold(scheme, "SharedKeyLite"):
		return Redacted
	}
	account, _, ok := strings.Cut(rest, ":")
	if !ok || len(account) > 24 {
		return scheme + " " + Redacted
	}
	return scheme + " " + account + ":" + Redacted
}

// recordedHeaders are the request headers that are recorded: canonical name to
// the spelling of the service's reference.
var recordedHeaders = func() map[string]string {
	known := map[string]string{}
	for _, name := range []string{
		"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Access-Control-Request-Headers", "Access-Control-Request-Method",
		"Authorization", "Cache-Control", "Connection", "Content-Encoding", "Content-ID", "Content-Length", "Content-MD5", "Content-Type",
		"DataServiceVersion", "Date", "Expect", "If-Match", "If-None-Match", "MaxDataServiceVersion", "MinDataServiceVersion", "Origin",
		"Prefer", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "Transfer-Encoding", "User-Agent", "X-HTTP-Method",
		"x-ms-client-request-id", "x-ms-client-session-id", "x-sandtable-label", "x-ms-date", "x-ms-return-client-request-id", "x-ms-useragent", "x-ms-version",
	} {
		known[message.CanonicalName(name)] = name
	}
	return known
}()
