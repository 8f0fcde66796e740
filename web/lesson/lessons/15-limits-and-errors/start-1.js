import { TableClient } from "@azure/data-tables";

const pages = new TableClient("https://playground.table.core.windows.net", "Pages");

const text = "x".repeat(40_000);

await pages.createTable();
await pages.createEntity({ partitionKey: "doc", rowKey: "1", text });
