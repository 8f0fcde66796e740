import { TableClient } from "@azure/data-tables";
import { start } from "sandtable";

// public/sandtable-worker.js is what "sandtable copy public" put there.
const sandtable = await start({ worker: new URL("sandtable-worker.js", document.baseURI) });

const visits = TableClient.fromConnectionString(await sandtable.connectionString(), "Visits");
await visits.createTable();
await visits.createEntity({ partitionKey: "visits", rowKey: new Date().toISOString() });

let count = 0;
for await (const _ of visits.listEntities()) count++;
document.querySelector("output").value = String(count);
document.documentElement.dataset.ready = "";
