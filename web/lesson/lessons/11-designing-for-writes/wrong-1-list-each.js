// Hint: read it once, before the loop
import { TableClient } from "@azure/data-tables";

const url = "https://playground.table.core.windows.net";
const customers = new TableClient(url, "Customers");
const orders = new TableClient(url, "Orders");

for (const number of ["0001", "0002", "0003"]) {
  for await (const customer of customers.listEntities()) await orders.upsertEntity({ partitionKey: "c1", rowKey: number, total: 10, customerName: customer.name });
}

for await (const order of orders.listEntities()) {
  console.log(order.rowKey, order.customerName);
}
