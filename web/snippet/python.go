package snippet

import (
	"fmt"
	"strconv"
	"strings"

	"sandtable/odata"
	"sandtable/odata/rowfile"
	"sandtable/web/inspect"
)

func python(t task) string {
	class, table := "TableClient", ", table_name="+quote(t.table)
	if t.onTables() {
		class, table = "TableServiceClient", ""
	}
	head := "import os\nfrom azure.core.credentials import AzureSasCredential\nfrom azure.data.tables import " + class + pyImports(t) + "\n"
	if strings.Contains(pyCall(t), "MatchConditions.") {
		head += "from azure.core import MatchConditions\n"
	}
	return head + "\nclient = " + class + "(endpoint=" + quote(t.service) + table + ",\n    credential=AzureSasCredential(os.environ[\"TABLES_SAS\"]))\n" + pyCall(t)
}

// pyImports names the other classes that the code uses.
func pyImports(t task) string {
	text := ""
	code := pyCall(t)
	for _, name := range []string{"EntityProperty", "EdmType", "UpdateMode"} {
		if strings.Contains(code, name+"(") || strings.Contains(code, name+".") {
			text += ", " + name
		}
	}
	return text
}

func pyCall(t task) string {
	tag := t.ifMatch(", etag=%s, match_condition=MatchConditions.IfNotModified")
	switch t.operation {
	case inspect.QueryTables:
		return pyQuery(t, "tables", "table", "table.name")
	case inspect.CreateTable:
		return "client.create_table(" + quote(t.table) + ")\n"
	case inspect.DeleteTable:
		return "client.delete_table(" + quote(t.table) + ")\n"
	case inspect.QueryEntities:
		return pyQuery(t, "entities", "entity", "entity")
	case inspect.GetEntity:
		selected := ""
		if len(t.selected) > 0 {
			selected = ", select=[" + quoteAll(t.selected) + "]"
		}
		return "print(client.get_entity(" + t.keys() + selected + "))\n"
	case inspect.DeleteEntity:
		return "client.delete_entity(" + t.keys() + tag + ")\n"
	case inspect.Transaction:
		text := "client.submit_transaction([\n"
		for _, s := range t.steps {
			var options []string
			if s.action() == "update" || s.action() == "upsert" {
				options = append(options, `"mode": `+pyMode(s))
			}
			if s.conditional() {
				options = append(options, s.ifMatch(`"etag": %s, "match_condition": MatchConditions.IfNotModified`))
			}
			text += "    (" + quote(s.action()) + ", " + pyEntity(s.entity, "    ")
			if len(options) > 0 {
				text += ", {" + strings.Join(options, ", ") + "}"
			}
			text += "),\n"
		}
		return text + "])\n"
	}
	mode := ""
	if t.action() != "create" {
		mode = ", mode=" + pyMode(t)
	}
	return "client." + t.method("create_entity", "update_entity", "upsert_entity") + "(" + pyEntity(t.entity, "") + mode + tag + ")\n"
}

func pyMode(t task) string { return t.mode("UpdateMode.REPLACE", "UpdateMode.MERGE") }

func pyQuery(t task, list, name, shown string) string {
	arguments := []string{quote(t.filter)}
	method := "query_" + list
	if t.filter == "" {
		method, arguments = "list_"+list, nil
	}
	if len(t.selected) > 0 {
		arguments = append(arguments, "select=["+quoteAll(t.selected)+"]")
	}
	if t.top > 0 {
		arguments = append(arguments, "results_per_page="+strconv.Itoa(t.top))
		return "pages = client." + method + "(" + strings.Join(arguments, ", ") + ").by_page()\nfor " + name + " in next(pages):\n    print(" + shown + ")\n"
	}
	return "for " + name + " in client." + method + "(" + strings.Join(arguments, ", ") + "):\n    print(" + shown + ")\n"
}

func pyEntity(e *odata.Entity, indent string) string {
	text := "{\n" + indent + `    "PartitionKey": ` + quote(e.PartitionKey) + ",\n" + indent + `    "RowKey": ` + quote(e.RowKey) + ",\n"
	for _, p := range e.Properties {
		text += indent + "    " + quote(p.Name) + ": " + pyValue(p.Value) + ",\n"
	}
	return text + indent + "}"
}

func pyValue(v odata.Value) string {
	text := rowfile.Text(v)
	switch v.Type() {
	case odata.EdmString:
		return quote(text)
	case odata.EdmBoolean:
		return map[string]string{"true": "True", "false": "False"}[text]
	case odata.EdmInt64:
		return "EntityProperty(" + text + ", EdmType.INT64)"
	case odata.EdmDouble:
		return "float(" + quote(text) + ")"
	case odata.EdmGuid:
		return "EntityProperty(" + quote(text) + ", EdmType.GUID)"
	case odata.EdmDateTime:
		return "EntityProperty(" + quote(text) + ", EdmType.DATETIME)"
	case odata.EdmBinary:
		return pyBytes(v.Text())
	}
	return text
}

// pyBytes writes a literal of bytes, each as two hexadecimal digits.
func pyBytes(data string) string {
	var b strings.Builder
	for _, c := range []byte(data) {
		fmt.Fprintf(&b, `\x%02x`, c)
	}
	return `b"` + b.String() + `"`
}
