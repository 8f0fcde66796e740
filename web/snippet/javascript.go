package snippet

import (
	"fmt"
	"strconv"
	"strings"

	"sandtable/odata"
	"sandtable/odata/rowfile"
	"sandtable/web/inspect"
)

func javascript(t task) string {
	class, table := "TableClient", ", "+quote(t.table)
	if t.onTables() {
		class, table = "TableServiceClient", ""
	}
	credential, names := "", class
	head := ""
	if t.sas {
		credential, names = ", new AzureSASCredential(sas)", class+", AzureSASCredential"
		head = "const sas = \"\"; // a shared access signature\n"
	}
	if strings.HasPrefix(t.service, "http:") {
		credential += ", { allowInsecureConnection: true }"
	}
	code := jsCall(t)
	if code == "" {
		return ""
	}
	return fmt.Sprintf("import { %s } from \"@azure/data-tables\";\n\n%sconst client = new %s(%s%s%s);\n", names, head, class, quote(t.service), table, credential) + code
}

func jsCall(t task) string {
	tag := t.ifMatch(", { etag: %s }")
	switch t.operation {
	case inspect.QueryTables:
		return jsQuery(t, "listTables", "table", "table.name")
	case inspect.CreateTable:
		return "await client.createTable(" + quote(t.table) + ");\n"
	case inspect.DeleteTable:
		return "await client.deleteTable(" + quote(t.table) + ");\n"
	case inspect.QueryEntities:
		return jsQuery(t, "listEntities", "entity", "entity")
	case inspect.GetEntity:
		options := ""
		if len(t.selected) > 0 {
			options = ", { queryOptions: { select: [" + quoteAll(t.selected) + "] } }"
		}
		return "console.log(await client.getEntity(" + t.keys() + options + "));\n"
	case inspect.DeleteEntity:
		return "await client.deleteEntity(" + t.keys() + tag + ");\n"
	case inspect.Transaction:
		lines := "await client.submitTransaction([\n"
		for _, s := range t.steps {
			if s.conditional() && s.operation == inspect.DeleteEntity {
				return ""
			}
			lines += "  [" + quote(s.action()) + ", " + jsEntity(s.entity, "  ") + jsMode(s) + s.ifMatch(", { etag: %s }") + "],\n"
		}
		return lines + "]);\n"
	}
	return "await client." + t.method("createEntity", "updateEntity", "upsertEntity") + "(" + jsEntity(t.entity, "") + jsMode(t) + tag + ");\n"
}

func jsMode(t task) string {
	mode := t.mode(`, "Replace"`, `, "Merge"`)
	return t.pick("", mode, mode, "")
}

func jsQuery(t task, method, name, shown string) string {
	var options []string
	if t.filter != "" {
		options = append(options, "filter: "+quote(t.filter))
	}
	if len(t.selected) > 0 {
		options = append(options, "select: ["+quoteAll(t.selected)+"]")
	}
	argument := ""
	if len(options) > 0 {
		argument = "{\n  queryOptions: { " + strings.Join(options, ", ") + " },\n}"
	}
	if t.top > 0 {
		return "for await (const page of client." + method + "(" + argument + ").byPage({ maxPageSize: " + strconv.Itoa(t.top) + " })) {\n  console.log(page);\n  break; // one page\n}\n"
	}
	return "for await (const " + name + " of client." + method + "(" + argument + ")) console.log(" + shown + ");\n"
}

func jsEntity(e *odata.Entity, indent string) string {
	text := "{\n" + indent + "  partitionKey: " + quote(e.PartitionKey) + ",\n" + indent + "  rowKey: " + quote(e.RowKey) + ",\n"
	for _, p := range e.Properties {
		text += indent + "  " + quote(p.Name) + ": " + jsValue(p.Value) + ",\n"
	}
	return text + indent + "}"
}

func jsValue(v odata.Value) string {
	switch v.Type() {
	case odata.EdmString:
		return quote(v.Text())
	case odata.EdmBoolean, odata.EdmInt32:
		return rowfile.Text(v)
	}
	return "{ type: " + quote(strings.TrimPrefix(v.Type().String(), "Edm.")) + ", value: " + quote(rowfile.Text(v)) + " }"
}
