package eventloop

import (
	"sync"
	"syscall/js"
	"testing"
)

// TestYield: an event is heard while goroutines go on that do nothing but
// yield, and each of them goes on.
func TestYield(t *testing.T) {
	heard := false
	timer := js.FuncOf(func(js.Value, []js.Value) any {
		heard = true
		return nil
	})
	defer timer.Release()
	js.Global().Call("setTimeout", timer, 0)
	var wg sync.WaitGroup
	rounds := [3]int{}
	for i := range rounds {
		wg.Go(func() {
			for ; !heard; rounds[i]++ {
				Yield()
			}
		})
	}
	wg.Wait() // for ever, if it were not heard
	for i, n := range rounds {
		if n == 0 {
			t.Errorf("goroutine %d did not go on before the event", i)
		}
	}
	if len(waiting) > 0 {
		t.Errorf("%d still wait", len(waiting))
	}
}
