// Hint: Here you know that the size is 12
import { TableClient } from "@azure/data-tables";

const settings = new TableClient("https://playground.table.core.windows.net", "Settings");

await settings.updateEntity({ partitionKey: "user", rowKey: "amara", theme: "light", size: 12 }, "Replace");
