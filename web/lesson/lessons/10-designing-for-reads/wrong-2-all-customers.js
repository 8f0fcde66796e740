// Hint: All orders of the customer were read
import { TableClient, odata } from "@azure/data-tables";

const orders = new TableClient("https://playground.table.core.windows.net", "Orders");

const filter = odata`PartitionKey eq ${"c2"} and month ge ${"2026-11"}`;
for await (const order of orders.listEntities({ queryOptions: { filter } })) {
  console.log(order.rowKey, order.total);
}
