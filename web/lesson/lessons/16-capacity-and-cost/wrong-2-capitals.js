// Hint: there is no property
import { TableClient } from "@azure/data-tables";

const meters = new TableClient("https://playground.table.core.windows.net", "Meters");

const filter = "partitionKey eq 'm1'";
for await (const entity of meters.listEntities({ queryOptions: { filter } })) {
  console.log(entity);
}
