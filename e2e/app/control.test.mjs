// The control API as a page uses it, through the service worker.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { stopWorkers } from "../lib/browser.mjs";
import { request } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const address = "https://devstoreaccount1.table.core.windows.net";

const here = visit(async ({ page }) => {
  await page.evaluate(async (address) => {
    const client = new sdk.TableClient(address, "Kept");
    await client.createTable();
    for (let i = 0; i < 500; i += 100) {
      await client.submitTransaction(Array.from({ length: 100 }, (_, n) => ["create", { partitionKey: "p", rowKey: String(i + n), text: "x".repeat(200) }]));
    }
  }, address);
});

async function call(method, path, body) {
  const { status, text } = await request(here.page, `_sandtable/${path}`, { method, headers: { "content-type": "application/json" }, body: body === undefined ? undefined : JSON.stringify(body) });
  assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
  return JSON.parse(text);
}

test("status names the storage and reports usage and quota", async () => {
  const status = await call("GET", "status");
  assert.deepEqual([status.store, status.durability, status.tables, status.entities], ["indexeddb", "relaxed", 1, 500]);
  assert.equal(typeof status.persisted, "boolean");
  assert.ok(status.quota > 1e6 && status.usage >= 0, JSON.stringify(status));
  assert.deepEqual(status.corruption, []);
});

test("settings survive a worker restart", async () => {
  assert.equal((await call("PATCH", "settings", { durability: "strict" })).durability, "strict");
  await stopWorkers(here.page);
  assert.deepEqual(await call("GET", "settings"), { durability: "strict", permissiveCORS: false, recordBodies: true, tableDeletion: "0s" });
  assert.equal((await call("GET", "status")).durability, "strict");
  await call("PATCH", "settings", { durability: "relaxed" });
});

test("a deleted account stays deleted, and gets its well-known key again", async () => {
  const names = async () => (await call("GET", "accounts")).accounts.map(({ name }) => name);
  const keys = () => call("GET", "accounts/devstoreaccount1/keys");
  const before = await keys();
  const archive = await request(here.page, "_sandtable/dump");
  await call("POST", "accounts", { name: "another" });
  assert.equal((await request(here.page, "_sandtable/accounts/devstoreaccount1", { method: "DELETE" })).status, 204);
  await stopWorkers(here.page);
  assert.deepEqual(await names(), ["another"]);
  await call("POST", "accounts", { name: "devstoreaccount1" });
  assert.deepEqual(await keys(), before);
  assert.equal((await request(here.page, "_sandtable/load", { method: "POST", body: archive.text })).status, 200);
  assert.equal((await request(here.page, "_sandtable/accounts/another", { method: "DELETE" })).status, 204);
});

test("an EventSource misses no change when a response ends or the worker is stopped", async () => {
  await here.page.evaluate(() => {
    globalThis.received = [];
    globalThis.news = new EventTarget();
    const record = (event) => received.push(event) && news.dispatchEvent(new Event("news"));
    globalThis.until = async (wanted) => {
      while (!received.some(wanted)) {
        await new Promise((resolve) => news.addEventListener("news", resolve, { once: true }));
      }
    };
    const listen = (after) => {
      let last = after;
      const source = (globalThis.source = new EventSource(`_sandtable/events?after=${after}`));
      source.onopen = () => record({ kind: "open" });
      source.onerror = () => {
        record({ kind: "ended" });
        if (source.readyState === EventSource.CLOSED) listen(last); // Chromium does this when the worker is stopped
      };
      source.addEventListener("start", ({ lastEventId }) => {
        if (last === "" || lastEventId === last) {
          last = lastEventId;
        } else { // Chromium does not say where it continues
          source.close();
          listen(last);
        }
      });
      source.addEventListener("position", ({ lastEventId }) => void (last = lastEventId));
      for (const kind of ["change", "request", "lost"]) {
        source.addEventListener(kind, ({ data, lastEventId }) => {
          last = lastEventId;
          record({ event: kind, ...JSON.parse(data) });
        });
      }
    };
    listen("");
    return until(({ kind }) => kind === "open");
  });
  const hears = (row) =>
    here.page.evaluate(
      async (address, row) => {
        await new sdk.TableClient(address, "Kept").createEntity({ partitionKey: "received", rowKey: row });
        await until(({ kind, rowKey }) => kind === "inserted" && rowKey === row);
      },
      address,
      row,
    );
  await hears("1");
  // The worker ends each response after ten seconds.
  await here.page.evaluate(() => {
    received.length = 0;
    return until(({ kind }) => kind === "ended");
  });
  await hears("2");
  assert.ok(await here.page.evaluate(() => !received.some(({ event }) => event === "lost")));
  await stopWorkers(here.page);
  await here.page.evaluate(() => until(({ event }) => event === "lost"));
  await hears("3");
  await here.page.evaluate(() => source.close());
});

