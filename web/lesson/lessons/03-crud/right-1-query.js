import { TableClient, odata } from "@azure/data-tables";

const tasks = new TableClient("https://playground.table.core.windows.net", "Tasks");

await tasks.createTable();
await tasks.createEntity({ partitionKey: "home", rowKey: "1", text: "Water the plants" });

const filter = odata`PartitionKey eq ${"home"} and RowKey eq ${"1"}`;
for await (const task of tasks.listEntities({ queryOptions: { filter } })) {
  console.log(task.text);
}
