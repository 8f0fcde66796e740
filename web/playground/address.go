package playground

import (
	"fmt"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// readAddress takes over the code that the address carries.
func (p *Page) readAddress() {
	if p.course.on {
		return
	}
	there, k := app.Window().URL(), p.kept()
	if k.ahead && there.EscapedFragment() == k.fragment {
		p.save()
		return
	}
	code, http, ok, err := decodeLink(there.EscapedFragment())
	if !ok {
		if code, http, ok, err = decodeQuery(there.RawQuery); ok {
			defer p.moveToFragment()
		}
	}
	if p.problem = err; ok && err == nil {
		k.fragment, k.ahead = there.EscapedFragment(), false
	}
	if ok && err == nil && (code != p.code || http != p.http) {
		if http != p.http {
			p.http, k.other = http, p.code
		}
		p.show(code)
	}
}

// moveToFragment takes the code out of the query, which is as it was written by
// hand: it stays in the fragment alone, where changes are saved.
func (p *Page) moveToFragment() {
	p.Session.Replace(p.Route.With("code", "").With("http", ""))
	if p.problem == nil {
		p.save()
	}
}

// show puts code into the editor.
func (p *Page) show(code string) {
	p.code, p.initial, p.kept().code, p.kept().http = code, code, code, p.http
	p.editors++
}

var errLong = fmt.Errorf("the code is longer than %d KiB: it runs, but cannot be shared or kept in this browser; save it as a file", maxCode>>10)

// save puts the code into the address, without a step in the history; that of a
// lesson into the progress. It reports whether the code is short enough.
func (p *Page) save() bool {
	p.unsaved = false
	switch {
	case len(p.code) > maxCode:
		p.problem = errLong
		return false
	case p.course.on:
		p.course.keep(p.course.step, p.code)
	case p.Mounted():
		history := app.Window().Get("history")
		history.Call("replaceState", history.Get("state"), "", p.link())
		p.kept().fragment, p.kept().ahead = encodeLink(p.code, p.http), false
	default: // the address is another page's: code that was typed just before, or brought back by Undo
		p.kept().ahead = true
	}
	return true
}

// link returns the address of the page with its code.
func (p *Page) link() string {
	there := page.Route{Page: "playground"}.On(app.Window().URL())
	there.RawFragment = ""
	return there.String() + "#" + encodeLink(p.code, p.http)
}

// onOpenTab opens the code in a playground of its own: that of a lesson, too,
// there without the lesson's data.
func (p *Page) onOpenTab(app.Context, app.Event) {
	if p.flush() {
		app.Window().Call("open", p.link(), "_blank", "noopener")
	}
}

// saveDelay is how long typing pauses before the code is put into the address:
// browsers limit how often a page may change it.
const saveDelay = 500 * time.Millisecond

// edited takes over what is in the editor.
func (p *Page) edited(code string) {
	if len(code) > maxCode {
		p.flush() // the code from before can be kept
		p.code, p.problem, p.kept().code = code, errLong, code
		return
	}
	p.code, p.problem, p.kept().code, p.unsaved = code, nil, code, true
	p.typedAt = app.Window().URL().EscapedFragment()
	p.ctx.After(saveDelay, func(app.Context) {
		if p.code == code {
			p.save()
		}
	})
}

// flush saves what was typed within the last saveDelay. It writes nothing else: code
// that another tab has saved for the same step may be newer than what is shown here.
// It reports whether the code is short enough.
func (p *Page) flush() bool {
	if p.unsaved || len(p.code) > maxCode {
		return p.save()
	}
	return true
}

// typed is code that was typed just before the document was left. An address that is
// changed then comes too late for a reload.
type typed struct {
	Fragment, Code string // of the address at that time
	HTTP           bool
}

const typedName = "sandtable playground typed"

// handTyped saves what was typed before the document goes away.
func (p *Page) handTyped() {
	if p.unsaved && !p.course.on {
		there := app.Window().URL().EscapedFragment()
		if there != p.typedAt { // a link was opened since: its code replaces what was typed
			return
		}
		browser.Hand(typedName, typed{there, p.code, p.http})
	}
	p.flush()
}

// takeTyped takes over what handTyped left, if the address is the same.
func (p *Page) takeTyped() {
	t, ok := browser.Take(typedName, func(t typed) bool { return len(t.Code) <= maxCode })
	if k := p.kept(); ok && k.code == "" && t.Fragment == app.Window().URL().EscapedFragment() {
		k.code, k.http, k.fragment, k.ahead = t.Code, t.HTTP, t.Fragment, true
	}
}

func (p *Page) onShare(ctx app.Context, _ app.Event) {
	if p.save() {
		page.Copy(ctx, p.Session, p.link(), func() { p.Session.Notify("The link is copied. It carries the code.") })
	}
}

// onSample replaces the code; what was there can be brought back.
func (p *Page) onSample(_ app.Context, event app.Event) {
	before, http, other := p.code, p.http, p.kept().other
	sample := sampleOf(ui.Text(event))
	if sample.HTTP != http {
		p.kept().other = before
	}
	p.http, p.problem = sample.HTTP, nil
	p.show(sample.Code)
	p.save()
	p.Session.Offer("The example replaced your code.", "Undo", func() {
		p := p.shown()
		p.http, p.kept().other = http, other
		p.show(before)
		p.save()
	})
}
