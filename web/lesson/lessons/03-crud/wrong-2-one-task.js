// Hint: deletes one that is there
import { TableClient } from "@azure/data-tables";

const tasks = new TableClient("https://playground.table.core.windows.net", "Tasks");

await tasks.createTable();
await tasks.createEntity({ partitionKey: "home", rowKey: "1", text: "Water the plants" });

await tasks.updateEntity({ partitionKey: "home", rowKey: "1", done: true }, "Merge");
