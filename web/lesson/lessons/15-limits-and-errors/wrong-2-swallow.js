// Hint: hides real ones
import { TableClient } from "@azure/data-tables";

const users = new TableClient("https://playground.table.core.windows.net", "Users");

async function ensure(rowKey) {
  try {
    await users.createEntity({ partitionKey: "user", rowKey, name: "New" });
  } catch {
    try {
      const user = await users.getEntity("user", "amara");
      console.log(user.name);
    } catch {}
  }
}

await ensure("amara");
await ensure("a/b");
