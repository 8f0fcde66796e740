package web

import (
	"context"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/remote"
	"sandtable/web/tableclient"
	"sandtable/web/ui"
)

func (e *explorer) onConnect(app.Context, app.Event) {
	if e.panel.kind == panelConnect {
		e.closePanel()
		return
	}
	e.leave(func() {
		e.panel.reset(panelConnect)
		e.loadConnection()
		e.measure()
		e.focus("panel-title")
	})
}

func (e *explorer) onReloadConnection(app.Context, app.Event) { e.loadConnection() }

func (e *explorer) loadConnection() {
	account := e.account()
	e.panel.account = account
	e.panel.connection = e.panel.connection.Asked()
	e.background(func(c context.Context) func() {
		connection, err := e.control().Connection(c, account)
		return func() {
			if e.panel.kind == panelConnect && e.panel.account == account {
				e.panel.connection = e.panel.connection.Answered(connection, err)
			}
		}
	})
}

func (e *explorer) drawConnectPanel() app.UI {
	p := &e.panel
	header := app.Header().Body(
		app.Div().Class("row").Body(
			app.H2().ID("panel-title").Class("words").TabIndex(-1).Body(app.Text("Connect to "+p.account)),
			app.Span().Class("grow"),
			ui.IconButton(ui.Square, ui.IconClose, "Close the panel (Escape)", e.onClosePanel)),
		app.Small().Body(app.Text("From any page below "+e.base)),
	)
	return app.Aside().Class("panel").Aria("label", "Connect").Body(header,
		app.Div().Class("body loose").Body(e.drawConnection()...))
}

func (e *explorer) drawConnection() []app.UI {
	p := &e.panel
	connection, held := p.connection.Data()
	switch {
	case p.connection.State() == remote.Failed:
		return []app.UI{errorNote(p.connection.Err(), ui.Button(ui.Plain, "Try again", e.onReloadConnection))}
	case !held:
		return []app.UI{ui.Bones(8)}
	}
	draw := func(name, label, text string) app.HTMLDiv {
		return ui.Copyable(name, label, text, p.copied == name, e.onCopy)
	}
	return []app.UI{
		app.P().Body(app.Text("The JavaScript SDK refuses account keys in browsers, so this is a shared access signature: an address with its permission in it.")),
		draw("connection-string", "Connection string", connection.ConnectionString),
		draw("sas-url", "SAS URL", connection.SASURL),
		draw("endpoint", "Endpoint", connection.Endpoint),
		draw("example", "JavaScript", example(connection, e.exampleTable())),
		app.P().Class("hint").Body(app.Text("The service worker answers these addresses; nothing leaves this browser.")),
	}
}

// exampleTable is the table that the example uses: the present one.
func (e *explorer) exampleTable() string {
	if e.place.Table != "" && e.place.Account == e.panel.account {
		return e.place.Table
	}
	return "Customers"
}

// example returns a program that uses an account with the SDK for JavaScript.
func example(c tableclient.Connection, table string) string {
	return `import { TableClient } from "@azure/data-tables";

const table = TableClient.fromConnectionString(
  ` + strconv.Quote(c.ConnectionString) + `,
  ` + strconv.Quote(table) + `,
);

await table.createTable(); // fine if it is there already
await table.upsertEntity({
  partitionKey: "EU-West", rowKey: "0001", name: "Amara", age: 21,
});
const queryOptions = { filter: "PartitionKey eq 'EU-West'" };
for await (const entity of table.listEntities({ queryOptions })) {
  console.log(entity);
}
`
}

// copyableText returns the text behind a name that a button carries.
func (e *explorer) copyableText(name string) string {
	connection, _ := e.panel.connection.Data()
	switch name {
	case "connection-string":
		return connection.ConnectionString
	case "sas-url":
		return connection.SASURL
	case "endpoint":
		return connection.Endpoint
	case "example":
		return example(connection, e.exampleTable())
	case "json":
		if entity, problems := e.panel.draft.Entity(); len(problems) == 0 {
			return indented(entity)
		}
	}
	return ""
}

func (e *explorer) onCopy(_ app.Context, event app.Event) {
	name, epoch := ui.Data(event, "copy"), e.panel.epoch
	copyText(e.copyableText(name), func(ok bool) {
		e.ctx.Dispatch(func(app.Context) {
			switch {
			case !ok:
				e.toast("The browser did not let the page copy; select the text and copy it", "", nil)
			case e.panel.epoch == epoch:
				e.panel.copied = name
			}
		})
	})
}

// copyText copies a text and says how it went. Where there is no clipboard, on
// pages that are not secure, or where it is refused, the old way has to do.
func copyText(text string, done func(ok bool)) {
	clipboard := app.Window().Get("navigator").Get("clipboard")
	if !clipboard.Truthy() {
		done(copySelection(text))
		return
	}
	var copied, refused app.Func
	release := func() {
		copied.Release()
		refused.Release()
	}
	copied = app.FuncOf(func(app.Value, []app.Value) any {
		release()
		done(true)
		return nil
	})
	refused = app.FuncOf(func(app.Value, []app.Value) any {
		release()
		done(copySelection(text))
		return nil
	})
	clipboard.Call("writeText", text).Call("then", copied, refused)
}

// copySelection copies by way of a field that is selected.
func copySelection(text string) bool {
	document := app.Window().Get("document")
	if !document.Truthy() {
		return false
	}
	field := document.Call("createElement", "textarea")
	field.Set("value", text)
	field.Get("style").Set("position", "fixed")
	document.Get("body").Call("appendChild", field)
	defer field.Call("remove")
	field.Call("select")
	return document.Call("execCommand", "copy").Truthy()
}
