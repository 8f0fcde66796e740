import { TableClient } from "@azure/data-tables";

const url = "https://playground.table.core.windows.net";
const customers = new TableClient(url, "Customers");
const orders = new TableClient(url, "Orders");

for (const number of ["0001", "0002", "0003"]) {
  await orders.upsertEntity({ partitionKey: "c1", rowKey: number, total: 10 });
}

for await (const order of orders.listEntities()) {
  const customer = await customers.getEntity("eu", order.partitionKey);
  console.log(order.rowKey, customer.name);
}
