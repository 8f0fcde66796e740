// Hint: orders of another month
import { TableClient, odata } from "@azure/data-tables";

const orders = new TableClient("https://playground.table.core.windows.net", "Orders");

const filter = odata`PartitionKey eq ${"2026-10"} and total gt ${100}`;
for await (const order of orders.listEntities({ queryOptions: { filter } })) {
  console.log(order.month, order.number, order.total);
}
