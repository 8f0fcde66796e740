// The problems and recoveries that are reported to an embedding page.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { crashEngine } from "../lib/crash.mjs";
import { test } from "../lib/test.mjs";
import { outcome, pageOf, visitSite } from "../lib/embed-site.mjs";
import { embedding } from "../lib/embedding.mjs";

const here = embedding();

/** Opens a page on its own origin that records errors and recoveries; reported waits for one. */
async function listening(options, site) {
  const { url } = site ?? (await here.site("/", { "index.html": pageOf(options) }));
  const page = await visitSite(here.browser, url);
  assert.equal(page.outcome, "started");
  await page.evaluate(() => {
    globalThis.events = [];
    sandtable.on("error", ({ name, code, message }) => events.push(`${name === "SandtableError" && message !== "" ? "error" : name} ${code}`));
    sandtable.on("recovered", ({ code }) => events.push("recovered " + code));
  });
  /** Waits for an event and discards it and all events before it. */
  const reported = async (what) => {
    await page.waitForFunction((what) => events.includes(what), { polling: 20 }, what);
    await page.evaluate((what) => void events.splice(0, events.indexOf(what) + 1), what);
  };
  return { page, url, reported, session: await page.createCDPSession() };
}

/** Simulates the user's return to the page. */
const comeBack = (page) => page.evaluate(() => void dispatchEvent(new Event("focus")));

const create = (page, table) => page.evaluate((table) => new sdk.TableClient(sandtable.endpoint(), table).createTable(), table);

test("bypassed requests, a cleared store and a crashed engine are each reported once", async () => {
  const { page, url, reported, session } = await listening("{ fallback: false }");
  await create(page, "Before");
  await session.send("Network.enable");
  await session.send("Network.setBypassServiceWorker", { bypass: true });
  await comeBack(page);
  await reported("error NotIntercepted");
  await session.send("Network.setBypassServiceWorker", { bypass: false });
  await comeBack(page);
  await reported("recovered NotIntercepted");

  await session.send("Storage.clearDataForOrigin", { origin: new URL(url).origin, storageTypes: "indexeddb" });
  await reported("error Emptied");
  await create(page, "Before");

  const target = await here.browser.waitForTarget((target) => target.type() === "service_worker" && target.url().startsWith(url));
  const worker = await target.worker();
  await worker.evaluate(crashEngine);
  await page.evaluate(() => sandtable.status().catch(() => {}));
  await reported("error EngineCrashed");
  assert.equal((await page.evaluate(() => sandtable.status())).tables, 1);
  await reported("recovered EngineCrashed");
  assert.deepEqual(await page.evaluate(() => events), []);

  await session.send("Storage.clearDataForOrigin", { origin: new URL(url).origin, storageTypes: "service_workers" });
  await reported("error NotIntercepted");
  await page.reload();
  assert.equal(await outcome(page), "started");
  assert.equal((await page.evaluate(() => sandtable.status())).tables, 1);
  assert.deepEqual(page.problems, []);
});

test("another worker that loads the store ends the engine, which is reported, and the next request acquires the store again", async () => {
  const { page, reported } = await listening("{ fallback: false }");
  await create(page, "Shared");
  // Does what engine/idbstorage does on load: starts a new epoch and takes the next record's number.
  await page.evaluate(async () => {
    const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
    const database = await done(indexedDB.open("sandtable " + new URL(".", location.href)));
    const transaction = database.transaction(["wal", "state"], "readwrite");
    const [wal, state] = ["wal", "state"].map((name) => transaction.objectStore(name));
    const epoch = new DataView((await done(state.get("epoch"))).slice().buffer);
    const now = epoch.getBigUint64(0, true);
    wal.add(1, -1 - Number(now));
    epoch.setBigUint64(0, now + 1n, true);
    state.put(new Uint8Array(epoch.buffer), "epoch");
    wal.add(1, (await done(wal.openKeyCursor(null, "prev"))).key + 1);
    await new Promise((resolve, reject) => Object.assign(transaction, { oncomplete: resolve, onabort: () => reject(transaction.error) }));
    database.close();
  });
  const upsert = (key) => page.evaluate((key) => new sdk.TableClient(sandtable.endpoint(), "Shared").upsertEntity({ partitionKey: "p", rowKey: key }), key);
  await upsert("behind"); // the SDK retries
  await reported("error Superseded");
  await reported("recovered Superseded");
  assert.equal((await page.evaluate(() => sandtable.status())).entities, 1);
  assert.deepEqual((await page.evaluate(() => sandtable.verify())).problems, []);
  assert.deepEqual(page.problems, []);
});

