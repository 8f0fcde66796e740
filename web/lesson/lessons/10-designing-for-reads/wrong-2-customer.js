// Hint: orders of another customer
import { TableClient, odata } from "@azure/data-tables";

const orders = new TableClient("https://playground.table.core.windows.net", "Orders");

const filter = odata`PartitionKey eq ${"c1"} and RowKey ge ${"2026-11"} and RowKey lt ${"2026-12"}`;
for await (const order of orders.listEntities({ queryOptions: { filter } })) {
  console.log(order.rowKey, order.total);
}
