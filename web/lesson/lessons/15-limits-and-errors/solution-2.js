import { TableClient } from "@azure/data-tables";

const users = new TableClient("https://playground.table.core.windows.net", "Users");

async function ensure(rowKey) {
  try {
    await users.createEntity({ partitionKey: "user", rowKey, name: "New" });
  } catch (error) {
    if (error.statusCode !== 409) throw error;
    const user = await users.getEntity("user", rowKey);
    console.log(user.name);
  }
}

await ensure("amara");
await ensure("a/b"); // a slash is not allowed in keys
