// Hint: the readings of another meter
import { TableClient } from "@azure/data-tables";

const meters = new TableClient("https://playground.table.core.windows.net", "Meters");

let sum = 0;
const filter = "PartitionKey eq 'm2'";
for await (const reading of meters.listEntities({ queryOptions: { filter } })) {
  sum += reading.kwh;
}
console.log(sum);
