// Hint: No query was sent
import { TableClient, odata } from "@azure/data-tables";

const items = new TableClient("https://playground.table.core.windows.net", "Items");

const filter = odata`made ge ${new Date("2026-11-01")}`;
console.log(await items.listEntities({ queryOptions: { filter } }));
