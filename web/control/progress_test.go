//go:build !js

package control

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"sandtable/web/client"
)

// TestProgress: lines are read as they come, in whatever parts, and a client that no
// longer wants the answer gets none.
func TestProgress(t *testing.T) {
	const lines = `{"progress":{"entities":1000,"blocks":2,"problemCount":1}}` + "\n" + `{"progress":{"entities":2000}}` + "\n"
	const last = `{"entities":3000,"problems":[]}` + "\n"
	ctx, cancel := context.WithCancel(context.Background())
	leave := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for part := range slices.Chunk([]byte(lines), 7) {
			_, _ = w.Write(part)
			w.(http.Flusher).Flush()
		}
		if leave {
			<-r.Context().Done()
		}
		_, _ = w.Write([]byte(last))
	}))
	defer server.Close()
	c := &Client{Base: server.URL, Transport: client.DefaultTransport()}
	var entities []int
	v, err := c.Verify(ctx, func(now Verified) { entities = append(entities, now.Entities) })
	if err != nil || v.Entities != 3000 || !slices.Equal(entities, []int{1000, 2000}) {
		t.Errorf("%+v, %v after %v", v, err, entities)
	}
	leave = true
	_, err = c.Verify(ctx, func(now Verified) {
		if now.Entities == 2000 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
