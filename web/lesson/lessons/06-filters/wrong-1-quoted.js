// Hint: A text in quotes is a string
import { TableClient, odata } from "@azure/data-tables";

const items = new TableClient("https://playground.table.core.windows.net", "Items");

const filter = odata`made ge ${"2026-11-01T00:00:00Z"}`;
for await (const item of items.listEntities({ queryOptions: { filter } })) {
  console.log(item.rowKey, item.name);
}
