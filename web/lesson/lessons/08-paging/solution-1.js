import { TableClient } from "@azure/data-tables";

const log = new TableClient("https://playground.table.core.windows.net", "Log");

const pages = log.listEntities().byPage({ maxPageSize: 50 });

let n = 0;
for await (const page of pages) {
  n += page.length;
}
console.log(n, "entities");
