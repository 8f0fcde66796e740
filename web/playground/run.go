package playground

import (
	"context"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/control"
	"sandtable/web/page"
)

// origin is what programs use as their endpoint, whatever the account's real name.
const origin = "https://playground.table.core.windows.net"

type run struct {
	account, code string
	http          bool
	other         string         // the code of the other language, "" if it was not shown
	page          *Page          // that is shown, nil for none
	fragment      string         // of the address: the code that was read from it or put into it last
	ahead         bool           // the code is newer than that
	since         control.Recent // what was recorded before the run
	before        string         // the snapshot from before the run, "" once it was compared
	arrivals      arrivals
	read          bool               // the requests of the run are in sent
	sent          []control.Recorded // of the run
	whole         bool               // none of them is missing
	console       console            // what it printed
}

// run starts the program, in an account that exists.
func (p *Page) run() {
	if p.course.on && !p.course.ready() {
		return
	}
	code, step := p.code, p.course.step
	p.prepare(func(before string) {
		p.course.ran = p.course.step == step
		p.start(before, code)
	})
}

// prepare makes an account that exists, with the data of the lesson, and then
// calls then with the code that goes before the program.
func (p *Page) prepare(then func(before string)) {
	if p.starting || p.console.running {
		return
	}
	p.starting, p.failed = true, nil
	if p.course.on { // each run of a lesson starts with its data alone
		p.course.results, p.course.void = nil, ""
		p.discard()
	} else {
		p.tab = consoleTab
	}
	fresh := p.claim()
	p.flush()
	account, course, next, stale, reading := p.account, p.course, p.kept(), p.kept().before, p.reading
	page.Background(p.ctx, func(c context.Context) func() {
		if reading != nil { // the results of the run before; that, too, sends requests and uses what is collected
			<-reading
		}
		next.arrivals.start()
		var err error
		if fresh {
			err = p.create(c, account)
		}
		if err == nil {
			err = course.fill(c, p.Session.Client(account))
		}
		var before string
		if err == nil {
			before, err = course.sign(c, p.Session.Control(), account)
		}
		var recent control.Recent
		if err == nil {
			recent, err = p.Session.Control().Recent(c, 0)
		}
		var snapshot control.Snapshot
		if err == nil {
			if stale != "" { // of a run that could not start
				_ = p.Session.Control().DeleteSnapshot(c, account, stale)
			}
			snapshot, err = p.Session.Control().TakeSnapshot(c, account, beforeRun, "taken")
		}
		if err == nil {
			err = course.arm(c, p.Session.Control(), account)
		}
		return func() {
			p.starting = false
			if err != nil {
				p.fail(err)
				p.unclaim(fresh, err)
				return
			}
			next.before, next.since, next.read = snapshot.ID, recent, false
			then(before)
		}
	})
}

// last returns the ID of the last request, or before if there are none.
func last(recent control.Recent, before uint64) uint64 {
	for _, r := range recent.Requests {
		before = max(before, r.ID)
	}
	return before
}

// fail shows why a program cannot run.
func (p *Page) fail(err error) {
	p.failed, p.tab, p.course.pane = err, consoleTab, outputPane
}

// endpoints returns the origin that a program names, and the address that answers it.
func (p *Page) endpoints() (from, to string) {
	switch {
	case p.course.Signed: // signatures cover the account's name and its path
		return signedOrigin(p.account), signedOrigin(p.account) + "/"
	case p.http && p.signedSend:
		return origin, signedOrigin(p.account) + "/"
	}
	return origin, p.Session.Base() + "table/" + p.account + "/"
}

// sandbox returns the folder of the sandbox's files.
func (p *Page) sandbox() string { return p.Session.Base() + "web/sandbox/" }

// start runs code in the sandbox, after a text that adds no line to it.
func (p *Page) start(before, code string) {
	p.console.start(p.editors)
	var deliver app.Func
	deliver = app.FuncOf(func(_ app.Value, args []app.Value) any {
		batch := args[0].String()
		p.ctx.Dispatch(func(app.Context) {
			if p.console.receive(batch) {
				deliver.Release()
				p.ended()
				p.showEnd()
			}
		})
		return nil
	})
	p.console.http = p.http
	from, to := p.endpoints()
	run := app.Window().Get("sandtablePlayground").Call("run", p.sandbox(), from, to, before+code, deliver)
	p.stop = func() { run.Call("stop") }
	page.Background(p.ctx, func(context.Context) func() {
		_, err := browser.Await(run.Get("started"))
		return func() {
			if err != nil {
				p.stop, p.console.running = nil, false
				p.fail(err)
			}
		}
	})
}

// ended reads what the run has done.
func (p *Page) ended() {
	p.stop = nil
	p.Session.Wrote()
	p.changes = p.changes.Asked()
	p.readResults()
}

func (p *Page) runOrSend() {
	if p.http {
		p.send(false)
	} else {
		p.run()
	}
}

func (p *Page) onRun(app.Context, app.Event) { p.run() }

func (p *Page) onStop(app.Context, app.Event) {
	if p.stop != nil {
		p.stop()
	}
}

// onReset empties the account: it is deleted, and the next run makes another.
func (p *Page) onReset(app.Context, app.Event) {
	p.onStop(p.ctx, app.Event{})
	p.discard()
}
