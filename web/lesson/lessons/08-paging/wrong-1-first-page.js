// Hint: Your query returned the first page
import { TableClient } from "@azure/data-tables";

const log = new TableClient("https://playground.table.core.windows.net", "Log");

const { value: page } = await log.listEntities().byPage({ maxPageSize: 50 }).next();
console.log("120 entities, or", page.length);
