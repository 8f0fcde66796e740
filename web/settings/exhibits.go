package settings

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/sas"
	"sandtable/web/ui"
)

// accounts is a session with two accounts of this browser, one of them with a
// table.
type accounts struct{ page.Session }

func (accounts) Connected(string) (client.Remote, bool) { return client.Remote{}, false }

func (accounts) Client(account string) *client.Client {
	return &client.Client{Base: "https://sandtable.example/table/" + account}
}

func (accounts) Catalog() page.Catalog {
	return page.Catalog{
		Accounts: remote.Of([]control.Account{{Name: "devstoreaccount1", Access: "open"}, {Name: "classroom", Access: "strict"}}),
		Tables:   map[string]remote.Value[[]client.Table]{"devstoreaccount1": remote.Of([]client.Table{{Name: "Customers", Entities: 2501, Created: time.Date(2026, 11, 18, 9, 12, 44, 0, time.UTC)}})},
	}
}

// exhibits shows the page in each of its states.
func exhibits() []ui.Exhibit {
	account := page.Route{Account: "devstoreaccount1", Page: "settings"}
	table := account
	table.Table = "Customers"
	refused := &client.ServiceError{Status: 400, Code: "InvalidXmlDocument", Message: "XML specified is not syntactically valid."}
	changed := client.Properties{
		Logging: client.Logging{Read: true, Retention: client.Retention{Enabled: true, Days: "7"}},
		Hour:    client.Metrics{Enabled: true, APIs: true, Retention: client.Retention{Enabled: true, Days: "366"}},
	}
	settings, stored := remote.Of(control.Settings{}), remote.Of(client.Properties{})
	pages := []*Page{
		{Props: page.Props{Route: account}},
		{Props: page.Props{Route: account}, settings: settings, stored: stored},
		{Props: page.Props{Route: table}, settings: settings, stored: stored, policies: remote.Of(make([]sas.Policy, 3)), partitions: remote.Of(control.Partitions{All: 34, Entities: 2501, Bytes: 600 << 10}), form: form{next: changed, err: refused}},
		{Props: page.Props{Route: table}, removal: removal{typed: "Customers", err: client.ErrNoAnswer},
			settings: remote.Value[control.Settings]{}.Answered(control.Settings{}, client.ErrNoAnswer),
			stored:   remote.Value[client.Properties]{}.Answered(client.Properties{}, client.ErrNoAnswer)},
	}
	return []ui.Exhibit{{Name: "Settings", Draw: func() []app.UI {
		var all []app.UI
		for _, p := range pages {
			p.Session = accounts{}
			all = append(all, p.drawAccount()...)
			all = append(all, p.drawProperties()...)
			all = append(all, p.drawTable(), p.drawRemoval())
		}
		return all
	}}}
}
