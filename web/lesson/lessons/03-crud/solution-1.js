import { TableClient } from "@azure/data-tables";

const tasks = new TableClient("https://playground.table.core.windows.net", "Tasks");

await tasks.createTable();
await tasks.createEntity({ partitionKey: "home", rowKey: "1", text: "Water the plants" });

const task = await tasks.getEntity("home", "1");
console.log(task.text);
