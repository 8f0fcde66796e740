import { TableClient } from "@azure/data-tables";

const tasks = new TableClient("https://playground.table.core.windows.net", "Tasks");

await tasks.createTable();
await tasks.createEntity({ partitionKey: "home", rowKey: "1", text: "Water the plants" });
await tasks.createEntity({ partitionKey: "home", rowKey: "2", text: "Buy bread" });

await tasks.submitTransaction([
  ["update", { partitionKey: "home", rowKey: "1", done: true }, "Merge"],
  ["delete", { partitionKey: "home", rowKey: "2" }],
]);
