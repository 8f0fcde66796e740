// Hint: Print the length of both parts together
import { TableClient } from "@azure/data-tables";

const pages = new TableClient("https://playground.table.core.windows.net", "Pages");

const text = "x".repeat(40_000);

await pages.createTable();
await pages.createEntity({ partitionKey: "doc", rowKey: "1", text1: text.slice(0, 30_000), text2: text.slice(30_000) });

const page = await pages.getEntity("doc", "1");
console.log(page.text1.length);
