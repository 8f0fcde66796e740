package server

import (
	"encoding/base64"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"sandtable/engine"
	"sandtable/odata/payload"
	"sandtable/server/auth"
	"sandtable/server/journal"
	"sandtable/server/message"
)

// maxReason is how much of the reason for a refusal is kept, in bytes.
const maxReason = 4 << 10

// remember keeps a request of the service in the journal, with what is there
// anyway; whoever asks for it has the work.
func (x *exchange) remember(header message.Header, done *reply, err error) {
	h := x.handler
	e := journal.Entry{
		RequestID: x.requestID, Time: x.started, Duration: h.options.Now().Sub(x.started),
		Method: x.http.Method, Scheme: scheme(x.http), Host: x.http.Host, URL: x.http.URL,
		Account: x.endpoint.account, Status: done.status, Code: done.errorCode, Statistics: done.statistics,
		RequestHeader: x.http.Header, ResponseHeader: header,
		RequestLength: len(x.request.body), ResponseLength: len(done.body),
	}
	if h.chosen.Load().recordBodies {
		e.RequestBody, e.ResponseBody = x.request.body, done.body
	}
	if x.operation != nil {
		e.Operation = x.operation.name
	}
	if err != nil {
		e.Reason = cutText(err.Error())
		var refusal *auth.Refusal
		if errors.As(err, &refusal) {
			e.StringToSign = cutText(refusal.StringToSign)
		}
	}
	h.journal.Add(&e)
	if h.stream.Listening() {
		h.publishRequest(&e)
	}
}

func cutText(text string) string { return strings.Clone(text[:min(len(text), maxReason)]) }

func (c *controlCall) requests() (int, []byte, error) {
	after, err := c.positive("after", 0)
	if err != nil {
		return 0, nil, err
	}
	limit, err := c.positive("limit", uint64(journal.DefaultLimits.Entries))
	if err != nil {
		return 0, nil, err
	}
	redactor, err := c.redactor()
	if err != nil {
		return 0, nil, err
	}
	var list [][]byte
	for _, e := range c.journal.After(after, int(min(limit, uint64(journal.DefaultLimits.Entries)))) {
		list = append(list, describeEntry(&e, redactor))
	}
	var o object
	o.string("life", c.life)
	o.list("requests", list)
	return ok(o.end())
}

func (c *controlCall) request() (int, []byte, error) {
	id, err := strconv.ParseUint(c.name, 10, 64)
	e, found := c.journal.Get(id)
	if err != nil || !found {
		return 0, nil, &controlError{404, "ResourceNotFound", "There is no such request, or no more.", ""}
	}
	redactor, err := c.redactor()
	if err != nil {
		return 0, nil, err
	}
	return ok(describeEntry(&e, redactor))
}

// redactor returns one that knows the token and the keys of all accounts.
func (h *Handler) redactor() (*journal.Redactor, error) {
	secrets := []string{h.options.ControlToken}
	err := h.db.View(func(tx *engine.Tx) error {
		for account := range tx.Accounts() {
			for _, key := range account.Keys {
				secrets = append(secrets, base64.StdEncoding.EncodeToString(key), base64.URLEncoding.EncodeToString(key))
			}
		}
		return nil
	})
	for _, account := range h.options.Accounts { // also one that was deleted
		secrets = append(secrets, base64.StdEncoding.EncodeToString(account.Keys[0]), base64.StdEncoding.EncodeToString(account.Keys[1]))
	}
	return journal.NewRedactor(secrets...), err
}

// describeEntry returns a request as JSON, without secrets.
func describeEntry(e *journal.Entry, r *journal.Redactor) []byte {
	r = r.With(e)
	var o object
	describeRequest(&o, e, r)
	o.raw("requestHeaders", describeHeader(r.Header(e.RequestHeader)))
	describeBody(&o, "requestBody", e.RequestBody, e.RequestLength, r)
	o.raw("responseHeaders", describeHeader(r.Header(e.ResponseHeader)))
	describeBody(&o, "responseBody", e.ResponseBody, e.ResponseLength, r)
	o.bool("truncated", e.Truncated())
	if e.StringToSign != "" {
		o.string("stringToSign", r.Text(e.StringToSign, true))
	}
	return o.end()
}

// describeRequest adds what an event says, too.
func describeRequest(o *object, e *journal.Entry, r *journal.Redactor) {
	o.int("id", int(e.ID))
	o.string("time", e.Time.UTC().Format("2006-01-02T15:04:05.000Z"))
	o.float("milliseconds", float64(e.Duration)/float64(time.Millisecond))
	o.string("method", r.Text(e.Method, false))
	o.string("url", r.Text(e.Address(), false))
	o.string("operation", e.Operation)
	o.string("account", r.Text(e.Account, false))
	o.int("status", e.Status)
	o.string("code", e.Code)
	o.string("requestId", e.RequestID)
	if e.Reason != "" {
		o.string("reason", r.Text(e.Reason, true))
	}
	if s := e.Statistics; s.Kind == "" {
		o.null("statistics")
	} else {
		var statistics object
		statistics.string("kind", s.Kind)
		statistics.int("blocks", s.Blocks)
		statistics.int("examined", s.Examined)
		statistics.int("returned", s.Returned)
		o.object("statistics", statistics)
	}
}

// describeHeader returns a header as a JSON object, its fields by name.
func describeHeader(h message.Header) []byte {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	var o object
	for _, name := range names {
		o.string(name, strings.Join(h[name], ", "))
	}
	return o.end()
}

// describeBody adds a body as text, or null where it was not kept.
func describeBody(o *object, name string, body []byte, length int, r *journal.Redactor) {
	if body == nil && length > 0 {
		o.null(name)
		return
	}
	o.name(name)
	o.text = payload.AppendString(o.text, r.Text(string(body), len(body) < length))
}
