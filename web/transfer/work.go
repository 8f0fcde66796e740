package transfer

import (
	"context"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/page"
)

// work is something that a page does in the background, which it can stop.
type work struct{ cancel context.CancelFunc }

func (w *work) stop() {
	if w.cancel != nil {
		w.cancel()
	}
}

// turn is for how long work holds the page's only thread. Then the browser may draw and
// handle events.
const turn = 20 * time.Millisecond

// begin stops what was begun before, and does something else in the background, then
// applies its result. It calls pause after each few milliseconds, which returns an error
// once it is stopped.
func (w *work) begin(ctx app.Context, do func(c context.Context, pause func() error) (apply func())) {
	w.stop()
	var c context.Context
	c, w.cancel = context.WithCancel(context.Background())
	last := time.Now()
	pause := func() error {
		if time.Since(last) >= turn {
			browser.Yield()
			last = time.Now()
		}
		return c.Err()
	}
	page.Background(ctx, func(context.Context) func() {
		apply := do(c, pause)
		return func() {
			if c.Err() == nil {
				apply()
			}
		}
	})
}
