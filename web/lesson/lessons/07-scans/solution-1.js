import { TableClient, odata } from "@azure/data-tables";

const orders = new TableClient("https://playground.table.core.windows.net", "Orders");

const order = await orders.getEntity("2026-11", "0007");
console.log(order.month, order.number, order.total);
