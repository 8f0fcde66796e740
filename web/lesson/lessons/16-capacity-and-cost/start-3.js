import { TableClient } from "@azure/data-tables";

const meters = new TableClient("https://playground.table.core.windows.net", "Meters");

for (let hour = 0; hour < 24; hour++) {
  await meters.createEntity({ partitionKey: "m9", rowKey: String(hour).padStart(2, "0"), kwh: 1.5 });
}
