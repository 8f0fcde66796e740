// Hint: capitals and leading zeros count
import { TableClient } from "@azure/data-tables";

const customers = new TableClient("https://playground.table.core.windows.net", "Customers");

await customers.createTable();
await customers.upsertEntity({ partitionKey: "eu", rowKey: "1", name: "Amara", age: 21 });
