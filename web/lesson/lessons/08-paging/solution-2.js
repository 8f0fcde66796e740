import { TableClient } from "@azure/data-tables";

const log = new TableClient("https://playground.table.core.windows.net", "Log");

const first = await log.listEntities().byPage({ maxPageSize: 50 }).next();
const token = first.value.continuationToken;

const second = await log.listEntities().byPage({ maxPageSize: 50, continuationToken: token }).next();
console.log(second.value[0].rowKey);
