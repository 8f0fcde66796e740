package jshttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"sandtable/server/message"
)

// reader is a Stream that records its arguments and reports each call.
type reader struct {
	client   *Client
	response Response
	chunks   []string
	whole    bool
	calls    chan string
}

func newReader() *reader { return &reader{calls: make(chan string, 64)} }

func (r *reader) Begin(response Response, c *Client) {
	response.Body = bytes.Clone(response.Body)
	r.client, r.response = c, response
	r.calls <- "begin"
}

func (r *reader) Chunk(b []byte) {
	r.chunks = append(r.chunks, string(b))
	r.calls <- "chunk"
}

func (r *reader) End(whole bool) {
	r.whole = whole
	r.calls <- "end"
}

// want fails the test unless the next call is the one named.
func (r *reader) want(t *testing.T, call string) {
	t.Helper()
	if got := <-r.calls; got != call {
		t.Fatalf("got call %s, want %s", got, call)
	}
}

// answer runs a handler with a streamed answer in a goroutine.
func (r *reader) answer(t *testing.T, method string, h handlerFunc) (done chan bool) {
	t.Helper()
	done = make(chan bool, 1)
	go func() {
		_, streamed := Answer(h, method+" "+address, nil, r, unexpected(t))
		done <- streamed
	}()
	return done
}

func flush(w message.ResponseWriter) { w.(message.Flusher).Flush() }

func TestStreamedAnswer(t *testing.T) {
	r := newReader()
	done := r.answer(t, "GET", func(w message.ResponseWriter, _ *message.Request) {
		w.Header().Set("X-Kind", "stream")
		w.WriteHeader(message.StatusAccepted)
		fmt.Fprint(w, "one")
		flush(w)
		w.Header().Set("X-Late", "yes")
		fmt.Fprint(w, "two, ")
		fmt.Fprint(w, "in parts")
		flush(w)
		flush(w) // nothing to say
		fmt.Fprint(w, "three")
	})
	r.want(t, "begin")
	if got := r.response; got.Status != 202 || got.Head != "X-Kind:stream" || string(got.Body) != "one" {
		t.Errorf("begun with %d %q %q", got.Status, got.Head, got.Body)
	}
	r.client.Pull()
	r.want(t, "chunk")
	r.client.Pull()
	r.want(t, "chunk")
	r.want(t, "end")
	if got := strings.Join(r.chunks, "|"); got != "two, in parts|three" || !r.whole {
		t.Errorf("chunks %q, whole %v", got, r.whole)
	}
	if !<-done {
		t.Error("Answer reports that it was not streamed")
	}
	if r.client.Err() == nil {
		t.Error("the context outlives the answer")
	}
}

// TestStreamWaitsForItsReader: the handler is at most one chunk ahead of its reader.
func TestStreamWaitsForItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReader()
		written := 0
		r.answer(t, "GET", func(w message.ResponseWriter, _ *message.Request) {
			flush(w)
			for range 3 {
				written++
				fmt.Fprint(w, "x")
				flush(w)
			}
		})
		for asked := range 3 {
			synctest.Wait()
			if len(r.chunks) != asked || written != asked+1 {
				t.Errorf("%d chunks of %d written, asked for %d", len(r.chunks), written, asked)
			}
			r.client.Pull()
		}
		synctest.Wait()
		if !r.whole {
			t.Error("it did not end")
		}
	})
}

// TestStreamKeepsLittle: a handler that never flushes again cannot fill the memory.
func TestStreamKeepsLittle(t *testing.T) {
	const size = 5*chunkSize + 10
	r := newReader()
	content := bytes.Repeat([]byte("0123456789"), size/10)
	r.answer(t, "GET", func(w message.ResponseWriter, _ *message.Request) {
		flush(w)
		if n, err := w.Write(content[:7]); n != 7 || err != nil {
			t.Errorf("wrote %d, %v", n, err)
		}
		if n, err := w.Write(content[7:]); n != len(content)-7 || err != nil {
			t.Errorf("wrote %d, %v", n, err)
		}
	})
	r.want(t, "begin")
	for range 6 {
		r.client.Pull()
		r.want(t, "chunk")
	}
	r.want(t, "end")
	if got := strings.Join(r.chunks, ""); got != string(content) {
		t.Errorf("%d bytes of %d came through", len(got), len(content))
	}
	for i, chunk := range r.chunks {
		if len(chunk) > chunkSize {
			t.Errorf("chunk %d has %d bytes", i, len(chunk))
		}
	}
}

