// Hint: what was measured is missing
import { TableClient } from "@azure/data-tables";

const table = new TableClient("https://playground.table.core.windows.net", "Readings");

const readings = [
  ["hall", "08:00", 19.5],
  ["hall", "09:00", 20.1],
  ["roof", "08:00", 7.2],
  ["roof", "09:00", 8.9],
  ["yard", "08:00", 6.4],
  ["yard", "09:00", 7.7],
];

await table.createTable();
for (const [sensor, time, celsius] of readings) {
  await table.upsertEntity({ partitionKey: sensor, rowKey: time });
}
