// Hint: `odata` has to be imported
import { TableClient } from "@azure/data-tables";

const items = new TableClient("https://playground.table.core.windows.net", "Items");

const filter = odata`made ge ${new Date("2026-11-01")}`;
for await (const item of items.listEntities({ queryOptions: { filter } })) {
  console.log(item.rowKey, item.name);
}
