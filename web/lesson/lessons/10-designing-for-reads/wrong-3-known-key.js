// Hint: does not know its key
import { TableClient } from "@azure/data-tables";

const events = new TableClient("https://playground.table.core.windows.net", "Events");

const texts = ["one", "two", "three", "four", "five"];

await events.createTable();
for (const [i, text] of texts.entries()) {
  const time = Date.UTC(2026, 10, 22, 8, i); // one event each minute
  await events.upsertEntity({ partitionKey: "door", rowKey: String(time).padStart(16, "0"), text });
}

const newest = await events.getEntity("door", String(Date.UTC(2026, 10, 22, 8, 4)).padStart(16, "0"));
console.log(newest.text);
