package requests

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/inspect"
	"sandtable/web/page"
	"sandtable/web/snippet"
	"sandtable/web/ui"
)

// The tabs of the panel.
const (
	whyTab      = "why"
	requestTab  = "request"
	responseTab = "response"
	planTab     = "plan"
)

// openDetail reads the request that the address names.
func (p *Page) openDetail() {
	id := p.chosen()
	p.detail = detail{id: id, raw: p.detail.raw, whole: p.detail.whole && id != 0}
	if id == 0 {
		return
	}
	page.Load(p.ctx, &p.detail.data, func(c context.Context) (control.RecordedDetail, error) {
		return p.Session.Control().Recorded(c, id)
	}, func() {
		p.detail.tab = requestTab
		if found, _ := p.detail.data.Data(); found.Failed() {
			p.detail.tab = whyTab
		}
	})
}

// gone reports that the endpoint does not keep the request any more.
func (d detail) gone() bool {
	var refusal *client.ServiceError
	return errors.As(d.data.Err(), &refusal) && refusal.Status == 404
}

func (p *Page) onTab(_ app.Context, event app.Event) { p.detail.tab = ui.Data(event, "choice") }
func (p *Page) onRaw(app.Context, app.Event)         { p.detail.raw = !p.detail.raw }
func (p *Page) onMenu(app.Context, app.Event)        { p.detail.menu = !p.detail.menu }

func (p *Page) onCopy(ctx app.Context, event app.Event) {
	p.detail.menu = false
	p.copyAs(ctx, ui.Data(event, "language"))
}

// copyAs copies the request as code.
func (p *Page) copyAs(ctx app.Context, name string) {
	for _, l := range snippet.Languages {
		if text, ok := p.code(l); ok && l.Name == name {
			page.Copy(ctx, p.Session, text, func() { p.Session.Notify("Copied as " + l.Label) })
		}
	}
}

// localServer is where `sandtable serve` listens.
const localServer = "http://127.0.0.1:10002/"

// code writes the request of the panel in a language.
func (p *Page) code(l snippet.Language) (string, bool) {
	d, ok := p.detail.data.Data()
	if !ok {
		return "", false
	}
	c := inspect.CallOf(d)
	native := ""
	if status, ok := p.Session.Status().Data(); !ok || status.Store != "file" {
		native = localServer + cmp.Or(d.Account, "devstoreaccount1")
	}
	parts, _ := inspect.Parts(d) // none: then there is no code but curl and fetch
	text := snippet.Write(l, c, parts, native)
	if why := bodyProblem(d); why != "" {
		text = l.Start + why + ".\n" + text
	}
	return text, true
}

// replayProblem says why a request cannot be sent again, "" if it can.
func replayProblem(d control.RecordedDetail) string {
	if d.Account == "" {
		return "The request names no account"
	}
	return bodyProblem(d)
}

// bodyProblem says what of a request's body is missing, "" for nothing.
func bodyProblem(d control.RecordedDetail) string {
	switch {
	case d.RequestBody == nil && d.Method != client.MethodGet && d.Method != client.MethodDelete:
		return "Its body was not recorded"
	case d.Truncated && d.RequestBody != nil && len(*d.RequestBody) >= 16<<10:
		return "Only the beginning of its body was recorded"
	}
	return ""
}

func (p *Page) onReplay(app.Context, app.Event) {
	d, ok := p.detail.data.Data()
	if !ok || p.detail.replaying {
		return
	}
	if d.Method == client.MethodGet {
		p.replay(d)
		return
	}
	p.Session.Ask(ui.Question{
		Title: "Send it again?", Text: "This request writes: " + cmp.Or(d.Operation, d.Method) + " in " + d.Account + ".", Confirm: "Send",
	}, func() { p.replay(d) })
}

// sasLasts is how long the signature is valid with which a request is sent again.
const sasLasts = 5 * time.Minute

// replay sends the request again, with credentials of this page.
func (p *Page) replay(d control.RecordedDetail) {
	c := inspect.CallOf(d)
	to := p.Session.Client(d.Account)
	request := client.Request{Method: c.Method, URL: c.Address(to.Base), Header: snippet.Headers(c), Body: c.Body}
	signed := p.Session.Catalog().Account(d.Account).Access == "strict"
	p.detail.replaying, p.detail.problem = true, nil
	page.Background(p.ctx, func(ctx context.Context) func() {
		id, err := p.send(ctx, to, request, d.Account, signed)
		return func() {
			if p.detail.id != d.ID {
				return
			}
			p.detail.replaying, p.detail.problem, p.detail.replayed = false, err, id
			if err == nil {
				p.Session.Wrote()
			}
		}
	})
}

func (p *Page) send(ctx context.Context, to *client.Client, r client.Request, account string, signed bool) (id string, err error) {
	if signed {
		sas, err := p.Session.Control().SAS(ctx, account, time.Now().Add(sasLasts))
		if err != nil {
			return "", err
		}
		r.URL += map[bool]string{true: "&", false: "?"}[hasQuery(r.URL)] + sas
	}
	response, err := to.Replay(ctx, r)
	return response.Header.Get("x-ms-request-id"), err
}

// repetition finds the request that the page has sent again, once it is listed.
func (p *Page) repetition() (control.Recorded, bool) {
	if p.detail.replayed == "" {
		return control.Recorded{}, false
	}
	for _, r := range p.list.rows {
		if r.RequestID == p.detail.replayed {
			return r, true
		}
	}
	return control.Recorded{}, false
}
