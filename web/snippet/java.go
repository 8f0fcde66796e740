package snippet

import (
	"strconv"
	"strings"

	"sandtable/odata"
	"sandtable/odata/rowfile"
	"sandtable/web/inspect"
)

func java(t task) string {
	common := "Builder()\n    .endpoint(" + quote(t.service) + ")\n    .sasToken(System.getenv(\"TABLES_SAS\"))\n"
	if t.onTables() {
		return "TableServiceClient client = new TableServiceClient" + common + "    .buildClient();\n" + javaTables(t)
	}
	return "TableClient client = new TableClient" + common + "    .tableName(" + quote(t.table) + ")\n    .buildClient();\n" + javaCall(t)
}

func javaTables(t task) string {
	switch t.operation {
	case inspect.CreateTable:
		return "client.createTable(" + quote(t.table) + ");\n"
	case inspect.DeleteTable:
		return "client.deleteTable(" + quote(t.table) + ");\n"
	}
	return "client.listTables(" + javaQuery(t, "Tables") + ")" + javaPage(t) + ".forEach(table -> System.out.println(table.getName()));\n"
}

func javaCall(t task) string {
	switch t.operation {
	case inspect.QueryEntities:
		return "client.listEntities(" + javaQuery(t, "Entities") + ")" + javaPage(t) + ".forEach(entity -> System.out.println(entity.getProperties()));\n"
	case inspect.GetEntity:
		if len(t.selected) > 0 {
			return "System.out.println(client.getEntityWithResponse(" + t.keys() + ", List.of(" + quoteAll(t.selected) + "), null, Context.NONE).getValue().getProperties());\n"
		}
		return "System.out.println(client.getEntity(" + t.keys() + ").getProperties());\n"
	case inspect.DeleteEntity:
		if t.conditional() {
			return "client.deleteEntityWithResponse(" + javaEntity(t, "    ") + ", true, null, Context.NONE);\n"
		}
		return "client.deleteEntity(" + t.keys() + ");\n"
	case inspect.Transaction:
		text := "client.submitTransaction(List.of(\n"
		for i, s := range t.steps {
			kind := s.pick("CREATE", "UPDATE_"+javaMode(s), "UPSERT_"+javaMode(s), "DELETE")
			text += "    new TableTransactionAction(TableTransactionActionType." + kind + ", " + javaEntity(s, "        ") + map[bool]string{true: ", true)", false: ")"}[s.conditional()] +
				map[bool]string{true: ",\n", false: "));\n"}[i < len(t.steps)-1]
		}
		return text
	case inspect.InsertEntity:
		return "client.createEntity(" + javaEntity(t, "    ") + ");\n"
	}
	if t.conditional() {
		return "client.updateEntityWithResponse(" + javaEntity(t, "    ") + ", TableEntityUpdateMode." + javaMode(t) + ", true, null, Context.NONE);\n"
	}
	return "client." + t.method("", "updateEntity(", "upsertEntityWithResponse(") + javaEntity(t, "    ") + ", TableEntityUpdateMode." + javaMode(t) +
		t.method("", ");\n", ", null, Context.NONE);\n")
}

func javaMode(t task) string { return t.mode("REPLACE", "MERGE") }

// javaPage takes the first page if the query asks for one.
func javaPage(t task) string {
	if t.top > 0 {
		return ".iterableByPage().iterator().next().getValue()"
	}
	return ""
}

func javaQuery(t task, list string) string {
	options := ""
	if t.filter != "" {
		options += ".setFilter(" + quote(t.filter) + ")"
	}
	if len(t.selected) > 0 {
		options += ".setSelect(List.of(" + quoteAll(t.selected) + "))"
	}
	if t.top > 0 {
		options += ".setTop(" + strconv.Itoa(t.top) + ")"
	}
	if options == "" {
		return ""
	}
	return "new List" + list + "Options()" + options + ", null, null"
}

// javaEntity writes the entity of a task. Its ETag, which a write may depend on, is a
// property for the SDK.
func javaEntity(t task, indent string) string {
	text := "new TableEntity(" + t.keys() + ")"
	for _, p := range t.entity.Properties {
		text += "\n" + indent + ".addProperty(" + quote(p.Name) + ", " + javaValue(p.Value) + ")"
	}
	return text + t.ifMatch("\n"+indent+".addProperty(\"odata.etag\", %s)")
}

func javaValue(v odata.Value) string {
	text := rowfile.Text(v)
	switch v.Type() {
	case odata.EdmString:
		return quote(text)
	case odata.EdmInt64:
		return text + "L"
	case odata.EdmDouble:
		return strings.NewReplacer("double.NaN", "Double.NaN", "double.PositiveInfinity", "Double.POSITIVE_INFINITY",
			"double.NegativeInfinity", "Double.NEGATIVE_INFINITY").Replace(csDouble(text))
	case odata.EdmGuid:
		return "UUID.fromString(" + quote(text) + ")"
	case odata.EdmDateTime:
		return "OffsetDateTime.parse(" + quote(text) + ")"
	case odata.EdmBinary:
		return "Base64.getDecoder().decode(" + quote(text) + ")"
	}
	return text
}
