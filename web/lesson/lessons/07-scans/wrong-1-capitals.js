// Hint: there is no property
import { TableClient } from "@azure/data-tables";

const orders = new TableClient("https://playground.table.core.windows.net", "Orders");

const filter = "partitionKey eq '2026-11' and rowKey eq '0007'";
for await (const entity of orders.listEntities({ queryOptions: { filter } })) {
  console.log(entity);
}
