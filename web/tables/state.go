package tables

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
)

// Page lists the tables of an account, or welcomes a user who has none.
type Page struct {
	app.Compo
	page.Props

	ctx      app.Context
	selected map[string]bool
	limit    int    // of the tables that are listed
	last     string // the table whose box was clicked last
	copyName string // of the clone that is being asked for
	asking   bool
	set      int // the data set that is chosen
	sdk      string
	kept     *kept // the same for each page
	copied   string
	access   remote.Value[control.Connection]
}

// kept is what outlives the page while the user is elsewhere.
type kept struct {
	jobs page.Jobs
	page *Page // that is shown, nil for none
}

func (p *Page) tables() remote.Value[[]client.Table] {
	return p.Session.Catalog().Tables[p.Route.Account]
}

// chosen returns the selected tables, and how many entities they have if that is known.
func (p *Page) chosen() (names []string, entities int) {
	all, _ := p.tables().Data()
	for _, t := range all {
		if p.selected[t.Name] {
			names = append(names, t.Name)
			if t.Entities == client.Unknown {
				entities = client.Unknown
			} else if entities != client.Unknown {
				entities += t.Entities
			}
		}
	}
	return names, entities
}
