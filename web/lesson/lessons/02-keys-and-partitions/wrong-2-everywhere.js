// Hint: replace it in the key alone
import { TableClient } from "@azure/data-tables";

const table = new TableClient("https://playground.table.core.windows.net", "Devices");

await table.createTable();
for (const name of ["hall/1", "hall/2"]) {
  const device = name.replaceAll("/", "-");
  await table.upsertEntity({ partitionKey: "devices", rowKey: device, device });
}
