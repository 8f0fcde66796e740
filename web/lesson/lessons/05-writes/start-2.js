import { TableClient } from "@azure/data-tables";

const settings = new TableClient("https://playground.table.core.windows.net", "Settings");

await settings.updateEntity({ partitionKey: "user", rowKey: "amara", size: null }, "Merge");
