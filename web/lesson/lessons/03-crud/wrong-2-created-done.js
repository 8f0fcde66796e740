// Hint: the task is there already
import { TableClient } from "@azure/data-tables";

const tasks = new TableClient("https://playground.table.core.windows.net", "Tasks");

await tasks.createTable();
await tasks.createEntity({ partitionKey: "home", rowKey: "1", text: "Water the plants", done: true });
await tasks.createEntity({ partitionKey: "home", rowKey: "2", text: "Buy bread" });

await tasks.deleteEntity("home", "2");
