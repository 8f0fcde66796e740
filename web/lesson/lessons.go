package lesson

import (
	"fmt"
	"strings"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/inspect"
)

// All are the lessons in their order.
var All = []Lesson{entities, points, etags}

const start = `import { TableClient, odata } from "@azure/data-tables";

`

// declare returns the line that makes a client of a table.
func declare(variable, table string) string {
	return "const " + variable + ` = new TableClient("https://playground.table.core.windows.net", "` + table + "\");\n"
}

var entities = Lesson{
	Name: "first", Title: "Your first table and entity",
	Text: []string{
		"A table holds entities. Each has a PartitionKey and a RowKey, both strings, which together are unique in the table. All other properties are up to you, and two entities of a table need not have the same.",
		"Each property has a type. The SDK chooses it by the JavaScript value: 21 is stored as a number, \"21\" as a string.",
	},
	Code: start + declare("customers", "Customers") + `
// The table Customers does not exist yet.
await customers.upsertEntity({ partitionKey: "EU", rowKey: "0001", name: "Amara", age: "21" });
`,
	Answer: start + declare("customers", "Customers") + `
await customers.createTable();
await customers.upsertEntity({ partitionKey: "EU", rowKey: "0001", name: "Amara", age: 21 });
`,
	Checks: []Check{
		{"The table Customers exists", func(r Run) *Problem {
			if r.table("Customers") != nil {
				return nil
			}
			if len(r.Tables) > 0 {
				return &Problem{"there is " + r.Tables[0].Name, "The name is the second argument of new TableClient."}
			}
			return &Problem{"there is no table", "Writing an entity does not create its table: await customers.createTable() before it."}
		}},
		{"It has the entity with PartitionKey EU and RowKey 0001", func(r Run) *Problem {
			if r.entity("Customers", "EU", "0001") != nil {
				return nil
			}
			if all := r.table("Customers").Entities; len(all) > 0 {
				return &Problem{fmt.Sprintf("there is %q, %q", all[0].PartitionKey, all[0].RowKey), "Keys are compared character by character: capitals and leading zeros count."}
			}
			return &Problem{"the table is empty", "Write it with await customers.upsertEntity({ partitionKey, rowKey, … })."}
		}},
		{"Its age is the number 21", func(r Run) *Problem {
			age, ok := r.entity("Customers", "EU", "0001").Property("age")
			switch {
			case !ok:
				return &Problem{"it has no age", "Names of properties are case-sensitive."}
			case age.Type() == odata.EdmString:
				return &Problem{"it is a string", "Quotes make a string, and no filter such as age ge 18 finds it. Leave them out."}
			case age != odata.Int32Value(21):
				return &Problem{"it is " + age.Type().String() + " with another value", "Write age: 21, a whole number."}
			}
			return nil
		}},
	},
}

// orders are twelve orders in each of three months.
func orders() []*odata.Entity {
	var all []*odata.Entity
	for _, month := range []string{"2026-09", "2026-10", "2026-11"} {
		for i := 1; i <= 12; i++ {
			number := fmt.Sprintf("%04d", i)
			all = append(all, &odata.Entity{PartitionKey: month, RowKey: number, Properties: []odata.Property{
				{Name: "month", Value: odata.StringValue(month)}, {Name: "number", Value: odata.StringValue(number)},
				{Name: "total", Value: odata.Int32Value(int32(i * 10))}}})
		}
	}
	return all
}

var points = Lesson{
	Name: "points", Title: "Point query instead of table scan",
	Text: []string{
		"A table has one index: PartitionKey, then RowKey. What a query costs depends on how much of it the service reads, not on how many entities it returns.",
		"Both keys: a point query, one entity. PartitionKey alone: its partition. No key: the whole table.",
		"In Orders the PartitionKey is the month and the RowKey the order's number. Read order 0007 of 2026-11, and nothing else.",
	},
	Table: "Orders", Data: orders(),
	Code: start + declare("orders", "Orders") + `
const filter = odata` + "`month eq ${\"2026-11\"} and number eq ${\"0007\"}`" + `;
for await (const order of orders.listEntities({ queryOptions: { filter } })) {
  console.log(order.month, order.number, order.total);
}
`,
	Answer: start + declare("orders", "Orders") + `
const order = await orders.getEntity("2026-11", "0007");
console.log(order.month, order.number, order.total);
`,
	Checks: []Check{
		{"Sends a request that reads", func(r Run) *Problem {
			if len(reads(r)) > 0 {
				return nil
			}
			return &Problem{"no request read anything", "Ask the service with getEntity or listEntities, and await the answer."}
		}},
		{"Reads no partition or table from end to end", func(r Run) *Problem {
			for _, q := range reads(r) {
				if q.Scanned() {
					return scanned(*q.Statistics)
				}
			}
			return nil
		}},
		{"Finds order 0007 of 2026-11, by both keys", func(r Run) *Problem {
			for _, q := range reads(r) {
				if q.Status == 404 {
					return &Problem{"no entity has these keys", "The first argument of getEntity is the month, \"2026-11\", the second the number with its zeros, \"0007\"."}
				}
				if inspect.What(q) != "point" {
					return &Problem{"the plan was a " + inspect.What(q), "Name one RowKey with eq, or call getEntity."}
				}
				if !names(q, "2026-11", "0007") {
					return &Problem{"it asked for other keys", "The month is the PartitionKey, \"2026-11\", and the number with its zeros the RowKey, \"0007\"."}
				}
			}
			return nil
		}},
		{"With a single request", func(r Run) *Problem {
			if n := len(reads(r)); n > 1 {
				return &Problem{fmt.Sprintf("%d requests read something", n), "One point query returns the whole entity: no other request is needed."}
			}
			return nil
		}},
	},
}