func TestStreamEndsWithItsReader(t *testing.T) {
	tests := []struct {
		name    string
		handler func(message.ResponseWriter, *message.Request) error
	}{
		{"while it waits", func(w message.ResponseWriter, r *message.Request) error {
			fmt.Fprint(w, "lost")
			flush(w)
			_, err := fmt.Fprint(w, "more")
			return err
		}},
		{"while a large Write waits", func(w message.ResponseWriter, r *message.Request) error {
			_, err := w.Write(make([]byte, 3*chunkSize))
			return err
		}},
		{"while it watches its context", func(w message.ResponseWriter, r *message.Request) error {
			<-r.Context.Done()
			return r.Context.Err()
		}},
		{"while it watches a context below", func(w message.ResponseWriter, r *message.Request) error {
			ctx, cancel := context.WithCancel(r.Context)
			defer cancel()
			<-ctx.Done()
			return ctx.Err()
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newReader()
			ended := make(chan error, 1)
			r.answer(t, "GET", func(w message.ResponseWriter, request *message.Request) {
				flush(w)
				ended <- test.handler(w, request)
			})
			r.want(t, "begin")
			r.client.Cancel()
			r.client.Cancel() // a reader may cancel twice
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("ended with %v", err)
			}
			r.want(t, "end")
			if len(r.chunks) != 0 {
				t.Errorf("chunks %q for nobody", r.chunks)
			}
		})
	}
}

func TestStreamBreaksOff(t *testing.T) {
	for _, test := range []struct {
		name     string
		panicked any
		logged   bool
	}{
		{"a panic", "tree lost", true},
		{"a panic with an incomparable value", []int{1}, true},
		{"the handler aborts", message.ErrAbort, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newReader()
			logged := false
			Answer(handlerFunc(func(w message.ResponseWriter, _ *message.Request) {
				fmt.Fprint(w, "half of it")
				flush(w)
				fmt.Fprint(w, "unsent")
				panic(test.panicked)
			}), "GET "+address, nil, r, func(any) { logged = true })
			r.want(t, "begin")
			r.want(t, "end")
			if r.whole || logged != test.logged || len(r.chunks) != 0 {
				t.Errorf("whole %v, logged %v, chunks %q", r.whole, logged, r.chunks)
			}
		})
	}
}

func TestAnswersWithoutBodyAreNotStreamed(t *testing.T) {
	for _, test := range []struct {
		method string
		status int
		want   int
	}{{"HEAD", 200, 200}, {"GET", 204, 204}, {"GET", 304, 304}, {"GET", 1000, 500}} {
		t.Run(fmt.Sprint(test.method, " ", test.status), func(t *testing.T) {
			r := newReader()
			got, streamed := Answer(handlerFunc(func(w message.ResponseWriter, _ *message.Request) {
				w.WriteHeader(test.status)
				flush(w)
				if n, err := fmt.Fprint(w, "never seen"); n != 10 || err != nil {
					t.Errorf("wrote %d, %v", n, err)
				}
				flush(w)
			}), test.method+" "+address, nil, r, unexpected(t))
			if streamed || len(r.calls) > 0 || got.Status != test.want {
				t.Errorf("streamed %v, status %d", streamed, got.Status)
			}
		})
	}
}

func BenchmarkAnswer(b *testing.B) {
	body := bytes.Repeat([]byte("x"), 300)
	h := handlerFunc(func(w message.ResponseWriter, _ *message.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})
	head := "GET " + address + "Table(PartitionKey='p',RowKey='r')\naccept:application/json\nx-ms-version:2019-02-02"
	b.ReportAllocs()
	for b.Loop() {
		Answer(h, head, nil, nil, nil)
	}
}
