import { TableClient } from "@azure/data-tables";

const events = new TableClient("https://playground.table.core.windows.net", "Events");

await events.createTable();
for (let i = 0; i < 40; i++) {
  const rowKey = String(i).padStart(6, "0");
  await events.upsertEntity({ partitionKey: "2026-11-22", rowKey, text: "event " + i });
}
