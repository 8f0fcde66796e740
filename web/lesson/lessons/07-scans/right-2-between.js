import { TableClient, odata } from "@azure/data-tables";

const orders = new TableClient("https://playground.table.core.windows.net", "Orders");

const filter = odata`PartitionKey eq ${"2026-10"} and RowKey gt ${"0003"} and RowKey lt ${"0007"}`;
for await (const order of orders.listEntities({ queryOptions: { filter } })) {
  console.log(order.month, order.number, order.total);
}
