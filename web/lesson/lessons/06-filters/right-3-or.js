import { TableClient } from "@azure/data-tables";

const items = new TableClient("https://playground.table.core.windows.net", "Items");

const filter = "sold eq false or not (sold eq true)";
for await (const item of items.listEntities({ queryOptions: { filter } })) {
  console.log(item.rowKey, item.name);
}
