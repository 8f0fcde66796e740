//go:build patched

package eventloop

import (
	"runtime"
	"syscall/js"
	"testing"
)

// counterScript counts events, each of which makes the next.
const counterScript = `
	let n = 0;
	const { port1, port2 } = new MessageChannel();
	port1.onmessage = () => port2.postMessage(++n);
	port2.postMessage(n);
	return { count: () => n, end: () => port1.close() };`

// TestEventsDuringCollection: events are handled while the garbage collector marks.
// It is run with the overlay that wasm/runtime.sh writes, as the programs are built;
// without it no event is.
func TestEventsDuringCollection(t *testing.T) {
	type node struct{ left, right *node }
	var tree func(depth int) *node
	tree = func(depth int) *node {
		if depth == 0 {
			return nil
		}
		return &node{tree(depth - 1), tree(depth - 1)}
	}
	root := tree(21) // two million objects
	counter := js.Global().Get("Function").New(counterScript).Invoke()
	defer counter.Call("end")
	Yield()
	before := counter.Call("count").Int()
	runtime.GC()
	if n := counter.Call("count").Int() - before; n < 10 {
		t.Errorf("%d events were handled during a collection", n)
	}
	runtime.KeepAlive(root)
}
