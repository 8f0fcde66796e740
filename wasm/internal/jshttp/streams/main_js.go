package main

import (
	"fmt"
	"sync/atomic"
	"syscall/js"

	"sandtable/server/message"
	"sandtable/wasm/internal/jshttp"
)

// chunkSize is how much a handler writes at a time, in bytes.
const chunkSize = 64 << 10

// handler answers by the path:
//
//	/go/whole    200 chunks, each of bytes of its number
//	/go/endless  chunks without end
//	/go/broken   three chunks, then an abort
//	/go/written  the number of chunks written by endless answers
//	/go/ended    answered when one more endless answer has lost its reader
//	/go/crash    ends the program with an unrecovered panic
type handler struct {
	written atomic.Int64
	ended   chan struct{}
}

// Serve answers one request.
func (h *handler) Serve(w message.ResponseWriter, r *message.Request) {
	switch r.URL.Path {
	case "/go/whole":
		h.stream(w, 200)
	case "/go/broken":
		h.stream(w, 3)
		panic(message.ErrAbort)
	case "/go/endless":
		w.(message.Flusher).Flush()
		chunk := make([]byte, chunkSize)
		for {
			if _, err := w.Write(chunk); err != nil {
				<-r.Context.Done()
				h.ended <- struct{}{}
				return
			}
			h.written.Add(1)
		}
	case "/go/written":
		fmt.Fprint(w, h.written.Load())
	case "/go/ended":
		<-h.ended
	case "/go/crash":
		go panic("on request")
		select {}
	default:
		w.WriteHeader(message.StatusNotFound)
	}
}

func (h *handler) stream(w message.ResponseWriter, chunks int) {
	w.(message.Flusher).Flush()
	chunk := make([]byte, chunkSize)
	for i := range chunks {
		for at := range chunk {
			chunk[at] = byte(i)
		}
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

func main() {
	script := js.Global().Get("sandtable")
	closed := make(chan struct{})
	bridge := jshttp.NewBridge(&handler{ended: make(chan struct{}, 16)}, jshttp.Script{
		Buffer: script.Get("buffer"), Settle: script.Get("settle"),
		Begin: script.Get("begin"), Chunk: script.Get("chunk"), End: script.Get("end"),
	}, func(any) {})
	script.Call("ready", bridge.Func(), js.FuncOf(func(js.Value, []js.Value) any {
		close(closed)
		return nil
	}), bridge.ReaderFunc())
	<-closed
}
