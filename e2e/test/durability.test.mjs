// An acknowledged write survives whatever happens to the worker, the browser
// and the network.

import assert from "node:assert/strict";
import { test } from "node:test";
import { serveApp } from "../lib/app.mjs";
import { kill, stopWorkers } from "../lib/browser.mjs";
import { addSDK, controlled, request } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const address = "https://devstoreaccount1.table.core.windows.net";

const here = visit(async ({ page }) => {
  await page.evaluate(async (address) => {
    const client = new sdk.TableClient(address, "Kept");
    await client.createTable();
    for (let i = 0; i < 20; i++) {
      await client.createEntity({ partitionKey: "one", rowKey: `é ${i}`, i, big: { type: "Int64", value: String(2n ** 60n + BigInt(i)) } });
    }
    await client.submitTransaction(Array.from({ length: 100 }, (_, i) => ["create", { partitionKey: "many", rowKey: String(i), i }]));
    await client.updateEntity({ partitionKey: "one", rowKey: "é 1", merged: true }, "Merge");
    await client.deleteEntity("one", "é 2");
  }, address);
  here.kept = await stored();
});

/** All tables and entities of the account, with their ETags, as the page reads them now. */
async function stored() {
  const tables = await request(here.page, `${address}/Tables`);
  assert.equal(tables.status, 200, tables.text);
  const all = {};
  for (const { TableName } of JSON.parse(tables.text).value) {
    const entities = await request(here.page, `${address}/${TableName}()`, { headers: { accept: "application/json;odata=fullmetadata" } });
    assert.equal(entities.status, 200, entities.text);
    all[TableName] = JSON.parse(entities.text).value;
  }
  return all;
}

test("there is something to lose", () => {
  assert.equal(here.kept.Kept.length, 119);
});

test("data survive a reload", async () => {
  await here.page.reload({ waitUntil: "domcontentloaded" });
  await controlled(here.page);
  assert.deepEqual(await stored(), here.kept);
});

test("data survive a worker that is stopped", async () => {
  await stopWorkers(here.page);
  assert.deepEqual(await stored(), here.kept);
});

test("requests that meet a stopped worker are all answered", async () => {
  await stopWorkers(here.page);
  const statuses = await here.page.evaluate(
    (address) => Promise.all(Array.from({ length: 20 }, async (_, i) => (await fetch(`${address}/Kept(PartitionKey='many',RowKey='${i}')`)).status)),
    address,
  );
  assert.deepEqual(statuses, Array(20).fill(200));
});

test("data survive a browser that is closed", async () => {
  await here.browser.close();
  await here.reopen();
  assert.deepEqual(await stored(), here.kept);
});

test("what was acknowledged when the browser is killed is there, and no half of a transaction", async () => {
  const acknowledged = [];
  const enough = new Promise((resolve) => {
    here.acknowledge = (kind, i) => {
      acknowledged.push([kind, i]);
      if (acknowledged.length === 40) {
        resolve(kill(here.browser));
      }
    };
  });
  await here.page.exposeFunction("acknowledge", (...args) => here.acknowledge(...args));
  const writing = here.page.evaluate(async (address) => {
    const client = new sdk.TableClient(address, "Killed");
    await client.createTable();
    for (let i = 0; ; i++) {
      await client.createEntity({ partitionKey: "one", rowKey: String(i) });
      acknowledge("entity", i); // not awaited: the next write is already under way
      await client.submitTransaction(Array.from({ length: 10 }, (_, n) => ["create", { partitionKey: `batch ${i}`, rowKey: String(n) }]));
      acknowledge("batch", i);
    }
  }, address);
  await Promise.all([enough, assert.rejects(writing)]);
  await here.reopen();
  const { Killed, ...rest } = await stored();
  assert.deepEqual(rest, here.kept);
  const count = (partition) => Killed.filter(({ PartitionKey }) => PartitionKey === partition).length;
  for (const [kind, i] of acknowledged) {
    assert.equal(kind === "entity" ? Killed.some(({ PartitionKey, RowKey }) => PartitionKey === "one" && RowKey === String(i)) : count(`batch ${i}`) === 10, true, `${kind} ${i}`);
  }
  for (const partition of new Set(Killed.map(({ PartitionKey }) => PartitionKey))) {
    assert.ok(partition === "one" || count(partition) === 10, `${partition} has ${count(partition)} entities`);
  }
  await request(here.page, `${address}/Tables('Killed')`, { method: "DELETE" });
});

test("offline, the app opens and its tables are read and written", async () => {
  const { port } = here.app;
  await here.app.stop();
  await here.page.setOfflineMode(true);
  await stopWorkers(here.page);
  await here.page.reload({ waitUntil: "domcontentloaded" });
  await controlled(here.page);
  await addSDK(here.page);
  assert.equal(await here.page.title(), "Sandtable");
  assert.deepEqual(await stored(), here.kept);
  const written = await here.page.evaluate(async (address) => {
    const client = new sdk.TableClient(address, "Offline");
    await client.createTable();
    await client.createEntity({ partitionKey: "p", rowKey: "r", text: "written offline" });
    return (await client.getEntity("p", "r")).text;
  }, address);
  assert.equal(written, "written offline");
  await here.page.setOfflineMode(false);
  here.app = await serveApp(port);
});
