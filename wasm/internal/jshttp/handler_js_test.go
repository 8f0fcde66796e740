package jshttp

import (
	"bytes"
	"fmt"
	"io"
	"syscall/js"
	"testing"

	"sandtable/server/message"
)

// bufferSize is small, so that tests meet requests and answers of both kinds.
const bufferSize = 200

// script is what the worker's script does with a Bridge: it numbers its
// fetches and waits for each to be settled.
type script struct {
	buffer  js.Value
	handle  js.Func
	settled chan settled
}

type settled struct {
	id, status int
	head       string
	body       []byte
}

func newScript(t testing.TB, h handlerFunc) *script {
	t.Helper()
	s := &script{buffer: js.Global().Get("Uint8Array").New(bufferSize), settled: make(chan settled, 16)}
	settle := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) > 4 {
			body := make([]byte, args[3].Int())
			if n := js.CopyBytesToGo(body, args[4]); n != len(body) || n != args[4].Length() {
				t.Errorf("%d bytes of %d are there", n, len(body))
			}
			s.settled <- settled{args[0].Int(), args[1].Int(), args[2].String(), body}
			return nil
		}
		source := s.buffer
		headLength, bodyLength := args[2].Int(), args[3].Int()
		answer := make([]byte, headLength+bodyLength)
		if n := js.CopyBytesToGo(answer, source); n != len(answer) {
			t.Errorf("%d bytes of %d are there", n, len(answer))
		}
		s.settled <- settled{args[0].Int(), args[1].Int(), string(answer[:headLength]), answer[headLength:]}
		return nil
	})
	s.handle = NewBridge(h, Script{Buffer: s.buffer, Settle: settle.Value}, func(any) {}).Func()
	t.Cleanup(func() {
		s.handle.Release()
		settle.Release()
	})
	return s
}

// fetch calls the function as JavaScript does, through its own machinery.
func (s *script) fetch(id int, head string, body []byte) {
	request := append([]byte(head), body...)
	args := []any{id, len(head), len(body)}
	target := s.buffer
	if len(request) > bufferSize {
		target = js.Global().Get("Uint8Array").New(len(request))
		args = append(args, target)
	}
	js.CopyBytesToJS(target, request)
	js.Global().Get("Reflect").Call("apply", s.handle, js.Undefined(), args)
}

func TestBridge(t *testing.T) {
	large := bytes.Repeat([]byte{0, 1, 254, 255}, 1<<20) // 4 MiB
	tests := []struct {
		name string
		body []byte
	}{
		{"no body", nil},
		{"text", []byte("{\"PartitionKey\":\"é\"}")},
		{"as large as the service allows", large},
	}
	s := newScript(t, func(w message.ResponseWriter, r *message.Request) {
		var b []byte
		if r.Body != nil {
			var err error
			if b, err = io.ReadAll(r.Body); err != nil {
				t.Error(err)
			}
		}
		w.Header().Set("X-Method", r.Method)
		w.WriteHeader(message.StatusAccepted)
		if _, err := w.Write(b); err != nil {
			t.Error(err)
		}
	})
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s.fetch(i, "patch "+address, test.body)
			got := <-s.settled
			if got.id != i || got.status != 202 || got.head != "X-Method:PATCH" || !bytes.Equal(got.body, test.body) {
				t.Errorf("got %d %d %q and %d bytes", got.id, got.status, got.head, len(got.body))
			}
		})
	}
}

func TestBridgeDoesNotWait(t *testing.T) {
	gate := make(chan struct{})
	s := newScript(t, func(_ message.ResponseWriter, r *message.Request) {
		if r.URL.Path == "/slow" {
			<-gate
		}
	})
	s.fetch(1, "GET "+address+"slow", nil)
	s.fetch(2, "GET "+address+"fast", nil)
	if got := <-s.settled; got.id != 2 {
		t.Errorf("settled %d first", got.id)
	}
	close(gate)
	if got := <-s.settled; got.id != 1 || got.status != 200 {
		t.Errorf("settled %+v", got)
	}
}

func TestBridgeSettlesAfterAPanic(t *testing.T) {
	s := newScript(t, func(message.ResponseWriter, *message.Request) { panic("lost") })
	s.fetch(7, "GET "+address, nil)
	got := <-s.settled
	if got.id != 7 || got.status != 500 || errorCode(t, got.body) != "InternalError" {
		t.Errorf("settled %+v", got)
	}
}

func BenchmarkBridge(b *testing.B) {
	body := bytes.Repeat([]byte("x"), 300)
	s := newScript(b, func(w message.ResponseWriter, _ *message.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "%s", body)
	})
	head := "GET " + address + "Table(PartitionKey='p',RowKey='r')\naccept:application/json\nx-ms-version:2019-02-02"
	b.ReportAllocs()
	for b.Loop() {
		s.fetch(1, head, nil)
		<-s.settled
	}
}
