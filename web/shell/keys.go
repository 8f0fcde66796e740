package shell

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/page"
)

// onKey offers a key press to what is open, from the top: the shell's own
// layers, then what pages have registered, the last first.
func (s *Shell) onKey(event app.Value) {
	if s.notices.question != nil || s.ctx.Context == nil || event.Get("defaultPrevented").Truthy() {
		return
	}
	key := page.Key{
		Name:  event.Get("key").String(),
		Ctrl:  event.Get("ctrlKey").Truthy() || event.Get("metaKey").Truthy(),
		Shift: event.Get("shiftKey").Truthy(),
		Alt:   event.Get("altKey").Truthy(),
		Within: func(selector string) bool {
			target := event.Get("target")
			return target.Get("closest").Truthy() && target.Call("closest", selector).Truthy()
		},
	}
	if act := s.actOf(key); act != nil {
		event.Call("preventDefault")
		s.ctx.Dispatch(func(app.Context) { s.runForPage(act) })
	}
}

func (s *Shell) actOf(key page.Key) func() {
	if key.Ctrl && (key.Name == "k" || key.Name == "K") {
		return s.togglePalette
	}
	if s.palette.open {
		return nil // its own field has the keyboard
	}
	if key.Name == "Escape" && (s.sidebar.open || s.sidebar.form != nil) {
		// Both at once: the form of a new table also opens the drawer, which a wide window does not show.
		return func() { s.sidebar.open, s.sidebar.form = false, nil }
	}
	for i := len(s.hooks.keys) - 1; i >= 0; i-- {
		if act := s.hooks.keys[i].f(key); act != nil {
			return act
		}
	}
	if key.Ctrl && key.Alt && strings.EqualFold(key.Name, "s") {
		return s.takeSnapshot
	}
	return nil
}
