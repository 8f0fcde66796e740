import { TableClient, odata } from "@azure/data-tables";

const items = new TableClient("https://playground.table.core.windows.net", "Items");

const name = "O'Neil";
const filter = odata`name eq ${name}`;
for await (const item of items.listEntities({ queryOptions: { filter } })) {
  console.log(item.rowKey, item.name);
}
