import { TableClient, odata } from "@azure/data-tables";

const events = new TableClient("https://playground.table.core.windows.net", "Events");

const texts = ["one", "two", "three", "four", "five"];

await events.createTable();
for (const [i, text] of texts.entries()) {
  const time = Date.UTC(2026, 10, 22, 8, i); // one event each minute
  await events.upsertEntity({ partitionKey: "door", rowKey: String(9999999999999 - time), text });
}

const filter = odata`PartitionKey eq ${"door"}`;
const { value: page } = await events.listEntities({ queryOptions: { filter } }).byPage({ maxPageSize: 1 }).next();
console.log(page[0].text);
