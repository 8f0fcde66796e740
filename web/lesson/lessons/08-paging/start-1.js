import { TableClient } from "@azure/data-tables";

const log = new TableClient("https://playground.table.core.windows.net", "Log");

const pages = log.listEntities().byPage({ maxPageSize: 50 });

const { value: page } = await pages.next();
console.log(page.length, "entities");
