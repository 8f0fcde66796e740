import { TableClient } from "@azure/data-tables";

const log = new TableClient("https://playground.table.core.windows.net", "Log");

const all = [];
for await (const entity of log.listEntities()) {
  all.push(entity);
}
const page = all.slice(50, 100);
console.log(page[0].rowKey);
