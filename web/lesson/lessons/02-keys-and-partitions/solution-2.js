import { TableClient } from "@azure/data-tables";

const table = new TableClient("https://playground.table.core.windows.net", "Devices");

await table.createTable();
for (const device of ["hall/1", "hall/2"]) {
  await table.upsertEntity({ partitionKey: "devices", rowKey: device.replaceAll("/", "-"), device });
}
