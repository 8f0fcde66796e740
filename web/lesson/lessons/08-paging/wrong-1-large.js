// Hint: 50, 50 and 20 entities
import { TableClient } from "@azure/data-tables";

const log = new TableClient("https://playground.table.core.windows.net", "Log");

let n = 0;
for await (const entity of log.listEntities()) n++;
console.log(n, "entities");
