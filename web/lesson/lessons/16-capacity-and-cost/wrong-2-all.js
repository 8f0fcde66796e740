// Hint: it examined the readings of every meter
import { TableClient } from "@azure/data-tables";

const meters = new TableClient("https://playground.table.core.windows.net", "Meters");

let sum = 0;
const filter = "RowKey ge '2026-10-01' and kwh ge 1.1 and kwh le 4.0 and not (PartitionKey eq 'm2') and not (PartitionKey eq 'm3')";
for await (const reading of meters.listEntities({ queryOptions: { filter } })) {
  sum += reading.kwh;
}
console.log(sum);
