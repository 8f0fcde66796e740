// Hint: it replaced her entity
import { TableClient } from "@azure/data-tables";

const users = new TableClient("https://playground.table.core.windows.net", "Users");

await users.upsertEntity({ partitionKey: "user", rowKey: "amara", name: "New" }, "Replace");
const user = await users.getEntity("user", "amara");
console.log(user.name);
