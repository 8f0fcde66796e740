package requests

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/inspect"
	"sandtable/web/page"
	"sandtable/web/ui"
)

func exhibits() []ui.Exhibit {
	d := refusedSample()
	return []ui.Exhibit{
		{Name: "Requests", Draw: func() []app.UI { return []app.UI{drawTable(samples(), 2, page.Route{}, ui.Nothing)} }},
		{Name: "Why a request was refused", Draw: func() []app.UI { return drawWhy(d, inspect.CallOf(d)) }},
		{Name: "Filter as a tree", Draw: func() []app.UI {
			return []app.UI{drawFilterTree("PartitionKey eq 'EU-West' and (Age ge 21 or not Active)"), drawFilterTree("Age qe 21")}
		}},
	}
}

func samples() []control.Recorded {
	const host = "https://devstoreaccount1.table.core.windows.net"
	return []control.Recorded{
		{ID: 4, Method: "GET", URL: host + "/Orders()?$filter=Total%20gt%20100", Operation: inspect.QueryEntities, Status: 200, Milliseconds: 41.7,
			Account: "devstoreaccount1", Statistics: &control.Statistics{Kind: "table scan", Blocks: 310, Examined: 18204, Returned: 12}},
		{ID: 3, Method: "POST", URL: host + "/$batch", Operation: inspect.Transaction, Status: 202, Milliseconds: 3.1, Account: "devstoreaccount1"},
		refusedSample().Recorded,
		{ID: 1, Method: "DELETE", URL: host + "/Sessions(PartitionKey='x',RowKey='9')", Operation: inspect.DeleteEntity, Status: 204, Milliseconds: .6, Account: "devstoreaccount1"},
	}
}

func refusedSample() control.RecordedDetail {
	const expected = "r\n2026-11-20T00:00:00Z\n2026-12-20T00:00:00Z\n/table/devstoreaccount1/sensors\n\n\nhttps\n2019-02-02\n\n\n\n"
	return control.RecordedDetail{
		Recorded: control.Recorded{ID: 2, Method: "GET", Account: "devstoreaccount1", Operation: inspect.GetEntity, Status: 403, Code: "AuthenticationFailed",
			URL: "https://devstoreaccount1.table.core.windows.net/Sensors(PartitionKey='s-17',RowKey='0042')?sv=2019-02-02&sp=r&tn=Sensors" +
				"&st=2026-11-20T00:00:00Z&se=2026-12-20T00:00:00Z&spr=https&sig=REDACTED",
			Milliseconds: .3, Time: time.Date(2026, 11, 20, 18, 44, 9, 213e6, time.UTC), Reason: "authentication failed: the table's name must be in lower case"},
		StringToSign: expected, Signed: "r\n2026-11-20T00:00:00Z\n2026-12-20T00:00:00Z\n/table/devstoreaccount1/Sensors\n\n\nhttps\n2019-02-02\n\n\n\n",
	}
}
