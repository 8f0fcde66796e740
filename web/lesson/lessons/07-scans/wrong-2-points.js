// Hint: Three point reads are three round trips
import { TableClient, odata } from "@azure/data-tables";

const orders = new TableClient("https://playground.table.core.windows.net", "Orders");

for (const number of ["0004", "0005", "0006"]) {
  console.log(await orders.getEntity("2026-10", number));
}
