package eventloop

import (
	"sync"
	"syscall/js"
)

// waiting are the calls of Yield whose turn has not come, in their order.
var (
	mu      sync.Mutex
	waiting []chan struct{}
)

// resume lets the first of those that wait go on.
var resume = js.FuncOf(func(js.Value, []js.Value) any {
	mu.Lock()
	defer mu.Unlock()
	close(waiting[0])
	waiting = waiting[1:]
	return nil
})

// ask has resume called when the events that are due now were heard.
var ask = sync.OnceValue(func() func() {
	global := js.Global()
	if immediate := global.Get("setImmediate"); immediate.Type() == js.TypeFunction {
		// Node.js, where a port that listens would keep the process alive.
		return func() { immediate.Invoke(resume) }
	}
	channel := global.Get("MessageChannel").New()
	channel.Get("port1").Set("onmessage", resume)
	port := channel.Get("port2")
	return func() { port.Call("postMessage", js.Null()) }
})

// Yield returns once the events that are due were heard. It must not be called
// from inside a JavaScript callback.
func Yield() {
	turn := make(chan struct{})
	mu.Lock()
	waiting = append(waiting, turn)
	mu.Unlock()
	ask()()
	<-turn
}
