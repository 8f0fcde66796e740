// Hint: This works only as long as
import { TableClient } from "@azure/data-tables";

const settings = new TableClient("https://playground.table.core.windows.net", "Settings");

await settings.updateEntity({ partitionKey: "user", rowKey: "amara", theme: "light" }, "Merge");
await settings.createEntity({ partitionKey: "user", rowKey: "ben", theme: "light" });
