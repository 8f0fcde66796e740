package playground

import "strings"

// sample is a program to start from.
type sample struct {
	Name, Title, Code string
	HTTP              bool // requests, not JavaScript
}

// head begins the samples: a client of a table that exists.
const head = `import { TableClient, odata } from "@azure/data-tables";

const TABLE = new TableClient("https://playground.table.core.windows.net", "NAME");
await TABLE.createTable(); // does nothing if the table exists

`

func withHead(variable, table, code string) string {
	return strings.NewReplacer("TABLE", variable, "NAME", table).Replace(head) + code
}

var samples = []sample{
	{Name: "first", Title: "First steps", Code: withHead("customers", "Customers", `// Two keys make an entity unique. Everything else is up to you.
await customers.upsertEntity({ partitionKey: "EU", rowKey: "0001", name: "Amara", age: 21 });
await customers.upsertEntity({ partitionKey: "EU", rowKey: "0002", name: "Dmitri", active: true });
await customers.upsertEntity({ partitionKey: "US", rowKey: "0001", name: "Grace", since: new Date() });

const amara = await customers.getEntity("EU", "0001");
console.log(amara.name, "is", amara.age);

for await (const customer of customers.listEntities()) {
  console.log(customer);
}
`)},
	{Name: "queries", Title: "Point, range and scan", Code: withHead("orders", "Orders", `for (const month of ["2026-10", "2026-11"]) {
  const inserts = [];
  for (let i = 1; i <= 20; i++) {
    inserts.push(["upsert", { partitionKey: month, rowKey: String(i).padStart(4, "0"), customer: i % 4 ? "Contoso" : "Fabrikam", total: i * 10 }]);
  }
  await orders.submitTransaction(inserts);
}

async function count(what, filter) {
  let n = 0;
  for await (const order of orders.listEntities({ queryOptions: { filter } })) n++;
  console.log(what + ":", n, "entities");
}

// Look at the Requests tab: what did each of them read?
await count("one entity", odata`+"`PartitionKey eq ${\"2026-11\"} and RowKey eq ${\"0007\"}`"+`);
await count("a range of rows", odata`+"`PartitionKey eq ${\"2026-11\"} and RowKey ge ${\"0015\"}`"+`);
await count("a partition", odata`+"`PartitionKey eq ${\"2026-11\"} and customer eq ${\"Fabrikam\"}`"+`);
await count("the whole table", odata`+"`customer eq ${\"Fabrikam\"}`"+`);
`)},
	{Name: "transaction", Title: "A transaction", Code: withHead("accounts", "Accounts", `const [alice, bob] = [{ partitionKey: "bank", rowKey: "alice" }, { partitionKey: "bank", rowKey: "bob" }];
await accounts.upsertEntity({ ...alice, balance: 100 });
await accounts.upsertEntity({ ...bob, balance: 0 });

// Both changes or neither. A transaction stays within one partition.
await accounts.submitTransaction([
  ["update", { ...alice, balance: 60 }, "Merge"],
  ["update", { ...bob, balance: 40 }, "Merge"],
]);

try {
  await accounts.submitTransaction([
    ["update", { ...alice, balance: 0 }, "Merge"],
    ["create", { ...bob, balance: 100 }], // bob exists, so nothing happens at all
  ]);
} catch (error) {
  console.warn(error.statusCode, error.code);
}

const rows = [];
for await (const { rowKey, balance } of accounts.listEntities()) rows.push({ rowKey, balance });
console.table(rows);
`)},
	{Name: "etag", Title: "Two writers, one entity", Code: withHead("counters", "Counters", `const key = { partitionKey: "page", rowKey: "visits" };
await counters.upsertEntity({ ...key, count: 0 });

// Both read the same version.
const mine = await counters.getEntity("page", "visits");
const theirs = await counters.getEntity("page", "visits");

await counters.updateEntity({ ...key, count: theirs.count + 1 }, "Merge", { etag: theirs.etag });
try {
  await counters.updateEntity({ ...key, count: mine.count + 1 }, "Merge", { etag: mine.etag });
} catch (error) {
  console.warn("refused with", error.statusCode, "- somebody was faster, so read again");
  const fresh = await counters.getEntity("page", "visits");
  await counters.updateEntity({ ...key, count: fresh.count + 1 }, "Merge", { etag: fresh.etag });
}
console.log((await counters.getEntity("page", "visits")).count);
`)},
	{Name: "pages", Title: "Page by page", Code: withHead("log", "Log", `for (let batch = 0; batch < 3; batch++) {
  const lines = [];
  for (let i = 0; i < 100; i++) {
    lines.push(["upsert", { partitionKey: "app", rowKey: String(batch * 100 + i).padStart(6, "0"), text: "line " + i }]);
  }
  await log.submitTransaction(lines);
}

let n = 0;
for await (const page of log.listEntities().byPage({ maxPageSize: 120 })) {
  console.log("page", ++n, "has", page.length, "entities, from", page[0].rowKey, "to", page.at(-1).rowKey);
}
`)},
	{Name: "http", Title: "Requests over HTTP", HTTP: true, Code: `### A table. It may exist already: then this answers 409, so send the others one by one
POST https://playground.table.core.windows.net/Tables
Accept: application/json;odata=nometadata
Content-Type: application/json

{"TableName": "Parcels"}

### An entity, whether or not it exists
PUT https://playground.table.core.windows.net/Parcels(PartitionKey='2026-11',RowKey='0001')
Content-Type: application/json

{"customer": "Contoso", "weight": 2.5, "sent": "2026-11-20T16:05:00Z", "sent@odata.type": "Edm.DateTime"}

### Point query: both keys
GET https://playground.table.core.windows.net/Parcels(PartitionKey='2026-11',RowKey='0001')
Accept: application/json;odata=minimalmetadata

### The parcels of one month: the URL continues over lines with ? and &
GET https://playground.table.core.windows.net/Parcels()
    ?$filter=PartitionKey eq '2026-11' and weight gt 1
    &$top=50
Accept: application/json;odata=nometadata
`},
}

// firstSample returns the first sample in a language.
func firstSample(http bool) sample {
	for _, s := range samples {
		if s.HTTP == http {
			return s
		}
	}
	return samples[0]
}

// sampleOf returns a sample by its name, the first one if there is none.
func sampleOf(name string) sample {
	for _, s := range samples {
		if s.Name == name {
			return s
		}
	}
	return samples[0]
}
