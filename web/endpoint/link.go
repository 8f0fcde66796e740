package endpoint

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// The arguments of a link to an account of another endpoint, such as
// ?page=endpoint&endpoint=https://ACCOUNT.table.core.windows.net&open=Orders.
// Anybody can make one, and histories keep it: it carries no credentials, and
// nothing is sent to its endpoint before the user connects.
const (
	endpointArg = "endpoint"
	openArg     = "open"
)

// link is what the page's address requests; its zero value requests nothing.
type link struct {
	remote client.Remote // without credentials
	table  string        // to be shown, "" for all
}

func linkOf(r page.Route) (link, error) {
	address := r.Arg(endpointArg)
	if address == "" {
		return link{}, nil
	}
	remote, err := client.ParseAddress(address)
	if err != nil {
		return link{}, err
	}
	l := link{remote: remote, table: r.Arg(openArg)}
	if odata.CheckTableName(l.table) != nil {
		l.table = ""
	}
	return l, nil
}

func (l link) draw() app.UI {
	if l.remote.Account == "" {
		return app.Div().Hidden(true)
	}
	what := "the account " + l.remote.Account
	if l.table != "" {
		what = "the table " + l.table + " of " + what
	}
	return ui.Notice("A link asks you to connect.", "It names "+what+" at "+l.remote.Endpoint+". Nothing has been sent there. "+
		"Connect only if you know this address: what you change then is changed there.").DataSet("testid", "linked")
}
