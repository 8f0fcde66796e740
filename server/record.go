package server

import (
	"time"

	"sandtable/server/faults"
	"sandtable/server/message"
)

// Observer learns about finished requests.
type Observer interface {
	// Finished is called once per request, after its response was written and in
	// its goroutine. What the record points to never changes, but for the response's body.
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
	Table     string // "" for none
	// Partition is the key of the only partition that the request is about, nil if
	// there is none, or several.
	Partition *string
	Status    int
	Code      string // of the service's error, or ""
	// Reason is why the request, or a transaction in it, was refused, "" if it was not. The
	// caller never sees it. It is at most 4 KiB long, and may quote the request.
	Reason string
	// StringToSign is what the signature of a refused request should cover, as
	// far as that is known; at most 4 KiB.
	StringToSign string
	// Signed is what the signature of a refused request does cover, if that is
	// a usual mistake; at most 4 KiB.
	Signed     string
	Statistics Statistics
	// Members are the operations of an entity group transaction that were read.
	Members []Member
	// Fault is what the account's faults did to the request. Status is 0 if they cut
	// the connection before anything was done.
	Fault faults.Decision
	// RequestBody is nil where the request was refused before its body was read.
	RequestBody    []byte
	ResponseHeader message.Header
	// ResponseBody may be overwritten after the call: an observer that keeps it copies it.
	ResponseBody []byte
}

// Member is an operation of an entity group transaction. RowKey is "" for a query.
type Member struct{ Operation, RowKey string }

// Statistics counts what a query or Get Entity did. Kind is "" for everything else.
type Statistics struct {
	Kind                                   string
	Blocks, Partitions, Examined, Returned int
}
