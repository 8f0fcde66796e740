package endpoint

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata/connection"
	"sandtable/web/client"
	"sandtable/web/ui"
)

// exhibits shows the form in each of its states.
func exhibits() []ui.Exhibit {
	unreachable := func(reason client.Reason, at string) error {
		return &client.Unreachable{Reason: reason, Endpoint: at, Origin: "https://sandtable.example"}
	}
	cloud, local := "https://contosodata.table.core.windows.net", "http://127.0.0.1:10002/devstoreaccount1"
	pages := []*Page{
		{way: byText},
		{way: byKey, fields: map[string]string{"endpoint": local, "account": "devstoreaccount1"}, remember: true, busy: true},
		{way: byText, fields: map[string]string{"text": "AccountName"}, err: connection.ErrNoAccount},
		{way: byKey, fields: map[string]string{"endpoint": local, "account": "devstoreaccount1"},
			link: link{remote: client.Remote{Account: "devstoreaccount1", Endpoint: local}, table: "Orders"}},
		{way: byText, err: unreachable(client.CORSBlocked, cloud)},
		{way: byText, err: unreachable(client.MixedContent, "http://tables.example")},
		{way: byText, err: unreachable(client.Offline, cloud)},
		{way: byText, err: &client.ServiceError{Status: 403, Code: "AuthenticationFailed", Message: "The signature does not match."}},
	}
	return []ui.Exhibit{{Name: "Connect an account", Draw: func() []app.UI {
		var all []app.UI
		for _, p := range pages {
			all = append(all, p.Render())
		}
		return all
	}}}
}
