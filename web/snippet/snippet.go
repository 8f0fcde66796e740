package snippet

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/web/inspect"
)

// Language is a kind of code.
type Language struct {
	Name  string // such as "go"
	Label string // such as "Go"
	Start string // the line of a comment begins with it
	// Page is set if the code runs in a page and so reaches the browser's store.
	Page  bool
	write func(task) string // nil for those that speak HTTP; returns "" for what the SDK cannot do
}

// Languages are all of them, in the order of a menu.
var Languages = []Language{
	{Name: "curl", Label: "curl", Start: "# "},
	{Name: "js", Label: "JavaScript, @azure/data-tables", Start: "// ", Page: true, write: javascript},
	{Name: "fetch", Label: "JavaScript, fetch", Start: "// ", Page: true},
	{Name: "go", Label: "Go, aztables", Start: "// ", write: golang},
	{Name: "python", Label: "Python, azure-data-tables", Start: "# ", write: python},
	{Name: "csharp", Label: "C#, Azure.Data.Tables", Start: "// ", write: csharp},
	{Name: "java", Label: "Java, azure-data-tables", Start: "// ", write: java},
}

// Write writes a call in a language. Service is the account's address for code that
// runs in a page, or anywhere if native is "": then the store is reached only from
// pages, and native is the address of a local server in its place. Parts are those
// of a batch.
func Write(l Language, c inspect.Call, parts []inspect.Part, native string) string {
	note := ""
	service := c.Service
	if !l.Page && native != "" {
		note = l.Start + "Only pages reach this browser's tables: this is the address of `sandtable serve`.\n"
		service = native
	}
	switch {
	case l.Name == "curl":
		return note + curl(c, service)
	case l.Name == "fetch":
		return fetch(c, service)
	}
	none := l.Start + "The SDK has no method for this request. Use curl or fetch.\n"
	t, ok := taskOf(c, parts, service)
	if !ok {
		return none
	}
	t.sas = !l.Page || c.Signed
	code := l.write(t)
	if code == "" {
		return none
	}
	return note + code
}

// task is what a call does, in the terms of the SDKs.
type task struct {
	operation string
	service   string
	sas       bool
	table     string
	entity    *odata.Entity // of a write; of others its keys
	tag       string        // If-Match; "" for none
	filter    string
	selected  []string
	top       int
	steps     []task // of a transaction
}

// taskOf reports false for calls that the SDKs do not make.
func taskOf(c inspect.Call, parts []inspect.Part, service string) (task, bool) {
	t := task{operation: c.Operation, service: service, table: c.Path.Table, tag: c.Header.Get("If-Match"), filter: c.Option("$filter")}
	t.top, _ = strconv.Atoi(c.Option("$top"))
	if list := c.Option("$select"); list != "" && c.Operation != inspect.QueryTables {
		t.selected = strings.Split(list, ",")
	}
	key := c.Path.Key
	t.entity = &odata.Entity{PartitionKey: key.PartitionKey, RowKey: key.RowKey}
	switch c.Operation {
	case inspect.QueryTables, inspect.DeleteTable, inspect.QueryEntities, inspect.GetEntity, inspect.DeleteEntity:
		return t, true
	case inspect.CreateTable:
		t.table, _ = payload.DecodeTableName(c.Body)
		return t, t.table != ""
	case inspect.InsertEntity, inspect.UpdateEntity, inspect.MergeEntity, inspect.InsertOrReplaceEntity, inspect.InsertOrMergeEntity:
		e, err := inspect.EntityOf(c)
		t.entity = e
		return t, err == nil
	case inspect.Transaction:
		for _, part := range parts {
			step, ok := taskOf(part.Call, nil, service)
			if !ok || step.operation == inspect.GetEntity || step.operation == inspect.QueryEntities {
				return t, false
			}
			t.table = cmp.Or(t.table, step.table)
			t.steps = append(t.steps, step)
		}
		return t, len(t.steps) > 0
	}
	return t, false
}

// conditional reports whether the write depends on an ETag.
func (t task) conditional() bool { return t.tag != "" && t.tag != "*" }

// onTables reports whether the call is about tables, not about entities.
func (t task) onTables() bool {
	return t.operation == inspect.QueryTables || t.operation == inspect.CreateTable || t.operation == inspect.DeleteTable
}

// action is the kind of a step in a transaction: create, update, upsert or delete.
func (t task) action() string {
	switch t.operation {
	case inspect.InsertEntity:
		return "create"
	case inspect.DeleteEntity:
		return "delete"
	case inspect.UpdateEntity, inspect.MergeEntity:
		return "update"
	}
	return "upsert"
}

// pick returns the one for the task's action.
func (t task) pick(create, update, upsert, remove string) string {
	return map[string]string{"create": create, "update": update, "upsert": upsert, "delete": remove}[t.action()]
}

// method picks the name of the SDK's method that writes an entity.
func (t task) method(create, update, upsert string) string {
	return t.pick(create, update, upsert, "")
}

// mode picks the name of the SDK's mode for an update or upsert.
func (t task) mode(replace, merge string) string {
	if t.operation == inspect.UpdateEntity || t.operation == inspect.InsertOrReplaceEntity {
		return replace
	}
	return merge
}

// keys writes the entity's keys as arguments.
func (t task) keys() string { return quote(t.entity.PartitionKey) + ", " + quote(t.entity.RowKey) }

// ifMatch writes the argument for a conditional write, with the ETag for the %s of the
// pattern. It is "" for other writes.
func (t task) ifMatch(pattern string) string {
	if !t.conditional() {
		return ""
	}
	return fmt.Sprintf(pattern, quote(t.tag))
}

// quote writes a string literal that means the same in all the languages, and reads as
// what it means.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || r == 0xFEFF || unicode.Is(unicode.Bidi_Control, r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func quoteAll(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = quote(strings.TrimSpace(text))
	}
	return strings.Join(quoted, ", ")
}
