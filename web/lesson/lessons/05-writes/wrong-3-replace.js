// Hint: drops what it does not name
import { TableClient } from "@azure/data-tables";

const settings = new TableClient("https://playground.table.core.windows.net", "Settings");

for (const rowKey of ["amara", "ben"]) {
  await settings.upsertEntity({ partitionKey: "user", rowKey, theme: "light" }, "Replace");
}
