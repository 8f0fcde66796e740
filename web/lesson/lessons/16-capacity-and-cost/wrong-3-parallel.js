// Hint: 24 inserts are 24 transactions
import { TableClient } from "@azure/data-tables";

const meters = new TableClient("https://playground.table.core.windows.net", "Meters");

await Promise.all(Array.from({ length: 24 }, (_, hour) =>
  meters.createEntity({ partitionKey: "m9", rowKey: String(hour).padStart(2, "0"), kwh: 1.5 })));
