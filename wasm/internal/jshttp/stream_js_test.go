package jshttp

import (
	"bytes"
	"context"
	"fmt"
	"syscall/js"
	"testing"

	"sandtable/server/message"
)

// streamScript handles streamed answers like the worker's script. The test decides
// when it asks for chunks.
type streamScript struct {
	*script
	reader js.Func
	begun  chan settled
	chunks chan []byte
	ended  chan bool
}

// newStreamScript returns a script that, if eager, requests the next chunk while it
// takes one, otherwise only when the test does.
func newStreamScript(t testing.TB, eager bool, h handlerFunc) *streamScript {
	t.Helper()
	buffer := js.Global().Get("Uint8Array").New(bufferSize)
	s := &streamScript{
		script: &script{buffer: buffer, settled: make(chan settled, 16)},
		begun:  make(chan settled, 16), chunks: make(chan []byte, 64), ended: make(chan bool, 16),
	}
	take := func(args []js.Value, from int, n int) []byte {
		source := buffer
		if len(args) > from {
			source = args[from]
		}
		b := make([]byte, n)
		if got := js.CopyBytesToGo(b, source); got != n {
			t.Errorf("%d bytes of %d are there", got, n)
		}
		return b
	}
	var functions []js.Func
	function := func(f func(args []js.Value)) js.Value {
		made := js.FuncOf(func(_ js.Value, args []js.Value) any {
			f(args)
			return nil
		})
		functions = append(functions, made)
		return made.Value
	}
	answer := func(to chan settled) js.Value {
		return function(func(args []js.Value) {
			headLength, bodyLength := args[2].Int(), args[3].Int()
			b := take(args, 4, headLength+bodyLength)
			to <- settled{args[0].Int(), args[1].Int(), string(b[:headLength]), b[headLength:]}
			if eager {
				s.reads(args[0].Int(), true)
			}
		})
	}
	bridge := NewBridge(h, Script{
		Buffer: buffer, Settle: answer(s.settled), Begin: answer(s.begun),
		Chunk: function(func(args []js.Value) {
			s.chunks <- take(args, 2, args[1].Int())
			if eager {
				s.reads(args[0].Int(), true)
			}
		}),
		End: function(func(args []js.Value) { s.ended <- args[1].Bool() }),
	}, func(any) {})
	s.handle, s.reader = bridge.Func(), bridge.ReaderFunc()
	t.Cleanup(func() {
		s.handle.Release()
		s.reader.Release()
		for _, f := range functions {
			f.Release()
		}
	})
	return s
}

// reads reports the reader's actions through JavaScript.
func (s *streamScript) reads(id int, reads bool) {
	js.Global().Get("Reflect").Call("apply", s.reader, js.Undefined(), []any{id, reads})
}

func TestBridgeStreams(t *testing.T) {
	large := bytes.Repeat([]byte{0, 1, 254, 255}, 1<<18) // 1 MiB
	for _, eager := range []bool{true, false} {
		for _, content := range [][]byte{[]byte("small"), large} {
			t.Run(fmt.Sprintf("%d bytes, eager %v", len(content), eager), func(t *testing.T) {
				s := newStreamScript(t, eager, func(w message.ResponseWriter, r *message.Request) {
					w.Header().Set("X-Method", r.Method)
					fmt.Fprint(w, "first ")
					flush(w)
					if n, err := w.Write(content); n != len(content) || err != nil {
						t.Errorf("wrote %d, %v", n, err)
					}
				})
				s.fetch(7, "GET "+address, nil)
				if got := <-s.begun; got.id != 7 || got.status != 200 || got.head != "X-Method:GET" || string(got.body) != "first " {
					t.Errorf("begun %+v", got)
				}
				var body []byte
				for len(body) < len(content) {
					if !eager {
						s.reads(7, true)
					}
					body = append(body, <-s.chunks...)
				}
				if !bytes.Equal(body, content) {
					t.Errorf("%d bytes of %d came through", len(body), len(content))
				}
				if !<-s.ended {
					t.Error("the body is incomplete")
				}
				s.reads(7, true) // too late, must be harmless
				s.reads(7, false)
				if len(s.settled) != 0 {
					t.Error("it was settled too")
				}
			})
		}
	}
}

func TestBridgeEndsWithItsReader(t *testing.T) {
	ended := make(chan error, 1)
	s := newStreamScript(t, false, func(w message.ResponseWriter, r *message.Request) {
		flush(w)
		<-r.Context.Done()
		_, err := fmt.Fprint(w, "for nobody")
		ended <- err
	})
	s.fetch(1, "GET "+address, nil)
	<-s.begun
	s.reads(1, false)
	if err := <-ended; err != context.Canceled {
		t.Errorf("ended with %v", err)
	}
	<-s.ended
}

func TestBridgeServesOthersWhileItStreams(t *testing.T) {
	s := newStreamScript(t, false, func(w message.ResponseWriter, r *message.Request) {
		if r.URL.Path == "/stream" {
			flush(w)
			fmt.Fprint(w, "slow")
		}
	})
	s.fetch(1, "GET "+address+"stream", nil)
	<-s.begun
	for id := 2; id < 5; id++ {
		s.fetch(id, "GET "+address, nil)
		if got := <-s.settled; got.id != id || got.status != 200 {
			t.Errorf("settled %+v", got)
		}
	}
	s.reads(1, true)
	if got := <-s.chunks; string(got) != "slow" {
		t.Errorf("chunk %q", got)
	}
	if !<-s.ended {
		t.Error("the body is incomplete")
	}
}

func TestBridgeReportsAnAbortedStream(t *testing.T) {
	s := newStreamScript(t, false, func(w message.ResponseWriter, r *message.Request) {
		flush(w)
		panic("lost")
	})
	s.fetch(1, "GET "+address, nil)
	<-s.begun
	if <-s.ended {
		t.Error("the aborted stream ended as complete")
	}
}

func BenchmarkBridgeStream(b *testing.B) {
	body := bytes.Repeat([]byte("x"), chunkSize)
	s := newStreamScript(b, true, func(w message.ResponseWriter, _ *message.Request) {
		flush(w)
		for range 16 {
			_, _ = w.Write(body)
		}
	})
	b.SetBytes(16 * chunkSize)
	for b.Loop() {
		s.fetch(1, "GET "+address, nil)
		<-s.begun
		for range 16 {
			<-s.chunks
		}
		<-s.ended
	}
}
