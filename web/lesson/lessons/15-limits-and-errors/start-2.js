import { TableClient } from "@azure/data-tables";

const users = new TableClient("https://playground.table.core.windows.net", "Users");

async function ensure(rowKey) {
  await users.createEntity({ partitionKey: "user", rowKey, name: "New" });
}

await ensure("amara");
await ensure("a/b"); // a slash is not allowed in keys
