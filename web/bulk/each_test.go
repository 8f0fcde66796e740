package bulk

import (
	"context"
	"errors"
	"testing"

	"sandtable/web/client"
)

// pages answers queries with empty pages, of which so many follow.
type pages int

func (p *pages) Do(context.Context, client.Request) (client.Response, error) {
	*p--
	response := client.Response{Status: 200, Body: []byte(`{"value":[]}`)}
	if *p > 0 {
		response.Header = client.Header{{Name: "x-ms-continuation-NextPartitionKey", Value: "p"}}
	}
	return response, nil
}

func TestEach(t *testing.T) {
	source := pages(3)
	c := &client.Client{Base: "http://host", Transport: &source}
	read := 0
	if err := Each(context.Background(), c, "T", client.Query{}, func([]client.Entity) error { read++; return nil }); err != nil || read != 3 {
		t.Errorf("%v after %d pages", err, read)
	}
	source = 3
	stop := errors.New("stop")
	if err := Each(context.Background(), c, "T", client.Query{}, func([]client.Entity) error { return stop }); err != stop || source != 2 {
		t.Errorf("%v with %d pages left", err, source)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Each(cancelled, c, "T", client.Query{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled read returned %v", err)
	}
}
