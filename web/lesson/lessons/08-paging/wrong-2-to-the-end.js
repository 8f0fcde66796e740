// Hint: The iterator continued to the end
import { TableClient } from "@azure/data-tables";

const log = new TableClient("https://playground.table.core.windows.net", "Log");

const pages = [];
for await (const page of log.listEntities().byPage({ maxPageSize: 50 })) {
  pages.push(page);
}
console.log(pages[1][0].rowKey);
