package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"sandtable/web/client"
)

// archiveReader takes whole lines from chunks, as the control API does.
type archiveReader struct {
	got   []byte
	calls int
	fail  int // the call that is refused
}

func (a *archiveReader) Do(_ context.Context, r client.Request) (client.Response, error) {
	a.calls++
	u, _ := url.Parse(r.URL)
	if a.calls == a.fail {
		return client.Response{Status: 507, Body: []byte(`{"error":{"code":"InsufficientStorage","message":"Full."}}`)}, nil
	}
	if want := fmt.Sprint(len(a.got)); len(a.got) > 0 && u.Query().Get("chunk") != want {
		return client.Response{Status: 400}, nil
	}
	taken := r.Body
	if u.Query().Get("last") == "" {
		taken = taken[:bytes.LastIndexByte(taken, '\n')+1]
	}
	a.got = append(a.got, taken...)
	return client.Response{Status: 200, Body: fmt.Appendf(nil, `{"entities":%d,"bytes":%d,"next":"%d"}`, bytes.Count(a.got, []byte("\n")), len(taken), len(a.got))}, nil
}

func TestLoadInChunks(t *testing.T) {
	long := append(bytes.Repeat([]byte("x"), 5<<20), '\n')
	file := append(bytes.Repeat([]byte("a line of an archive\n"), 200_000), long...)
	file = append(file, "the end\n"...)
	server := &archiveReader{}
	c := &Client{Base: "http://host/_sandtable", Transport: server}
	read := func(from, to int) ([]byte, error) { return file[from:to], nil }
	last := 0
	loaded, err := c.Load(context.Background(), len(file), read, func(done int) { last = done })
	if err != nil || !bytes.Equal(server.got, file) || loaded.Entities != 200_002 || last != len(file) {
		t.Errorf("%v after %d calls: %d of %d bytes, %+v, progress %d", err, server.calls, len(server.got), len(file), loaded, last)
	}
	server = &archiveReader{fail: 2}
	c.Transport = server
	if _, err := c.Load(context.Background(), len(file), read, func(int) {}); !client.HasCode(err, "InsufficientStorage") || server.calls != 2 {
		t.Errorf("%v after %d calls", err, server.calls)
	}
	gone := errors.New("the file is gone")
	if _, err := c.Load(context.Background(), 5, func(int, int) ([]byte, error) { return nil, gone }, nil); err != gone {
		t.Errorf("got %v", err)
	}
}

func TestReadArchiveEnd(t *testing.T) {
	endOf := func(archive string) (ArchiveEnd, error) {
		return ReadArchiveEnd(len(archive), func(from, to int) ([]byte, error) { return []byte(archive[from:to]), nil })
	}
	end, err := endOf(strings.Repeat("x", archiveTail) + `Key":"1"}` + "\n" + `{"@sandtable":"end","accounts":1,"tables":2,"entities":1180,"corruption":1}` + "\n")
	if err != nil || end.Tables != 2 || end.Entities != 1180 || end.Corruption != 1 {
		t.Errorf("%+v, %v", end, err)
	}
	for _, tail := range []string{"", "\n", "{}", `{"@sandtable":"table","name":"end"}`, `{"PartitionKey":"end"}`} {
		if _, err := endOf(tail); err != ErrNoArchive {
			t.Errorf("%q: %v", tail, err)
		}
	}
}

func TestCompact(t *testing.T) {
	answer := `{"progress":{"blocks":9}}` + "\n" + `{"before":{"blocks":9,"bytes":180224,"walRecords":40},"after":{"blocks":4,"bytes":65536,"walRecords":0}}`
	c := &Client{Transport: transportFunc(func(client.Request) (client.Response, error) {
		return client.Response{Status: 200, Body: []byte(answer)}, nil
	})}
	done, err := c.Compact(context.Background(), func(Size) {})
	if err != nil || done.Before.Bytes != 180224 || done.After.Blocks != 4 {
		t.Errorf("%+v, %v", done, err)
	}
	answer = `{"progress":{"blocks":9}}` + "\n" + `{"error":{"code":"InternalError","message":"No."}}`
	if _, err := c.Compact(context.Background(), func(Size) {}); !client.HasCode(err, "InternalError") {
		t.Errorf("got %v", err)
	}
}

type transportFunc func(client.Request) (client.Response, error)

func (f transportFunc) Do(_ context.Context, r client.Request) (client.Response, error) { return f(r) }
