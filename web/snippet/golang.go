package snippet

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"sandtable/odata"
	"sandtable/odata/rowfile"
	"sandtable/web/inspect"
)

func golang(t task) string {
	text := fmt.Sprintf("service, err := aztables.NewServiceClientWithNoCredential(%s+os.Getenv(\"TABLES_SAS\"), nil)\nif err != nil {\n\tlog.Fatal(err)\n}\n", quote(t.service+"/?"))
	switch {
	case t.onTables():
		return text + goTables(t)
	case t.operation == inspect.GetEntity && len(t.selected) > 0:
		return ""
	}
	return text + "client := service.NewClient(" + quote(t.table) + ")\n" + goCall(t)
}

const goCheck = "if err != nil {\n\tlog.Fatal(err)\n}\n"

func goTables(t task) string {
	switch t.operation {
	case inspect.CreateTable:
		return "_, err = service.CreateTable(ctx, " + quote(t.table) + ", nil)\n" + goCheck
	case inspect.DeleteTable:
		return "_, err = service.DeleteTable(ctx, " + quote(t.table) + ", nil)\n" + goCheck
	}
	return goPager(t, "service.NewListTablesPager("+goQuery(t, "Tables")+")", "Tables", "*table.Name", "table")
}

func goPager(t task, pager, list, shown, name string) string {
	loop := "for"
	if t.top > 0 { // one page
		loop = "if"
	}
	return "pager := " + pager + "\n" + loop + " pager.More() {\n\tpage, err := pager.NextPage(ctx)\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\tfor _, " + name +
		" := range page." + list + " {\n\t\tfmt.Println(" + shown + ")\n\t}\n}\n"
}

func goCall(t task) string {
	switch t.operation {
	case inspect.QueryEntities:
		return goPager(t, "client.NewListEntitiesPager("+goQuery(t, "Entities")+")", "Entities", "string(entity)", "entity")
	case inspect.GetEntity:
		return "answer, err := client.GetEntity(ctx, " + t.keys() + ", nil)\n" + goCheck + "fmt.Println(string(answer.Value))\n"
	case inspect.DeleteEntity:
		options := cmp.Or(t.ifMatch("&aztables.DeleteEntityOptions{IfMatch: to.Ptr(azcore.ETag(%s))}"), "nil")
		return "_, err = client.DeleteEntity(ctx, " + t.keys() + ", " + options + ")\n" + goCheck
	case inspect.Transaction:
		return goTransaction(t)
	}
	return goEntity("entity", t.entity) + "_, err = client." + t.method("AddEntity", "UpdateEntity", "UpsertEntity") + "(ctx, entity, " + goOptions(t) + ")\n" + goCheck
}

func goOptions(t task) string {
	if t.action() == "create" {
		return "nil"
	}
	return "&aztables." + t.method("", "Update", "Upsert") + "EntityOptions{UpdateMode: aztables.UpdateMode" + goMode(t) + t.ifMatch(", IfMatch: to.Ptr(azcore.ETag(%s))") + "}"
}

// goMode is the mode in Go and in C#.
func goMode(t task) string { return t.mode("Replace", "Merge") }

func goQuery(t task, list string) string {
	var options []string
	if t.filter != "" {
		options = append(options, "Filter: to.Ptr("+quote(t.filter)+")")
	}
	if len(t.selected) > 0 {
		options = append(options, "Select: to.Ptr("+quote(strings.Join(t.selected, ","))+")")
	}
	if t.top > 0 {
		options = append(options, fmt.Sprintf("Top: to.Ptr(int32(%d))", t.top))
	}
	if len(options) == 0 {
		return "nil"
	}
	return "&aztables.List" + list + "Options{" + strings.Join(options, ", ") + "}"
}

func goTransaction(t task) string {
	text, actions := "", ""
	for i, s := range t.steps {
		name := fmt.Sprintf("entity%d", i+1)
		kind := s.pick("Add", "Update"+goMode(s), "Insert"+goMode(s), "Delete")
		e := *s.entity
		if s.action() != "create" { // here the SDK takes keys into an address as they are
			e.PartitionKey, e.RowKey = strings.ReplaceAll(e.PartitionKey, "'", "''"), strings.ReplaceAll(e.RowKey, "'", "''")
		}
		text += goEntity(name, &e)
		actions += "\t{ActionType: aztables.TransactionType" + kind + ", Entity: " + name + s.ifMatch(", IfMatch: to.Ptr(azcore.ETag(%s))") + "},\n"
	}
	return text + "_, err = client.SubmitTransaction(ctx, []aztables.TransactionAction{\n" + actions + "}, nil)\n" + goCheck
}

// goEntity writes the keys as properties: in fields of its own the SDK doubles quotes.
func goEntity(name string, e *odata.Entity) string {
	text := name + ", err := json.Marshal(aztables.EDMEntity{\n\tProperties: map[string]any{\n\t\t\"PartitionKey\": " + quote(e.PartitionKey) +
		",\n\t\t\"RowKey\": " + quote(e.RowKey) + ",\n"
	for _, p := range e.Properties {
		text += "\t\t" + quote(p.Name) + ": " + goValue(p.Value) + ",\n"
		if p.Value.Type() == odata.EdmDouble { // the SDK has no type for it, so 2.0 would become an Int32
			text += "\t\t" + quote(p.Name+"@odata.type") + ": \"Edm.Double\",\n"
		}
	}
	return text + "\t},\n})\n" + goCheck
}

func goValue(v odata.Value) string {
	text := rowfile.Text(v)
	switch v.Type() {
	case odata.EdmString:
		return quote(text)
	case odata.EdmInt32:
		return "int32(" + text + ")"
	case odata.EdmInt64:
		return "aztables.EDMInt64(" + text + ")"
	case odata.EdmDouble:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return quote(text)
		}
	case odata.EdmGuid:
		return "aztables.EDMGUID(" + quote(text) + ")"
	case odata.EdmDateTime:
		return "aztables.EDMDateTime(" + goTime(text) + ")"
	case odata.EdmBinary:
		return "aztables.EDMBinary(" + strconv.Quote(v.Text()) + ")"
	}
	return text
}

func goTime(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return "time.Time{}"
	}
	return at.UTC().Format("time.Date(2006, 1, 2, 15, 4, 5, ") + strconv.Itoa(at.Nanosecond()) + ", time.UTC)"
}
