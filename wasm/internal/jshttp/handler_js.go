package jshttp

import (
	"syscall/js"

	"sandtable/server/message"
)

// Script is the part of the worker's script that a [Bridge] calls.
type Script struct {
	// Buffer is a Uint8Array, the shared buffer, that each side writes to just before
	// it calls the other.
	Buffer js.Value
	// Settle answers a request:
	//
	//	settle(id, status, headLength, bodyLength)
	//	settle(id, status, head, bodyLength, large)
	//
	// The answer is in the shared buffer. If it is too long for that, the head is a string,
	// and the body is large, a Uint8Array of its own.
	Settle js.Value
	// Begin answers a request with the first chunk of a streamed body. Its
	// arguments are those of Settle. Further chunks follow on demand, then the end:
	//
	//	chunk(id, length, large)
	//	end(id, whole)
	//
	// If whole is false, the answer was aborted.
	Begin, Chunk, End js.Value
}

// Bridge passes fetches from the worker's script to a handler.
type Bridge struct {
	handler message.Handler
	script  Script
	size    int // of the shared buffer
	log     func(panicked any)
	waiting chan fetch      // to goroutines that are idle
	out     []byte          // an answer on its way into the shared buffer
	clients map[int]*Client // of the answers being streamed
}

// fetch is a request on its way to the handler.
type fetch struct {
	id   js.Value // a number
	head string
	body []byte
}

// NewBridge returns a Bridge to a handler. Each request is answered exactly once.
// log gets the panics of the handler.
func NewBridge(h message.Handler, script Script, log func(panicked any)) *Bridge {
	return &Bridge{
		handler: h, script: script, size: script.Buffer.Length(), log: log,
		waiting: make(chan fetch), clients: map[int]*Client{},
	}
}

// Func returns the function that the script calls for each request,
//
//	handle(id, headLength, bodyLength, large)
//
// with a number of its choice and the request in the shared buffer or, if it is too
// long for that, in large, a Uint8Array of its own. It returns before the handler
// is called. The caller releases it.
func (b *Bridge) Func() js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		source := b.script.Buffer
		if len(args) > 3 {
			source = args[3]
		}
		headLength, bodyLength := args[1].Int(), args[2].Int()
		request := make([]byte, headLength+bodyLength)
		js.CopyBytesToGo(request, source)
		b.start(fetch{args[0], string(request[:headLength]), request[headLength:]})
		return nil
	})
}

// ReaderFunc returns the function by which the script reports the reader of a
// streamed answer,
//
//	reader(id, reads)
//
// true when it wants one more chunk, false when it is gone. The caller
// releases it.
func (b *Bridge) ReaderFunc() js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		client := b.clients[args[0].Int()]
		switch {
		case client == nil: // the answer has just ended
		case args[1].Bool():
			client.Pull()
		default:
			client.Cancel()
		}
		return nil
	})
}

// start passes a request to a goroutine, preferably an idle one: its stack has
// already grown to what a request needs.
func (b *Bridge) start(f fetch) {
	select {
	case b.waiting <- f:
	default:
		go b.work(f)
	}
}

func (b *Bridge) work(f fetch) {
	s := &stream{bridge: b}
	for {
		s.id = f.id
		if response, streamed := Answer(b.handler, f.head, f.body, s, b.log); !streamed {
			b.answer(b.script.Settle, f.id, response)
		}
		f = <-b.waiting
	}
}

// answer settles or begins the answer of a request. Nothing else runs between
// the copy and the call.
func (b *Bridge) answer(how js.Value, id js.Value, r Response) {
	if len(r.Head)+len(r.Body) > b.size {
		how.Invoke(id, r.Status, r.Head, len(r.Body), large(r.Body))
		return
	}
	b.out = append(append(b.out[:0], r.Head...), r.Body...)
	js.CopyBytesToJS(b.script.Buffer, b.out)
	how.Invoke(id, r.Status, len(r.Head), len(r.Body))
}

// large returns an array of its own for what does not fit the shared buffer.
func large(content []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(content))
	js.CopyBytesToJS(array, content)
	return array
}

// stream passes one streamed answer to the script.
type stream struct {
	bridge *Bridge
	id     js.Value
}

func (s *stream) Begin(r Response, c *Client) {
	s.bridge.clients[s.id.Int()] = c
	s.bridge.answer(s.bridge.script.Begin, s.id, r)
}

func (s *stream) Chunk(chunk []byte) {
	b := s.bridge
	if len(chunk) <= b.size {
		js.CopyBytesToJS(b.script.Buffer, chunk)
		b.script.Chunk.Invoke(s.id, len(chunk))
		return
	}
	b.script.Chunk.Invoke(s.id, len(chunk), large(chunk))
}

func (s *stream) End(whole bool) {
	delete(s.bridge.clients, s.id.Int())
	s.bridge.script.End.Invoke(s.id, whole)
}
