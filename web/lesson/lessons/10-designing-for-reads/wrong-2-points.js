// Hint: Nobody knows in advance
import { TableClient } from "@azure/data-tables";

const orders = new TableClient("https://playground.table.core.windows.net", "Orders");

for (const number of ["0001", "0002", "0003"]) {
  console.log(await orders.getEntity("c2", "2026-11_" + number));
}
