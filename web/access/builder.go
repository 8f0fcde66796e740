package access

import (
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/control"
	"sandtable/web/sas"
	"sandtable/web/ui"
)

// Presets of times: how long after now.
var (
	startPresets = []ui.Choice{{Value: "-5m", Label: "5 min ago"}, {Value: "0s", Label: "now"}, {Value: "none", Label: "none"}}
	endPresets   = []ui.Choice{{Value: "1h", Label: "1 h"}, {Value: "24h", Label: "1 day"}, {Value: "168h", Label: "7 days"}, {Value: "720h", Label: "30 days"}}
)

func newBuilder(table string, now time.Time) builder {
	b := builder{key: "primary", token: sas.Token{Table: table, Permissions: "r", ResourceTypes: sas.ResourceTypes, Protocol: "https"}}
	b.preset("st", "-5m", now)
	b.preset("se", "168h", now)
	return b
}

// adapt makes the initial token usable: a server without https accepts no
// https-only token, and a missing key cannot sign.
func (b *builder) adapt(c credentials) {
	if strings.HasPrefix(c.endpoint, "http://") {
		b.token.Protocol = "https,http"
	}
	if c.keys.Primary == "" {
		b.key = "secondary"
	}
}

// preset sets a time to a preset. It is cut to the minute, as people write it.
func (b *builder) preset(parameter, value string, now time.Time) {
	text := ""
	if after, err := time.ParseDuration(value); err == nil {
		text = sas.FormatTime(now.Add(after).Truncate(time.Minute))
	}
	if parameter == "st" {
		b.start, b.token.Start = value, text
	} else {
		b.expiry, b.token.Expiry = value, text
	}
	b.changes++
}

// secret returns the key that is chosen.
func (b *builder) secret(keys control.Keys) []byte {
	text := keys.Primary
	if b.key == "secondary" {
		text = keys.Secondary
	}
	key, _ := sas.DecodeKey(text)
	return key
}

// set changes the field of a parameter.
func (b *builder) set(parameter, text string) {
	t := &b.token
	switch parameter {
	case "st":
		t.Start, b.start = text, ""
	case "se":
		t.Expiry, b.expiry = text, ""
	case "sip":
		t.IP = text
	case "spk":
		t.FromPartition = text
	case "srk":
		t.FromRow = text
	case "epk":
		t.ToPartition = text
	case "erk":
		t.ToRow = text
	}
}

func (p *Page) onField(_ app.Context, event app.Event) {
	p.builder.set(ui.Data(event, "parameter"), ui.Text(event))
	browser.Hand(p.limitsName(), p.builder.limits())
}

// limits is what the user has typed to limit a link. It is kept in the tab, for when the
// user comes back to the table; times would be those of then.
type limits struct{ IP, FromPartition, FromRow, ToPartition, ToRow string }

func (b *builder) limits() limits {
	t := b.token
	return limits{t.IP, t.FromPartition, t.FromRow, t.ToPartition, t.ToRow}
}

func (b *builder) limit(l limits) {
	t := &b.token
	t.IP, t.FromPartition, t.FromRow, t.ToPartition, t.ToRow = l.IP, l.FromPartition, l.FromRow, l.ToPartition, l.ToRow
}

func (p *Page) limitsName() string {
	return "sandtable limits " + p.Session.Base() + " " + p.Route.Account + "/" + p.Route.Table
}

func (p *Page) onPreset(_ app.Context, event app.Event) {
	p.builder.preset(ui.Data(event, "preset"), ui.Data(event, "choice"), p.now())
}

func (p *Page) onLetter(_ app.Context, event app.Event) {
	t := &p.builder.token
	t.Permissions = sas.Toggle(t.Permissions, ui.Data(event, "letter"), t.Known())
}

func (p *Page) onType(_ app.Context, event app.Event) {
	t := &p.builder.token
	t.ResourceTypes = sas.Toggle(t.ResourceTypes, ui.Data(event, "letter"), sas.ResourceTypes)
}

func (p *Page) onProtocol(_ app.Context, event app.Event) {
	p.builder.token.Protocol = ui.Data(event, "choice")
}

func (p *Page) onKey(_ app.Context, event app.Event) { p.builder.key = ui.Data(event, "choice") }

// onTable changes what the token is for. The letters that both kinds of tokens
// know stay; a policy belongs to its table.
func (p *Page) onTable(_ app.Context, event app.Event) {
	t := &p.builder.token
	t.Table, t.Policy = ui.Text(event), sas.Policy{}
	t.Permissions = sas.Order(t.Permissions, t.Known())
	p.builder.changes++
	p.loadPolicies()
}

func (p *Page) onPolicy(_ app.Context, event app.Event) {
	all, _ := p.policies.loaded.Data()
	p.builder.token.Policy = policyOf(all, ui.Text(event))
	p.builder.changes++
}
