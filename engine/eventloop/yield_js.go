package eventloop

import (
	"sync"
	"syscall/js"
)

// waiting holds the pending calls of Yield, oldest first.
var (
	mu      sync.Mutex
	waiting []chan struct{}
)

// resume releases the oldest pending call.
var resume = js.FuncOf(func(js.Value, []js.Value) any {
	mu.Lock()
	defer mu.Unlock()
	close(waiting[0])
	waiting = waiting[1:]
	return nil
})

// schedule makes the event loop call resume after the events that are due now.
var schedule = sync.OnceValue(func() func() {
	global := js.Global()
	if immediate := global.Get("setImmediate"); immediate.Type() == js.TypeFunction {
		// Node.js, where a listening port would keep the process alive.
		return func() { immediate.Invoke(resume) }
	}
	channel := global.Get("MessageChannel").New()
	channel.Get("port1").Set("onmessage", resume)
	port := channel.Get("port2")
	return func() { port.Call("postMessage", js.Null()) }
})

// Yield blocks until the events that are due have been handled. It must not be
// called from inside a JavaScript callback.
func Yield() {
	turn := make(chan struct{})
	mu.Lock()
	waiting = append(waiting, turn)
	mu.Unlock()
	schedule()()
	<-turn
}
