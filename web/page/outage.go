package page

import (
	"errors"
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/ui"
)

// How long a page waits before it tries again: twice as long each time.
const (
	firstWait = 5 * time.Second
	lastWait  = time.Minute
)

// Outage is why a connected account does not answer, and when the page tries again by
// itself. The zero Outage is none. Only go-app's goroutine may use it.
type Outage struct {
	err    *client.Unreachable
	again  func()
	tries  int
	next   time.Time // zero if nothing is tried again by itself
	trying bool
	turns  int // counts changes: a timer from before one does nothing
}

// Failed notes why a request failed. If the account does not answer, and may do so later,
// again is called after a while, until the request succeeds or the user stops it.
// It has to cancel a request that is still under way.
func (o *Outage) Failed(ctx app.Context, err error, again func()) {
	tries, stopped := o.tries+1, o.err != nil && !o.trying
	o.Ended()
	if !errors.As(err, &o.err) {
		return
	}
	o.again, o.tries = again, tries
	if !stopped && (o.err.Reason == client.Down || o.err.Reason == client.Offline) {
		o.next = time.Now().Add(min(firstWait<<min(tries-1, 8), lastWait))
		o.count(ctx)
	}
}

// Ended notes that the account answers, and reports whether it did not before. Nothing is
// tried again.
func (o *Outage) Ended() (was bool) {
	was = o.err != nil
	*o = Outage{turns: o.turns + 1}
	return was
}

// Online tries again at once: the browser says that there is a network again.
func (o *Outage) Online() {
	if !o.next.IsZero() {
		o.Try()
	}
}

// count waits for the next try. Each second the page is drawn again.
func (o *Outage) count(ctx app.Context) {
	turn := o.turns
	time.AfterFunc(min(time.Second, time.Until(o.next)), func() {
		ctx.Dispatch(func(app.Context) {
			switch {
			case turn != o.turns: // it was tried or stopped meanwhile
			case time.Now().Before(o.next):
				o.count(ctx)
			default:
				o.Try()
			}
		})
	})
}

// Try tries again now.
func (o *Outage) Try() {
	o.Stop()
	o.trying = true
	o.again()
}

// Stop stops trying until the user wants it. A try that is under way is the last one.
func (o *Outage) Stop() {
	o.next, o.trying = time.Time{}, false
	o.turns++
}

// Draw draws the outage, nil without one. The text says what is shown meanwhile, "" for
// nothing.
func (o *Outage) Draw(ctx app.Context, s Session, shown string) app.UI {
	if o.err == nil {
		return nil
	}
	again := ui.Button(ui.Plain, "Try again", func(app.Context, app.Event) { o.Try() }).DataSet("testid", "try-again")
	body := MissingRule(ctx, s, o.err, again)
	switch waits := !o.next.IsZero() || o.trying; {
	case body != nil:
	case !waits:
		body = []app.UI{ui.Failure(o.err), ui.Div("row", again)}
	default:
		next := "now"
		if !o.trying {
			next = "in " + strconv.Itoa(int(max(1, time.Until(o.next).Round(time.Second)/time.Second))) + " s"
		}
		now := ui.Button(ui.Primary, "Try now", func(app.Context, app.Event) { o.Try() }).DataSet("testid", "try-again")
		stop := ui.Button(ui.Plain, "Stop trying", func(app.Context, app.Event) { o.Stop() }).DataSet("testid", "stop-trying")
		body = []app.UI{ui.Failure(o.err), ui.Facts([]ui.Fact{{Name: "Next try", Value: next}, {Name: "Tries so far", Value: humanize.Number(o.tries)}}),
			ui.Div("row", now, stop)}
	}
	if shown != "" {
		body = append(body, ui.P("hint", shown))
	}
	return app.Div().Class("outage").DataSet("testid", "outage").Body(body...)
}

// MissingRule draws that an account needs a CORS rule for this page, and which; nil if
// none would help.
func MissingRule(ctx app.Context, s Session, err *client.Unreachable, again app.UI) []app.UI {
	rule, ok := err.Rule()
	if !ok {
		return nil
	}
	copyRule := ui.Button(ui.Primary, "Copy rule", func(app.Context, app.Event) {
		Copy(ctx, s, RuleCommand(rule), func() { s.Notify("Copied a command of the Azure CLI that adds the rule") })
	}).DataSet("testid", "copy-rule")
	return []app.UI{ui.Failure(err), app.P().Text("Add this rule to its Table service:"), ui.Facts(RuleFacts(rule)), ui.Div("row", copyRule, again)}
}

// RuleFacts returns the parts of a CORS rule, as the portal names them.
func RuleFacts(rule client.CORSRule) []ui.Fact {
	return []ui.Fact{{Name: "Allowed origins", Value: rule.Origins}, {Name: "Allowed methods", Value: rule.Methods}, {Name: "Allowed headers", Value: rule.AllowedHeaders},
		{Name: "Exposed headers", Value: rule.Exposed}, {Name: "Max age", Value: rule.MaxAge}}
}

// RuleCommand returns the command of the Azure CLI that adds a CORS rule.
func RuleCommand(rule client.CORSRule) string {
	return `az storage cors add --services t --origins "` + rule.Origins + `" --methods DELETE GET HEAD MERGE OPTIONS PATCH POST PUT \
  --allowed-headers "` + rule.AllowedHeaders + `" --exposed-headers "` + rule.Exposed + `" --max-age ` + rule.MaxAge + ` \
  --connection-string "…"`
}
