// Hint: The name has to come from the table
import { TableClient } from "@azure/data-tables";

const orders = new TableClient("https://playground.table.core.windows.net", "Orders");

for (const number of ["0001", "0002", "0003"]) {
  await orders.upsertEntity({ partitionKey: "c1", rowKey: number, total: 10, customerName: "Amara" });
}

for await (const order of orders.listEntities()) {
  console.log(order.rowKey, order.customerName);
}
