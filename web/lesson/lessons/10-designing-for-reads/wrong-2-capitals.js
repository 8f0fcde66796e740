// Hint: there is no property
import { TableClient } from "@azure/data-tables";

const orders = new TableClient("https://playground.table.core.windows.net", "Orders");

const filter = "PartitionKey eq 'c2' and rowKey ge '2026-11' and rowKey lt '2026-12'";
for await (const entity of orders.listEntities({ queryOptions: { filter } })) {
  console.log(entity);
}
