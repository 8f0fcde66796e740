// Hint: there is no property
import { TableClient } from "@azure/data-tables";

const orders = new TableClient("https://playground.table.core.windows.net", "Orders");

const filter = "partitionKey eq '2026-11' and total gt 100";
for await (const entity of orders.listEntities({ queryOptions: { filter } })) {
  console.log(entity);
}
