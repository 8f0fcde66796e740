// Hint: `gt` is greater than
import { TableClient, odata } from "@azure/data-tables";

const orders = new TableClient("https://playground.table.core.windows.net", "Orders");

const filter = odata`PartitionKey eq ${"2026-11"} and total lt ${30}`;
for await (const order of orders.listEntities({ queryOptions: { filter } })) {
  console.log(order.month, order.number, order.total);
}
