// Hint: Your query had no filter
import { TableClient } from "@azure/data-tables";

const items = new TableClient("https://playground.table.core.windows.net", "Items");

const filter = "made ge datetime'2026-11-01T00:00:00Z'";
for await (const item of items.listEntities({ filter })) {
  console.log(item.rowKey, item.name);
}
