package entities

import (
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
)

// address is how the address of the page names the entity in the panel.
type address struct {
	entity string    // as last read or written
	at     time.Time // when it was written
	step   bool      // opening the panel was a step in the history
}

// addressPause is how long to wait between two changes of the address. Browsers
// refuse more than 100 in 10 s, which an arrow key that is held down exceeds.
const addressPause = 250 * time.Millisecond

// openFromRoute opens the entity of the address, or closes the panel, unless
// that is what it shows.
func (p *Page) openFromRoute() {
	text := p.Route.Arg(entityArg)
	if text == p.address.entity {
		return
	}
	p.address.entity, p.address.step = text, false
	partition, row, ok := strings.Cut(text, "/") // keys have no slash
	switch {
	case ok:
		p.openEntity(odata.Key{PartitionKey: partition, RowKey: row}, false)
	case p.panel.open && p.panel.key != nil:
		p.Session.Leave(p.ClosePanel)
	}
}

// nameEntity puts the entity in the panel into the address. On a phone, where the panel
// covers the rows, that is a step in the history: back closes it.
func (p *Page) nameEntity() {
	text := ""
	if p.panel.open && p.panel.key != nil {
		text = p.panel.key.PartitionKey + "/" + p.panel.key.RowKey
	}
	if text == p.address.entity {
		return
	}
	if time.Since(p.address.at) < addressPause {
		p.ctx.After(addressPause, func(app.Context) { p.nameEntity() })
		return
	}
	was, r := p.address, p.Route.With(entityArg, text)
	p.address = address{text, time.Now(), text != "" && was.step}
	if was.entity == "" && p.rowHeight() == RowHeightNarrow {
		p.address.step = true
		p.Session.Navigate(r)
		return
	}
	p.Session.Replace(r)
	if was.step && text == "" {
		app.Window().Get("history").Call("back") // to the same rows, from before the step
	}
}
