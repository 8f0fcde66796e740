package tables

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/sample"
	"sandtable/web/ui"
)

// drawWelcome draws what a user finds who has no tables yet.
func (p *Page) drawWelcome() app.UI {
	return app.Section().Class("welcome").Aria("label", "Welcome").Body(
		app.H2().Text("Azure Table Storage, in this browser"),
		ui.P("lead", "Tables, the REST API and the SDKs you know, answered from this browser's own storage. It works offline, and nothing leaves this computer."),
		ui.Div("cards", p.drawSamples(), p.drawSDK(), p.drawImport()), drawLearn())
}

func (p *Page) drawSamples() app.UI {
	body := []app.UI{app.H3().Body(ui.Icon(ui.IconTable), app.Text("Load sample data"))}
	sets := sample.Sets()
	for i, s := range sets {
		choice := app.Button().Type("button").Class("choice").Role("radio").Aria("checked", i == p.set).DataSet("set", i).DataSet("testid", "sample-"+strconv.Itoa(i)).OnClick(p.onSet).
			Body(app.Span().Class("row").Body(app.B().Text(s.Name), app.Span().Class("grow"), app.Small().Text(humanize.Count(s.Entities(), "entity", "entities"))),
				app.Span().Text(s.Text), drawSizes(s))
		body = append(body, choice)
	}
	button := ui.Button(ui.Primary, "Load "+strings.ToLower(sets[p.set].Name), p.onLoad).DataSet("testid", "load-sample").Disabled(p.running())
	return app.Div().Class("card").Role("radiogroup").Aria("label", "Sample data").Body(append(body, button)...)
}

// drawSizes draws the partitions of a data set, as wide as they are large. It is hidden from
// screen readers, because the set's text describes it.
func drawSizes(s sample.Set) app.UI {
	var parts []app.UI
	for _, t := range s.Tables {
		for _, entities := range t.Partitions {
			parts = append(parts, app.I().Style("flex-grow", strconv.Itoa(entities)))
		}
	}
	return app.Span().Class("strip").Aria("hidden", true).Body(parts...)
}

func (p *Page) drawImport() app.UI {
	return ui.Div("card",
		app.H3().Body(ui.Icon(ui.IconShare), app.Text("Import a file")),
		ui.Div("drop-here", ui.Icon(ui.IconFile), app.B().Text("Drop a file here"), ui.Span("hint", "or"),
			app.A().Class("btn").Href(p.Route.At("import").Href()).DataSet("testid", "welcome-import").Text("Choose a file"),
			app.Span().Body(app.Kbd().Text("CSV"), app.Text(" "), app.Kbd().Text("JSON"), app.Text(" "), app.Kbd().Text("JSON Lines"))),
		ui.P("hint", "CSV as Storage Explorer writes it, with or without type columns. A dry run shows types, keys and errors before anything is written."))
}

// drawLearn links the lessons and the playground, which the explorer of an embedding site
// does not have.
func drawLearn() app.UI {
	link := func(name string, icon ui.IconName, title, text string) app.UI {
		return app.A().Href(page.Route{Page: name}.Href()).DataSet("testid", "welcome-"+name).Body(
			ui.Icon(icon), app.B().Text(title), ui.Span("hint", text), app.Span().Class("grow"), ui.Icon(ui.IconNext))
	}
	return app.Nav().Class("welcome-more").Aria("label", "Learn").Hidden(app.Getenv(page.EmbeddedEnv) != "").Body(
		link("lessons", ui.IconBook, "Lessons", "from keys and types to hot partitions; each checks itself"),
		link("playground", ui.IconCode, "Playground", "run SDK code on a throw-away account"))
}

func (p *Page) onSet(_ app.Context, event app.Event) {
	if i, err := strconv.Atoi(ui.Data(event, "set")); err == nil {
		p.set = i
	}
}

func (p *Page) onLoad(app.Context, app.Event) { p.load() }

var sdks = []ui.Choice{{Value: "js", Label: "JS"}, {Value: "go", Label: "Go"}, {Value: "python", Label: "Python"}, {Value: "csharp", Label: "C#"}}

func (p *Page) drawSDK() app.UI {
	connection, held := p.access.Data()
	body := []app.UI{ui.Div("row", app.H3().Body(ui.Icon(ui.IconPlug), app.Text("Connect an SDK")), app.Span().Class("grow"),
		ui.Segments("Language", p.sdk, sdks, p.onSDK))}
	if !held {
		return ui.Div("card", append(body, ui.Bones(4))...)
	}
	endpoint := connection.Endpoint
	note := []app.UI{app.Text("No key is needed: this account is open, so unsigned requests are accepted. A strict account requires a signature, as Azure does.")}
	if p.Session.Catalog().Account(p.Route.Account).Access == "strict" {
		note = []app.UI{app.Text("This account is strict: requests need a signature, as in Azure. Connection strings with a key and with a SAS are below.")}
	}
	if p.sdk != "js" {
		endpoint = nativeEndpoint
		note = []app.UI{app.Text("Only JavaScript runs in this browser. For other languages run "), app.Code().Text("sandtable serve"),
			app.Text(", and put the connection string that it prints into "), app.Code().Text(connectionVariable), app.Text(".")}
	}
	body = append(body, ui.Copyable("sdk-endpoint", "Endpoint", endpoint, p.copied == "sdk-endpoint", p.onCopy),
		ui.Copyable("sdk-code", "Code", code(p.sdk, endpoint), p.copied == "sdk-code", p.onCopy),
		app.P().Class("hint").Body(note...),
		&firstRequest{Props: p.Props, Busy: p.running()},
		app.A().Class("btn").Href(p.Route.At("connect").Href()).Text("Connection string"))
	return ui.Div("card", body...)
}

func (p *Page) onSDK(_ app.Context, event app.Event) { p.sdk = ui.Data(event, "choice") }

func (p *Page) onCopy(ctx app.Context, event app.Event) {
	connection, _ := p.access.Data()
	name, endpoint := ui.Data(event, "copy"), connection.Endpoint
	if p.sdk != "js" {
		endpoint = nativeEndpoint
	}
	text := endpoint
	if name == "sdk-code" {
		text = code(p.sdk, endpoint)
	}
	page.Copy(ctx, p.Session, text, func() { p.copied = name })
}

// nativeEndpoint is where `sandtable serve` answers.
const nativeEndpoint = "http://127.0.0.1:10002/devstoreaccount1"

// connectionVariable is where programs outside of this browser find the
// connection string.
const connectionVariable = "TABLES_CONNECTION_STRING"

// code returns the first lines of a program.
func code(language, endpoint string) string {
	switch language {
	case "go":
		return `client, err := aztables.NewServiceClientFromConnectionString(
	os.Getenv("` + connectionVariable + `"), nil)
if err != nil {
	log.Fatal(err)
}
_, err = client.CreateTable(context.Background(), "Orders", nil)`
	case "python":
		return `import os
from azure.data.tables import TableServiceClient
service = TableServiceClient.from_connection_string(
    os.environ["` + connectionVariable + `"])
orders = service.create_table_if_not_exists("Orders")`
	case "csharp":
		return `using Azure.Data.Tables;
var service = new TableServiceClient(
    Environment.GetEnvironmentVariable(
        "` + connectionVariable + `"));
await service.CreateTableIfNotExistsAsync("Orders");`
	}
	return `import { TableClient } from "@azure/data-tables";
const orders = new TableClient(
  "` + endpoint + `",
  "Orders");
await orders.createTable();`
}