test("a store replaced by one of a newer format version is reported, and the error can reset it", async () => {
  const { page, reported } = await listening("{ fallback: false }");
  await page.evaluate(() => sandtable.on("error", (error) => error.code === "StoreFormat" && (globalThis.wayOut = () => error.reset())));
  await page.evaluate(async () => {
    const name = "sandtable " + new URL(".", location.href);
    const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
    // Both requests are queued together, so that they win against the worker, which reopens its store.
    const [deleted, opened] = [done(indexedDB.deleteDatabase(name)), done(indexedDB.open(name, 99))];
    await deleted;
    (await opened).close();
  });
  await page.evaluate(() => sandtable.status().catch(() => {}));
  await reported("error StoreFormat");
  await page.evaluate(() => wayOut());
  assert.equal((await page.evaluate(() => sandtable.status())).tables, 0);
  await reported("recovered StoreFormat");
});

test("a browser that does not open the store for a while deletes nothing, whatever the page does", async () => {
  const script = await readFile(new URL("../../dist/embed/sandtable-worker.js", import.meta.url), "utf8");
  const failing = `const { open } = IDBFactory.prototype;
    let broken = false;
    addEventListener("message", ({ data }) => data.broken !== undefined && (broken = data.broken));
    IDBFactory.prototype.open = function (name, ...version) {
      if (broken && name.startsWith("sandtable ")) throw new DOMException("Internal error opening backing store for indexedDB.open.", "UnknownError");
      return open.call(this, name, ...version);
    };`;
  const { url } = await here.site("/", { "index.html": pageOf("{ fallback: false }"), "sandtable-worker.js": failing + script });
  const page = await visitSite(here.browser, url);
  assert.equal(page.outcome, "started");
  await page.evaluate(() => sandtable.accounts.create("kept"));
  const { code, names } = await page.evaluate(async () => {
    const setBroken = async (broken) => (await navigator.serviceWorker.ready).active.postMessage({ broken });
    await setBroken(true);
    new BroadcastChannel("sandtable " + new URL(".", location.href)).postMessage("release"); // the next request opens the store
    const error = await Sandtable.start({ fallback: false }).catch((error) => error);
    await setBroken(false);
    await error.reset();
    const started = await Sandtable.start({ fallback: false });
    return { code: error.code, names: (await started.accounts.list()).map(({ name }) => name) };
  });
  assert.deepEqual([code, names], ["StoreClosed", ["devstoreaccount1", "kept"]]);
});

test("an exhausted quota is reported, and so is its recovery", async () => {
  const site = await here.site("/", { "index.html": pageOf("{ fallback: false }") });
  // Chromium caches an origin's quota, so it is set before the first write.
  const session = await (await here.browser.newPage()).createCDPSession();
  const limit = (quotaSize) => session.send("Storage.overrideQuotaForOrigin", { origin: new URL(site.url).origin, quotaSize });
  await limit(24 << 20);
  const { page, reported } = await listening(null, site);
  await create(page, "Full");
  const status = await page.evaluate(async () => {
    const client = new sdk.TableClient(sandtable.endpoint(), "Full", { retryOptions: { maxRetries: 0 } });
    globalThis.write = async (rowKey) => {
      const entity = { partitionKey: "p", rowKey }; // 800 KB, incompressible
      for (let i = 0; i < 13; i++) entity["b" + i] = crypto.getRandomValues(new Uint8Array(60 << 10));
      return client.createEntity(entity).then(() => 204, ({ statusCode }) => statusCode);
    };
    for (let i = 0; i < 40; i++) {
      const status = await write(String(i));
      if (status !== 204) return status;
    }
    return 204;
  });
  assert.equal(status, 507);
  await reported("error StoreFull");
  await limit();
  assert.equal(await page.evaluate(() => write("last")), 204);
  await page.waitForFunction(() => events.at(-1) === "recovered StoreFull", { polling: 20 }); // it may have recovered for a moment before
  assert.deepEqual(page.problems, []);
});

test("a suspended tab loses the engine to a waiting tab, and works again after it resumes", async () => {
  const first = await listening('{ fallback: "worker" }');
  const second = await listening(null, first);
  const retryOptions = { maxRetries: 20 }; // on a busy machine the engine takes long to start
  const upsert = (page, key) => page.evaluate((key, options) => new sdk.TableClient(sandtable.endpoint(), "Shared", options).upsertEntity({ partitionKey: "p", rowKey: key }).then(() => "done"), key, { retryOptions });
  await create(second.page, "Shared");
  assert.equal(await upsert(second.page, "before"), "done");
  await first.session.send("Page.setWebLifecycleState", { state: "frozen" });
  const third = listening(null, first);
  assert.equal(await upsert(second.page, "meanwhile"), "done");
  await second.reported("error Suspended");
  await second.reported("recovered Suspended");
  assert.equal(await upsert((await third).page, "elsewhere"), "done");
  await first.session.send("Page.setWebLifecycleState", { state: "active" });
  assert.equal(await upsert(first.page, "behind"), "done");
  for (const { page } of [first, second, await third]) {
    const keys = await page.evaluate(async () => {
      const keys = [];
      for await (const { rowKey } of new sdk.TableClient(sandtable.endpoint(), "Shared").listEntities()) keys.push(rowKey);
      return keys;
    });
    assert.deepEqual(keys, ["before", "behind", "elsewhere", "meanwhile"]);
    assert.deepEqual(page.problems, []);
  }
});
