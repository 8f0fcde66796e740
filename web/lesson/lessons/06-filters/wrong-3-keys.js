// Hint: That filter holds for these six items only
import { TableClient } from "@azure/data-tables";

const items = new TableClient("https://playground.table.core.windows.net", "Items");

const filter = "RowKey ne '1' and RowKey ne '3'";
for await (const item of items.listEntities({ queryOptions: { filter } })) {
  console.log(item.rowKey, item.name);
}
