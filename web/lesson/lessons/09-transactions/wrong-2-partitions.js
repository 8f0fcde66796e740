// Hint: Some are in another partition
import { TableClient } from "@azure/data-tables";

const numbers = new TableClient("https://playground.table.core.windows.net", "Numbers");

const actions = [];
for (let i = 0; i < 150; i++) {
  actions.push(["create", { partitionKey: i < 100 ? "a" : "b", rowKey: String(i).padStart(4, "0"), n: i }]);
}
await numbers.submitTransaction(actions.slice(0, 100));
await numbers.submitTransaction(actions.slice(100));
