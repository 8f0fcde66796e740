package client

import (
	"context"
)

// TrySAS sends one read that has no other authorization than the SAS in r. Its
// resource begins with a slash; its query may have options. With network the
// request goes past the service worker, which may have an account of that name.
func TrySAS(ctx context.Context, t Transport, r Remote, resource string, network bool) error {
	address := r.Endpoint + withOption(resource, r.SAS)
	if network {
		address += networkMark
	}
	_, err := Send(ctx, t, Request{Method: MethodGet, URL: address, Header: Header{{"Accept", "application/json;odata=nometadata"}, {"x-ms-version", version}}})
	return err
}

// Replay sends a request of the Table service as it is, from this page, and
// returns the answer, whatever its status.
func (c *Client) Replay(ctx context.Context, r Request) (Response, error) {
	return c.Transport.Do(ctx, r)
}
