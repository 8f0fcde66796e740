import { TableClient } from "@azure/data-tables";

const customers = new TableClient("https://playground.table.core.windows.net", "Customers");

await customers.createTable();
await customers.upsertEntity({
  partitionKey: "EU",
  rowKey: "0001",
  name: "Amara",
  age: 21,
  balance: 5000000000,
  since: "2026-11-01",
});
