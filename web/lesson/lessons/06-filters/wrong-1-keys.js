// Hint: You found the items by something else
import { TableClient } from "@azure/data-tables";

const items = new TableClient("https://playground.table.core.windows.net", "Items");

const filter = "RowKey ge '4'";
for await (const item of items.listEntities({ queryOptions: { filter } })) {
  console.log(item.rowKey, item.name);
}
