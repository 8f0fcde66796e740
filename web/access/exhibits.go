package access

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/remote"
	"sandtable/web/sas"
	"sandtable/web/ui"
)

func exhibits() []ui.Exhibit {
	now := time.Date(2026, 11, 20, 18, 44, 26, 0, time.UTC)
	countdown := func(expiry string) app.UI {
		validity, words, left := sas.Token{Expiry: expiry}.Validity(now)
		return app.P().Class("countdown", moods[validity]).Body(ui.Icon(ui.IconHistory), app.Span().Text(words), app.B().Text(left))
	}
	return []ui.Exhibit{
		{Name: "Countdown of a signature", Draw: func() []app.UI {
			return []app.UI{countdown("2026-11-27 18:40"), countdown("2026-11-20 19:00"), countdown("2026-11-20 18:00"), countdown("")}
		}},
		{Name: "Permissions", Draw: func() []app.UI {
			return []app.UI{letters("ra", tableLetters, false, ui.Nothing), letters("raud", tableLetters, true, ui.Nothing)}
		}},
		{Name: "Policies", Draw: func() []app.UI {
			p := &Page{now: func() time.Time { return now }, policies: policies{table: "Customers", loaded: remote.Of([]sas.Policy{
				{ID: "partner-read", Permissions: "r", Start: "2026-11-01", Expiry: "2027-01-31"}, {ID: "trial", Permissions: "raud", Start: "2026-10-01", Expiry: "2026-10-31"}, {ID: "later"}})}}
			return []app.UI{ui.Div("access-side", p.drawPolicies())}
		}},
		{Name: "CORS rule", Draw: func() []app.UI {
			return []app.UI{drawRule(0, client.CORSRule{Origins: "https://app.contoso.com", Methods: "GET,POST", AllowedHeaders: "x-ms-*", MaxAge: "3600"}, ui.Nothing, ui.Nothing)}
		}},
	}
}
