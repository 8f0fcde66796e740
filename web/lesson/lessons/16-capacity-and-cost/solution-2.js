import { TableClient } from "@azure/data-tables";

const meters = new TableClient("https://playground.table.core.windows.net", "Meters");

let sum = 0;
const filter = "PartitionKey eq 'm1'";
for await (const reading of meters.listEntities({ queryOptions: { filter } })) {
  sum += reading.kwh;
}
console.log(sum);
