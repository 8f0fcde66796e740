package transfer

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"sandtable/odata/batch"
	"sandtable/odata/payload"
	"sandtable/web/client"
	"sandtable/web/pagetest"
)

// endpoint is a [pagetest.Endpoint] that answers transactions of upserts.
type endpoint struct {
	*pagetest.Endpoint
	mu      sync.Mutex
	refused string // a row key that is refused
	before  func() // called before each transaction
	answer  func() *client.Response
	full    bool // of snapshots
}

func (f *endpoint) Do(ctx context.Context, r client.Request) (client.Response, error) {
	if f.full && strings.HasSuffix(r.URL, "/snapshots") {
		return client.Response{Status: 409, Body: []byte(`{"error":{"code":"TooManySnapshots","message":"The account has 32 snapshots."}}`)}, nil
	}
	if !strings.Contains(r.URL, "/$batch") {
		return f.Endpoint.Do(ctx, r)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.before != nil {
		f.before()
	}
	if f.answer != nil {
		if answer := f.answer(); answer != nil {
			return *answer, nil
		}
	}
	request, err := batch.Parse(r.Header.Get("Content-Type"), r.Body, 100)
	if err != nil {
		return client.Response{}, err
	}
	parts := make([]batch.Response, len(request.Operations))
	for i, o := range request.Operations {
		if body, err := payload.DecodeEntity(o.Body); err == nil && body.RowKey.Text == f.refused {
			text := payload.AppendError(nil, "EntityAlreadyExists", strconv.Itoa(i)+":The specified entity already exists.\nRequestId:1\nTime:2")
			return multipart([]batch.Response{{Status: 409, Body: text}}), nil
		}
		parts[i] = batch.Response{Status: 204}
	}
	table := "Customers"
	for _, o := range request.Operations {
		f.Endpoint.Write(table, o.Body, true)
	}
	return multipart(parts), nil
}

func multipart(parts []batch.Response) client.Response {
	return client.Response{Status: 202, Header: client.Header{{Name: "Content-Type", Value: "multipart/mixed; boundary=b"}},
		Body: batch.AppendResponses(nil, "b", "c", parts)}
}
