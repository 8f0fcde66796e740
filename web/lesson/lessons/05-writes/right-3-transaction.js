import { TableClient } from "@azure/data-tables";

const settings = new TableClient("https://playground.table.core.windows.net", "Settings");

await settings.submitTransaction([
  ["upsert", { partitionKey: "user", rowKey: "amara", theme: "light" }, "Merge"],
  ["upsert", { partitionKey: "user", rowKey: "ben", theme: "light" }, "Merge"],
]);
