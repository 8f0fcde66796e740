package snippet

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"sandtable/odata"
	"sandtable/odata/rowfile"
	"sandtable/web/inspect"
)

func csharp(t task) string {
	text := "using Azure;\nusing Azure.Data.Tables;\n\nvar sas = new AzureSasCredential(Environment.GetEnvironmentVariable(\"TABLES_SAS\")!);\n" +
		"var service = new TableServiceClient(new Uri(" + quote(t.service) + "), sas);\n"
	switch t.operation {
	case inspect.QueryTables:
		return text + csList(t, "table", "service.QueryAsync(", "table.Name")
	case inspect.CreateTable:
		return text + "await service.CreateTableAsync(" + quote(t.table) + ");\n"
	case inspect.DeleteTable:
		return text + "await service.DeleteTableAsync(" + quote(t.table) + ");\n"
	}
	return text + "var client = service.GetTableClient(" + quote(t.table) + ");\n" + csCall(t)
}

func csCall(t task) string {
	switch t.operation {
	case inspect.QueryEntities:
		return csList(t, "entity", "client.QueryAsync<TableEntity>(", "entity")
	case inspect.GetEntity:
		return "Console.WriteLine(await client.GetEntityAsync<TableEntity>(" + t.keys() + csSelected(t, ", ") + "));\n"
	case inspect.DeleteEntity:
		return "await client.DeleteEntityAsync(" + t.keys() + ", " + csTag(t) + ");\n"
	case inspect.Transaction:
		text := "await client.SubmitTransactionAsync(new[]\n{\n"
		for _, s := range t.steps {
			kind := s.pick("Add", "Update"+goMode(s), "Upsert"+goMode(s), "Delete")
			text += "    new TableTransactionAction(TableTransactionActionType." + kind + ", " + csEntity(s.entity, "    ") + s.ifMatch(", new ETag(%s)") + "),\n"
		}
		return text + "});\n"
	case inspect.InsertEntity:
		return "await client.AddEntityAsync(" + csEntity(t.entity, "") + ");\n"
	}
	tag := ""
	if t.action() == "update" {
		tag = ", " + csTag(t)
	}
	return "await client." + t.method("", "UpdateEntityAsync", "UpsertEntityAsync") + "(" + csEntity(t.entity, "") + tag + ", TableUpdateMode." + goMode(t) + ");\n"
}

func csTag(t task) string { return cmp.Or(t.ifMatch("new ETag(%s)"), "ETag.All") }

// csList prints what a query returns, one line each.
func csList(t task, name, call, shown string) string {
	call += csQuery(t) + ")"
	line := "foreach (var " + name + " in %s) Console.WriteLine(" + shown + ");\n"
	if t.top > 0 {
		return "await foreach (var page in " + call + ".AsPages())\n{\n    " + fmt.Sprintf(line, "page.Values") + "    break; // one page\n}\n"
	}
	return "await " + fmt.Sprintf(line, call)
}

func csQuery(t task) string {
	var arguments []string
	if t.filter != "" {
		arguments = append(arguments, "filter: "+quote(t.filter))
	}
	if t.top > 0 {
		arguments = append(arguments, "maxPerPage: "+strconv.Itoa(t.top))
	}
	if len(t.selected) > 0 {
		arguments = append(arguments, csSelected(t, "select: "))
	}
	return strings.Join(arguments, ", ")
}

// csSelected writes the names that are selected after a text, "" if there are none.
func csSelected(t task, before string) string {
	if len(t.selected) == 0 {
		return ""
	}
	return before + "new[] { " + quoteAll(t.selected) + " }"
}

func csEntity(e *odata.Entity, indent string) string {
	text := "new TableEntity(" + quote(e.PartitionKey) + ", " + quote(e.RowKey) + ")"
	if len(e.Properties) == 0 {
		return text
	}
	text += "\n" + indent + "{\n"
	for _, p := range e.Properties {
		text += indent + "    [" + quote(p.Name) + "] = " + csValue(p.Value) + ",\n"
	}
	return text + indent + "}"
}

func csValue(v odata.Value) string {
	text := rowfile.Text(v)
	switch v.Type() {
	case odata.EdmString:
		return quote(text)
	case odata.EdmInt64:
		return text + "L"
	case odata.EdmDouble:
		return csDouble(text)
	case odata.EdmGuid:
		return "Guid.Parse(" + quote(text) + ")"
	case odata.EdmDateTime:
		return "DateTimeOffset.Parse(" + quote(text) + ")"
	case odata.EdmBinary:
		return "Convert.FromBase64String(" + quote(text) + ")"
	}
	return text
}

func csDouble(text string) string {
	switch text {
	case "NaN":
		return "double.NaN"
	case "Infinity", "INF":
		return "double.PositiveInfinity"
	case "-Infinity", "-INF":
		return "double.NegativeInfinity"
	}
	return text + "d"
}
