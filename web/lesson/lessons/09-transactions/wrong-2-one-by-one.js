// Hint: Those were 150 requests
import { TableClient } from "@azure/data-tables";

const numbers = new TableClient("https://playground.table.core.windows.net", "Numbers");

for (let i = 0; i < 150; i++) {
  await numbers.createEntity({ partitionKey: "a", rowKey: String(i).padStart(4, "0"), n: i });
}