// reads returns the requests that read entities.
func reads(r Run) []client.Recorded {
	var all []client.Recorded
	for _, q := range r.Requests {
		if q.Operation == inspect.GetEntity || q.Statistics != nil {
			all = append(all, q)
		}
	}
	return all
}

// names reports whether a point query asks for these keys, in its address or
// in its filter.
func names(q client.Recorded, partition, row string) bool {
	call := inspect.CallOf(client.RecordedDetail{Recorded: q})
	if q.Operation == inspect.GetEntity {
		return call.Path.Key == odata.Key{PartitionKey: partition, RowKey: row}
	}
	filter := call.Option("$filter")
	return strings.Contains(filter, "'"+partition+"'") && strings.Contains(filter, "'"+row+"'")
}

func scanned(s client.Statistics) *Problem {
	found := fmt.Sprintf("a %s read %d entities to return %d", s.Kind, s.Examined, s.Returned)
	if s.Kind == "table scan" {
		return &Problem{found, "month and number are ordinary properties, so the service looks at every entity. Which keys hold the same values?"}
	}
	return &Problem{found, "The PartitionKey found the month, and then all of it was read. Name the RowKey, too."}
}

var visits = &odata.Entity{PartitionKey: "page", RowKey: "visits", Properties: []odata.Property{{Name: "count", Value: odata.Int32Value(0)}}}

const readTwice = `
// Two visitors arrive at the same time: both read the same version.
const mine = await counters.getEntity("page", "visits");
const theirs = await counters.getEntity("page", "visits");

`

var etags = Lesson{
	Name: "etags", Title: "Two writers and no lost update",
	Text: []string{
		"Each version of an entity has an ETag. An update that sends the ETag it has read is refused with 412 if somebody has changed the entity since. Without one the SDK sends *, and the last writer wins.",
		"Two visitors count the same page, and one of them is lost. Send ETags with both updates. When one is refused, read again, add 1, and update with the new ETag.",
	},
	Table: "Counters", Data: []*odata.Entity{visits},
	Code: start + declare("counters", "Counters") + readTwice + `await counters.updateEntity({ ...theirs, count: theirs.count + 1 }, "Merge");
await counters.updateEntity({ ...mine, count: mine.count + 1 }, "Merge");
`,
	Answer: start + declare("counters", "Counters") + readTwice + `await counters.updateEntity({ ...theirs, count: theirs.count + 1 }, "Merge", { etag: theirs.etag });
try {
  await counters.updateEntity({ ...mine, count: mine.count + 1 }, "Merge", { etag: mine.etag });
} catch (error) {
  if (error.statusCode !== 412) throw error;
  const fresh = await counters.getEntity("page", "visits");
  await counters.updateEntity({ ...fresh, count: fresh.count + 1 }, "Merge", { etag: fresh.etag });
}
`,
	Checks: []Check{
		{"The second update is refused with 412", func(r Run) *Problem {
			if refusedAt(r) >= 0 {
				return nil
			}
			return &Problem{"every update was accepted", "Give updateEntity a third argument, { etag: mine.etag }: then it is refused if the entity has changed."}
		}},
		{"After that, the entity is read again", func(r Run) *Problem {
			for _, q := range r.Requests[refusedAt(r)+1:] {
				if q.Method == "GET" && !q.Failed() {
					return nil
				}
			}
			return &Problem{"the program ended with the refusal, or wrote without reading", "Catch the error, and begin with a new getEntity: the old copy has the old count and the old ETag."}
		}},
		{"No visit is lost: count is 2", func(r Run) *Problem {
			e := r.entity("Counters", "page", "visits")
			if e == nil {
				return &Problem{"the entity is gone", "Update it. It need not be deleted."}
			}
			count, _ := e.Property("count")
			if count == odata.Int32Value(2) {
				return nil
			}
			return &Problem{fmt.Sprintf("count is %d", count.Int()), "Add 1 to the count that was read last, and send that version's ETag."}
		}},
	},
}

// refusedAt returns the place of the first request refused with 412, -1 for none.
func refusedAt(r Run) int {
	for i, q := range r.Requests {
		if q.Status == 412 {
			return i
		}
	}
	return -1
}
