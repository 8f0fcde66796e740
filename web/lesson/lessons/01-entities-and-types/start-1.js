import { TableClient } from "@azure/data-tables";

const customers = new TableClient("https://playground.table.core.windows.net", "Customers");

// The table Customers does not exist yet.
await customers.upsertEntity({ partitionKey: "EU", rowKey: "0001", name: "Amara", age: "21" });
