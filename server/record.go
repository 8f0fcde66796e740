package server

import (
	"errors"
	"strings"
	"time"

	"sandtable/server/auth"
	"sandtable/server/message"
)

// Observer learns about finished requests.
type Observer interface {
	// Finished is called once per request, after its response was written and in
	// its goroutine. What the record points to never changes.
	Finished(*Record)
}

// Record describes a request and its response.
type Record struct {
	Time      time.Time
	Duration  time.Duration
	Request   *message.Request
	RequestID string
	Account   string
	Operation string // "" if none was found
	Status    int
	Code      string // of the service's error, or ""
	// Reason is why the request was refused, "" if it was not. The caller never
	// sees it. It is at most 4 KiB long, and may quote the request.
	Reason string
	// StringToSign is what the signature of a refused request should cover, as
	// far as that is known; at most 4 KiB.
	StringToSign string
	Statistics   Statistics
	// RequestBody is nil where the request was refused before its body was read.
	RequestBody    []byte
	ResponseHeader message.Header
	ResponseBody   []byte
}

// Statistics counts what a query did. Kind is "" for everything else.
type Statistics struct {
	Kind                       string
	Blocks, Examined, Returned int
}

// maxReason limits the texts of a record that quote the request, in bytes.
const maxReason = 4 << 10

// observe hands the record of a finished request to the observers.
func (x *exchange) observe(header message.Header, done *reply, err error) {
	h := x.handler
	if len(h.options.Observers) == 0 {
		return
	}
	record := &Record{
		Time: x.started, Duration: h.options.Now().Sub(x.started), Request: x.http, RequestID: x.requestID,
		Account: x.endpoint.account, Status: done.status, Code: done.errorCode, Statistics: done.statistics,
		RequestBody: x.request.body, ResponseHeader: header, ResponseBody: done.body,
	}
	if x.operation != nil {
		record.Operation = x.operation.name
	}
	if err != nil {
		record.Reason = cut(err.Error())
		var refusal *auth.Refusal
		if errors.As(err, &refusal) {
			record.StringToSign = cut(refusal.StringToSign)
		}
	}
	for _, o := range h.options.Observers {
		o.Finished(record)
	}
}

func cut(text string) string { return strings.Clone(text[:min(len(text), maxReason)]) }
