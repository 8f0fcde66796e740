package bulk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"testing"

	"sandtable/odata"
	"sandtable/odata/batch"
	"sandtable/odata/payload"
	"sandtable/web/client"
)

// pages answers queries with so many pages of two entities, 0 and 1, 2 and 3. It has read
// some of them.
type pages struct {
	count, read int
	err         error // of the page after those that were read
}

func (p *pages) Do(_ context.Context, r client.Request) (client.Response, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return client.Response{}, err
	}
	n := 0
	if from := u.Query().Get("NextPartitionKey"); from != "" {
		if n, err = strconv.Atoi(from); err != nil {
			return client.Response{}, err
		}
	}
	if n != p.read {
		return client.Response{}, fmt.Errorf("page %d is requested after %d pages", n, p.read)
	}
	if p.err != nil {
		return client.Response{}, p.err
	}
	p.read++
	response := client.Response{Status: 200, Body: fmt.Appendf(nil,
		`{"value":[{"PartitionKey":"p","RowKey":"%d"},{"PartitionKey":"p","RowKey":"%d"}]}`, 2*n, 2*n+1)}
	if p.read < p.count {
		response.Header = client.Header{{Name: "x-ms-continuation-NextPartitionKey", Value: strconv.Itoa(p.read)}}
	}
	return response, nil
}

func TestEach(t *testing.T) {
	stop, failed := errors.New("stop"), errors.New("failed")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name       string
		ctx        context.Context
		after, err error // of a page that was read, and of reading one
		want       error
		read       int
	}{
		{"all pages", t.Context(), nil, nil, nil, 3},
		{"stopped", t.Context(), stop, nil, stop, 1},
		{"a query fails", t.Context(), nil, failed, failed, 0},
		{"cancelled", cancelled, nil, nil, context.Canceled, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			source, entities := pages{count: 3, err: c.err}, 0
			err := Each(c.ctx, &client.Client{Base: "http://host", Transport: &source}, "T", client.Query{}, func(some []client.Entity) error {
				entities += len(some)
				return c.after
			})
			if !errors.Is(err, c.want) || source.read != c.read || entities != 2*c.read {
				t.Errorf("%v after %d pages and %d entities, want %v after %d pages", err, source.read, entities, c.want, c.read)
			}
		})
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		want string
		read int
	}{
		{"on the first page, and no further one is read", []string{"1"}, "[1]", 1},
		{"on two pages", []string{"3", "0"}, "[0 3]", 2},
		{"not there", []string{"0", "9"}, "[0]", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			source, keys := pages{count: 3}, map[odata.Key]bool{}
			for _, row := range c.keys {
				keys[odata.Key{PartitionKey: "p", RowKey: row}] = true
			}
			if _, err := Find(t.Context(), &client.Client{Base: "http://host", Transport: &pages{err: io.EOF}}, "T", "", keys, func(int) {}); !errors.Is(err, io.EOF) {
				t.Errorf("of a query that fails: %v", err)
			}
			progress := 0
			all, err := Find(t.Context(), &client.Client{Base: "http://host", Transport: &source}, "T", "", keys, func(n int) { progress = n })
			var found []string
			for _, e := range all {
				found = append(found, e.RowKey)
			}
			if got := fmt.Sprint(found); err != nil || got != c.want || source.read != c.read || progress != len(all) {
				t.Errorf("found %s on %d pages, want %s on %d; %v", got, source.read, c.want, c.read, err)
			}
		})
	}
}

// emptied answers with pages, and to deletions as told: 204, or 404 with another refusal
// in its first operation.
type emptied struct {
	pages
	code string // "" for success
}

func (e *emptied) Do(c context.Context, r client.Request) (client.Response, error) {
	if r.Method == client.MethodGet {
		return e.pages.Do(c, r)
	}
	parts := []batch.Response{{Status: 404, Body: payload.AppendError(nil, e.code, "0:No.\nRequestId:1\nTime:2")}}
	if e.code == "" {
		request, err := batch.Parse(r.Header.Get("Content-Type"), r.Body, 100)
		if err != nil {
			return client.Response{}, err
		}
		parts = slices.Repeat([]batch.Response{{Status: 204}}, len(request.Operations))
	}
	return client.Response{Status: 202, Header: client.Header{{Name: "Content-Type", Value: "multipart/mixed; boundary=b"}},
		Body: batch.AppendResponses(nil, "b", "c", parts)}, nil
}

func TestEmpty(t *testing.T) {
	for _, c := range []struct {
		name    string
		code    string
		deleted int
		fails   bool
	}{
		{"all pages", "", 6, false},
		{"entities that were deleted meanwhile", client.CodeResourceNotFound, 0, false},
		{"refused", "AuthorizationPermissionMismatch", 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			deleted := 0
			at := &client.Client{Base: "http://host", Transport: &emptied{pages: pages{count: 3}, code: c.code}}
			err := Empty(t.Context(), at, "T", func(n int) { deleted = n })
			if (err != nil) != c.fails || deleted != c.deleted {
				t.Errorf("%d deleted, %v", deleted, err)
			}
		})
	}
}

// TestSeveral: calls that have begun are finished.
func TestSeveral(t *testing.T) {
	c, stop := context.WithCancel(t.Context())
	stop()
	if n := Several(c, 10, func(int) bool { return true }); n != 0 {
		t.Errorf("%d calls of a cancelled job", n)
	}
	for name, end := range map[string]int{"all": -1, "ended": 4} {
		var mu sync.Mutex
		seen := map[int]bool{}
		begun := Several(t.Context(), 50, func(i int) bool {
			mu.Lock()
			defer mu.Unlock()
			seen[i] = true
			return len(seen) != end
		})
		if len(seen) != begun || (begun < 50) != (end > 0) {
			t.Errorf("%s: %d begun, %d called", name, begun, len(seen))
		}
	}
}
