// Hint: orders of another month
import { TableClient, odata } from "@azure/data-tables";

const orders = new TableClient("https://playground.table.core.windows.net", "Orders");

const filter = odata`PartitionKey eq ${"2026-09"} and RowKey ge ${"0004"} and RowKey le ${"0006"}`;
for await (const order of orders.listEntities({ queryOptions: { filter } })) {
  console.log(order.month, order.number, order.total);
}
