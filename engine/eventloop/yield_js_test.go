package eventloop

import (
	"sync"
	"syscall/js"
	"testing"
)

// TestYield: events are handled while several goroutines only yield, and every
// goroutine makes progress.
func TestYield(t *testing.T) {
	handled := false
	timer := js.FuncOf(func(js.Value, []js.Value) any {
		handled = true
		return nil
	})
	defer timer.Release()
	js.Global().Call("setTimeout", timer, 0)
	var wg sync.WaitGroup
	rounds := [3]int{}
	for i := range rounds {
		wg.Go(func() {
			for ; !handled; rounds[i]++ {
				Yield()
			}
		})
	}
	wg.Wait() // blocks forever if the event is not handled
	for i, n := range rounds {
		if n == 0 {
			t.Errorf("goroutine %d made no progress before the event", i)
		}
	}
	if len(waiting) > 0 {
		t.Errorf("%d calls are still pending", len(waiting))
	}
}
