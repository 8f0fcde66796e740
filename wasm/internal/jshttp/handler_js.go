package jshttp

import "syscall/js"

// Bridge is the way of fetches between the worker's script and a handler.
type Bridge struct {
	handler  Handler
	exchange js.Value // an Uint8Array
	size     int      // of the exchange
	settle   js.Value
	log      func(panicked any)
	waiting  chan fetch // to goroutines that are idle
	out      []byte     // an answer on its way into the exchange
}

// fetch is a request on its way to the handler.
type fetch struct {
	id   js.Value // a number
	head string
	body []byte
}

// NewBridge returns the way to a handler. The exchange is an Uint8Array, which
// both sides write to just before they call the other. An answer is a call of
//
//	settle(id, status, headLength, bodyLength, large)
//
// exactly once for each request. It lies in the exchange, or if it is too long
// for that in large, another Uint8Array. What panics in the handler is given
// to log.
func NewBridge(h Handler, exchange, settle js.Value, log func(panicked any)) *Bridge {
	return &Bridge{
		handler: h, exchange: exchange, size: exchange.Length(), settle: settle, log: log,
		waiting: make(chan fetch),
	}
}

// Func returns the function that the script calls for each request,
//
//	handle(id, headLength, bodyLength, large)
//
// with a number of its choice and, as in an answer, the request in the
// exchange or in large. It returns before the handler is asked. The caller
// releases it.
func (b *Bridge) Func() js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		source := b.exchange
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

// start hands a request to a goroutine, an idle one if there is: its stack has
// already grown to what a request needs.
func (b *Bridge) start(f fetch) {
	select {
	case b.waiting <- f:
	default:
		go b.work(f)
	}
}

func (b *Bridge) work(f fetch) {
	for {
		b.answer(f.id, Answer(b.handler, f.head, f.body, b.log))
		f = <-b.waiting
	}
}

// answer settles a request. Nothing else runs between the copy and the call.
func (b *Bridge) answer(id js.Value, r Response) {
	b.out = append(append(b.out[:0], r.Head...), r.Body...)
	if len(b.out) <= b.size {
		js.CopyBytesToJS(b.exchange, b.out)
		b.settle.Invoke(id, r.Status, len(r.Head), len(r.Body))
		return
	}
	large := js.Global().Get("Uint8Array").New(len(b.out))
	js.CopyBytesToJS(large, b.out)
	b.settle.Invoke(id, r.Status, len(r.Head), len(r.Body), large)
	b.out = nil // not to be kept for the next one
}
