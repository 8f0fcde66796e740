// A byte of the browser's storage that changes by itself: a check finds it, the page says
// so, and everything else is still served.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { stopWorkers } from "../lib/browser.mjs";
import { byHand, controlled, request } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const address = "https://devstoreaccount1.table.core.windows.net";
const headers = { "content-type": "application/json", accept: "application/json;odata=nometadata" };

const post = (path, body) => request(here.page, `${address}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
const read = async (table) => (await request(here.page, `${address}/${table}(PartitionKey='p',RowKey='r')`, { headers })).status;

const here = visit(async ({ page, app }) => {
  await page.setViewport({ width: 1440, height: 860 });
  for (const [table, Text] of [["Large", Array.from({ length: 20_000 }, (_, i) => String.fromCharCode(97 + ((i * i) % 23))).join("")], ["Small", "short"]]) {
    assert.equal((await post("Tables", { TableName: table })).status, 201);
    assert.equal((await post(table, { PartitionKey: "p", RowKey: "r", Text })).status, 201);
  }
  await page.goto(`${app.url}?page=storage`, { waitUntil: "domcontentloaded" });
});
const { click, shows } = byHand(() => here.page);

/** Changes one byte in the middle of the largest block. */
const corrupt = () => here.page.evaluate(async () => {
  const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
  const database = await done(indexedDB.open("sandtable " + new URL(".", location.href)));
  const transaction = database.transaction("blocks", "readwrite");
  const blocks = transaction.objectStore("blocks");
  const [keys, values] = await Promise.all([done(blocks.getAllKeys()), done(blocks.getAll())]);
  const largest = values.reduce((best, value, i) => (value.length > values[best].length ? i : best), 0);
  values[largest][values[largest].length >> 1] ^= 1;
  blocks.put(values[largest], keys[largest]);
  await new Promise((resolve) => (transaction.oncomplete = resolve));
  database.close();
});

test("a check finds the corrupt block, and the pill says so", async () => {
  assert.equal((await request(here.page, "_sandtable/compact", { method: "POST" })).status, 200); // the entities are in blocks now
  await corrupt();
  await click("verify");
  await shows("verified", "Problems found.");
  await shows("verified", "in devstoreaccount1/Large");
  await shows("status-pill", "The check found problems");
});

test("the entity in the block is not served, and those of other tables are", async () => {
  await stopWorkers(here.page);
  assert.equal(await read("Large"), 404);
  assert.equal(await read("Small"), 200);
});

test("the page names what is in quarantine", async () => {
  await here.page.reload({ waitUntil: "domcontentloaded" });
  await controlled(here.page);
  await shows("quarantine", "Large");
  await shows("status-pill", "Stored data is corrupt");
});

test("the page reported no error", () => {
  assert.deepEqual(here.page.problems, []);
});
