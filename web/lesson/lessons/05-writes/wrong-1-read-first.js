// Hint: A merge needs no read
import { TableClient } from "@azure/data-tables";

const settings = new TableClient("https://playground.table.core.windows.net", "Settings");

const amara = await settings.getEntity("user", "amara");
await settings.updateEntity({ ...amara, theme: "light" }, "Replace");
