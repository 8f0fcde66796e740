// Hint: holds for false, and for a missing property
import { TableClient, odata } from "@azure/data-tables";

const items = new TableClient("https://playground.table.core.windows.net", "Items");

const filter = odata`made gt ${new Date("2026-10-02")}`;
for await (const item of items.listEntities({ queryOptions: { filter } })) {
  console.log(item.rowKey, item.name);
}
