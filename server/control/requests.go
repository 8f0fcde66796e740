package control

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"sandtable/odata/payload"
	"sandtable/server"
	"sandtable/server/control/journal"
)

// Finished keeps a request of the service in the journal and publishes it. It is
// a method of [server.Observer].
func (h *Handler) Finished(r *server.Record) {
	e := journal.NewEntry(r, h.current.Load().recordBodies)
	h.journal.Add(e)
	h.feed.publishRequest(e)
}

func (c *call) listRequests() (int, []byte, error) {
	after, err := c.queryNumber("after", 0)
	if err != nil {
		return 0, nil, err
	}
	maxEntries := uint64(journal.DefaultLimits.Entries)
	limit, err := c.queryNumber("limit", maxEntries)
	if err != nil {
		return 0, nil, err
	}
	var list [][]byte
	for _, e := range c.journal.After(after, int(min(limit, maxEntries))) {
		list = append(list, describeEntry(&e))
	}
	var o object
	o.string("instance", c.feed.instance)
	o.list("requests", list)
	return ok(o.end())
}

func (c *call) getRequest() (int, []byte, error) {
	id, err := strconv.ParseUint(c.name, 10, 64)
	e, found := c.journal.Get(id)
	if err != nil || !found {
		return 0, nil, errNoRequest
	}
	return ok(describeEntry(&e))
}

// describeEntry returns a request as JSON.
func describeEntry(e *journal.Entry) []byte {
	var o object
	describeRequest(&o, e)
	describeFields(&o, "requestHeaders", e.RequestHeader)
	describeBody(&o, "requestBody", e.RequestBody, e.RequestLength)
	var response []journal.Field
	for name, values := range e.ResponseHeader {
		response = append(response, journal.Field{Name: name, Value: strings.Join(values, ", ")})
	}
	describeFields(&o, "responseHeaders", response)
	describeBody(&o, "responseBody", e.ResponseBody, e.ResponseLength)
	o.bool("truncated", e.Truncated())
	o.optional("stringToSign", e.StringToSign)
	o.optional("signed", e.Signed)
	return o.end()
}

// describeRequest adds the members that an event has too.
func describeRequest(o *object, e *journal.Entry) {
	o.int("id", int(e.ID))
	o.string("time", e.Time.UTC().Format("2006-01-02T15:04:05.000Z"))
	o.float("milliseconds", float64(e.Duration)/float64(time.Millisecond))
	o.string("method", e.Method)
	o.string("url", e.URL)
	o.string("operation", e.Operation)
	o.string("account", e.Account)
	o.optional("table", e.Table)
	if e.Partition != nil {
		o.string("partition", *e.Partition)
	}
	o.int("status", e.Status)
	o.string("code", e.Code)
	o.string("requestId", e.RequestID)
	o.optional("clientRequestId", e.ClientRequestID)
	o.optional("label", e.Label)
	o.optional("source", e.Source)
	o.optional("reason", e.Reason)
	if e.Fault.Rule > 0 {
		var fault object
		fault.int("rule", e.Fault.Rule)
		fault.string("effect", string(e.Fault.Effect))
		fault.float("delay", milliseconds(e.Fault.Delay))
		o.object("fault", fault)
	}
	if e.Members != nil {
		describeMembers(o, e.Members)
	}
	s := e.Statistics
	if s.Kind == "" {
		o.null("statistics")
		return
	}
	var statistics object
	statistics.string("kind", s.Kind)
	statistics.int("blocks", s.Blocks)
	statistics.int("partitions", s.Partitions)
	statistics.int("examined", s.Examined)
	statistics.int("returned", s.Returned)
	o.object("statistics", statistics)
}

// describeMembers adds the operations of a transaction. Each is about one entity of
// the request's partition.
func describeMembers(o *object, members []server.Member) {
	list := make([][]byte, len(members))
	for i, m := range members {
		var operation object
		operation.string("operation", m.Operation)
		operation.string("rowKey", m.RowKey)
		list[i] = operation.end()
	}
	o.list("operations", list)
}

// describeFields adds a header, sorted by name.
func describeFields(o *object, name string, fields []journal.Field) {
	var header object
	for _, f := range slices.SortedFunc(slices.Values(fields), func(a, b journal.Field) int { return strings.Compare(a.Name, b.Name) }) {
		header.string(f.Name, f.Value)
	}
	o.object(name, header)
}

// describeBody adds a body as a string, or null if it was not recorded.
func describeBody(o *object, name string, body []byte, length int) {
	if body == nil && length > 0 {
		o.null(name)
		return
	}
	o.name(name)
	o.data = payload.AppendString(o.data, string(body))
}