test("the request journal shows operation and statistics, and redacts signatures", async () => {
  await here.page.evaluate(async (address) => {
    const { sas } = await (await fetch("_sandtable/accounts/devstoreaccount1/connection")).json();
    const client = new sdk.TableClient(address, "Kept", new sdk.AzureSASCredential(sas));
    await client.getEntity("p", "7");
    for await (const page of client.listEntities({ queryOptions: { filter: "PartitionKey eq 'p' and RowKey ge '490'" } }).byPage()) {
      break;
    }
  }, address);
  const { requests } = await call("GET", "requests?limit=2");
  assert.equal(requests[0].operation, "Get Entity");
  assert.match(requests[0].url, /[?&]sig=REDACTED/);
  assert.match(requests[0].responseBody, /"RowKey":"7"/);
  assert.deepEqual([requests[1].statistics.kind, requests[1].statistics.returned], ["row range", 65]);
});

test("verify and compact run while the store is in use", async () => {
  const verified = await call("POST", "verify");
  assert.deepEqual([verified.accounts, verified.tables, verified.problemCount, verified.problems], [1, 1, 0, []]);
  assert.ok(verified.entities >= 500 && verified.blocks + verified.walRecords > 0, JSON.stringify(verified));
  const { before, after } = await call("POST", "compact");
  assert.ok(after.bytes > 0 && after.walRecords === 0 && before.bytes > 0, JSON.stringify({ before, after }));
  const again = await call("POST", "verify");
  assert.deepEqual([again.entities, again.walRecords, again.problemCount], [verified.entities, 0, 0]);
  assert.equal((await call("GET", "status")).checkpointFailure, null);
});

test("a dump is restored in chunks after a reset", async () => {
  const before = await call("GET", "status");
  const counted = await here.page.evaluate(async () => {
    const dump = await (await fetch("_sandtable/dump")).blob();
    await fetch("_sandtable/reset", { method: "POST", headers: { "content-type": "application/json" }, body: '{"what":"all"}' });
    const empty = await (await fetch("_sandtable/status")).json();
    let [at, next, pieces] = [0, "", 0];
    for (let length = 40_000; next !== undefined; pieces++) {
      const body = dump.slice(at, at + length);
      const last = at + body.size === dump.size;
      const response = await fetch(`_sandtable/load?chunk=${next}&last=${last}`, { method: "POST", headers: { "content-type": "application/x-ndjson" }, body });
      if (!response.ok) throw new Error(await response.text());
      const answer = await response.json();
      at += answer.bytes;
      next = answer.next;
    }
    return { empty, pieces };
  });
  assert.deepEqual([counted.empty.accounts, counted.empty.tables, counted.empty.entities], [1, 0, 0]);
  assert.ok(counted.pieces > 2);
  const after = await call("GET", "status");
  assert.deepEqual([after.accounts, after.tables, after.entities], [before.accounts, before.tables, before.entities]);
});
