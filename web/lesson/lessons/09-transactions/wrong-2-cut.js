// Hint: The first 100 are there
import { TableClient } from "@azure/data-tables";

const numbers = new TableClient("https://playground.table.core.windows.net", "Numbers");

const actions = [];
for (let i = 0; i < 150; i++) {
  actions.push(["create", { partitionKey: "a", rowKey: String(i).padStart(4, "0"), n: i }]);
}

await numbers.submitTransaction(actions.slice(0, 100));
