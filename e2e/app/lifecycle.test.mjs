// What can happen to a worker and its store while the app is open, and what
// the user sees then.

import assert from "node:assert/strict";
import { after, before, test } from "../lib/test.mjs";
import { dropProfile, launch, newProfile } from "../lib/browser.mjs";
import { crashEngine } from "../lib/crash.mjs";
import { open, request } from "../lib/page.mjs";
import { serveStatically } from "../lib/static-host.mjs";

const address = "https://devstoreaccount1.table.core.windows.net";
const headers = { "content-type": "application/json", accept: "application/json;odata=nometadata" };
const hook = (name) => `[data-testid="${name}"]`;

let host, profile, browser, page, session;

before(async () => {
  host = await serveStatically("/some/folder/");
  profile = await newProfile();
  browser = await launch(profile);
  page = await open(browser, host.url);
  session = await page.createCDPSession();
});

after(async () => {
  await browser?.close();
  host?.stop();
  await dropProfile(profile);
});

const insert = (table, row, more = {}) => request(page, `${address}/${table}`, { method: "POST", headers, body: JSON.stringify({ PartitionKey: "p", RowKey: row, ...more }) });
const createTable = (name) => request(page, `${address}/Tables`, { method: "POST", headers, body: JSON.stringify({ TableName: name }) });
const read = (table, row) => request(page, `${address}/${table}(PartitionKey='p',RowKey='${row}')`, { headers });

/** Waits for a text in a banner or in place of the tables. */
function says(text, tab = page) {
  return tab.waitForFunction(
    (text) => [...document.querySelectorAll('[data-testid="banner"], .boot .note')].some((element) => element.textContent.includes(text)),
    { polling: "mutation" },
    text,
  );
}

const saysNothing = () => page.waitForFunction(() => document.querySelector('[data-testid="banner"]') === null, { polling: "mutation" });
const ready = (tab = page) => tab.waitForSelector(hook("new-table") + ":not([disabled])", { visible: true });

/** Simulates the user's return to the page. */
const comeBack = () => page.evaluate(() => void dispatchEvent(new Event("focus")));

test("the first visit works without a reload or a message", async () => {
  await ready();
  assert.equal(await page.evaluate(() => performance.getEntriesByType("navigation")[0].type), "navigate");
  assert.equal(await page.$(hook("banner")), null);
  assert.equal((await createTable("Kept")).status, 201);
  assert.equal((await insert("Kept", "one")).status, 201);
});

test("after a forced reload, which bypasses the worker, the page reloads once more", async () => {
  const loads = [];
  const count = (frame) => frame === page.mainFrame() && loads.push(frame.url());
  page.on("framenavigated", count);
  const reloaded = new Promise((resolve) => page.on("framenavigated", () => loads.length === 2 && resolve()));
  await session.send("Page.reload", { ignoreCache: true });
  await reloaded;
  await ready();
  page.off("framenavigated", count);
  assert.equal(loads.length, 2);
  assert.equal(await page.evaluate(() => navigator.serviceWorker.controller !== null), true);
  assert.equal(await page.$(hook("banner")), null);
});

test("a crashed engine restarts with every acknowledged write", async () => {
  const target = await browser.waitForTarget((target) => target.type() === "service_worker");
  const worker = await target.worker();
  await worker.evaluate(crashEngine);
  const statuses = [];
  for (let i = 0; i < 3; i++) {
    statuses.push((await read("Kept", "one")).status);
  }
  assert.ok(statuses[0] === 500 || statuses[0] === 200, "a crash is answered"); // 200 if another goroutine made that call
  assert.deepEqual(statuses.slice(1), [200, 200]);
  assert.equal((await insert("Kept", "two")).status, 201);
});

/** Replaces the store with one of a future format version, as a newer build would write it. */
async function storeOfANewerVersion(tab) {
  await tab.evaluate(async () => {
    const name = "sandtable " + new URL(".", location.href);
    const done = (request, more = {}) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error), onblocked: () => reject(new Error("blocked")) }, more));
    // The worker reopens its store as soon as it is deleted; the two requests are queued together to win that race.
    const deleted = done(indexedDB.deleteDatabase(name));
    const opened = done(indexedDB.open(name, 99));
    await deleted;
    (await opened).close();
  });
}

test("a store of a newer format version is refused with the reason and can be reset, even after a crash", async () => {
  await storeOfANewerVersion(page);
  await page.reload({ waitUntil: "domcontentloaded" });
  await says("written by a newer version");
  const refused = await read("Kept", "one");
  assert.deepEqual([refused.status, refused.headers["x-sandtable-reason"]], [503, "format"]);
  await page.click(hook("start-empty"));
  await page.waitForSelector(hook("confirm"), { visible: true });
  await page.click(hook("confirm"));
  await ready();
  assert.equal(await page.$(hook("banner")), null, "the user deleted the tables");
  assert.equal((await read("Kept", "one")).status, 404);
  assert.equal((await createTable("Kept")).status, 201);
  assert.equal((await insert("Kept", "one")).status, 201);
});

test("a worker waits a bounded time for the store's lock, and requests report it", async () => {
  await page.evaluate(async () => {
    const name = "sandtable " + new URL(".", location.href);
    window.held = new Promise((held) => {
      navigator.locks.request(name, () => new Promise((release) => ((window.letGo = release), held())));
    });
    new BroadcastChannel(name).postMessage("release"); // what a worker of another version sends
    await window.held;
  });
  const refused = await read("Kept", "one");
  assert.deepEqual([refused.status, refused.headers["retry-after"]], [503, "1"]);
  assert.match(refused.text, /waits for the store, which another tab or another version holds/);
  await page.evaluate(() => window.letGo());
  assert.equal((await read("Kept", "one")).status, 200);
});

test("unregistering the worker in another tab does not affect this one, and the next visit registers it again", async () => {
  const other = await open(browser, host.url);
  await other.evaluate(async () => (await navigator.serviceWorker.getRegistration()).unregister());
  await comeBack();
  assert.equal((await read("Kept", "one")).status, 200);
  await other.reload({ waitUntil: "domcontentloaded" });
  await ready(other);
  await other.close();
  assert.equal((await read("Kept", "one")).status, 200);
});

test("a page that loses its worker, as when site data are cleared, recovers with one reload", async () => {
  const visitor = await browser.createBrowserContext();
  const tab = await visitor.newPage();
  await tab.goto(host.url, { waitUntil: "domcontentloaded" });
  await ready(tab);
  const loads = [];
  const reloaded = new Promise((resolve) => tab.on("framenavigated", (frame) => frame === tab.mainFrame() && resolve(loads.push(frame.url()))));
  const own = await tab.createCDPSession();
  await own.send("Storage.clearDataForOrigin", { origin: new URL(host.url).origin, storageTypes: "service_workers" });
  await reloaded;
  await ready(tab);
  assert.equal(await tab.evaluate(() => navigator.serviceWorker.controller !== null), true);
  assert.equal(await tab.$(hook("banner")), null);
  assert.equal(loads.length, 1);
  await visitor.close();
});

test("the page notices when requests bypass the worker and when they reach it again", async () => {
  await session.send("Network.enable");
  await session.send("Network.setBypassServiceWorker", { bypass: true });
  await comeBack();
  await says("Bypass for network");
  await session.send("Network.setBypassServiceWorker", { bypass: false });
  await comeBack();
  await saysNothing();
});

test("the page reports a deleted store at once, and the next write works", async () => {
  await session.send("Storage.clearDataForOrigin", { origin: new URL(host.url).origin, storageTypes: "indexeddb" });
  await says("The tables that were here are gone.");
  assert.equal((await read("Kept", "one")).status, 404);
  assert.equal((await createTable("Kept")).status, 201);
  assert.equal((await insert("Kept", "one")).status, 201);
  await page.click(`${hook("banner")} button`);
  await saysNothing();
});

test("a site with a broken file reports it, and works once it is repaired", async () => {
  const visitor = await browser.createBrowserContext();
  const tab = await visitor.newPage();
  host.alter = (path, content) => (path.startsWith("web/engine.") ? content.subarray(0, 100_000) : content);
  await tab.goto(host.url, { waitUntil: "domcontentloaded" });
  await says("could not be installed", tab);
  host.alter = (path, content) => content;
  await tab.reload({ waitUntil: "domcontentloaded" });
  await ready(tab);
  await visitor.close();
});

test("an old page whose files are gone from the host reloads, and reports it if that does not help", async () => {
  const old = (content) => Buffer.from(content.toString().replace(/app\.\w+\.js/, "app.gone.js"));
  let stale = 1;
  host.alter = (path, content) => (path === "index.html" && stale-- > 0 ? old(content) : content);
  const visitor = await browser.createBrowserContext();
  const tab = await visitor.newPage();
  await tab.goto(host.url, { waitUntil: "domcontentloaded" });
  await ready(tab);
  await visitor.close();
  host.alter = (path, content) => (path === "index.html" ? old(content) : content);
  const unlucky = await browser.createBrowserContext();
  const broken = await unlucky.newPage();
  await broken.goto(host.url, { waitUntil: "domcontentloaded" });
  await says("A file of this page is missing", broken);
  host.alter = (path, content) => content;
  await unlucky.close();
});

test("the storage page names the storage, and checks it", async () => {
  await page.click(hook("status-pill"));
  await page.waitForFunction(() => document.querySelector(".facts")?.textContent.includes("Persistent"), { polling: "mutation" });
  const facts = await page.$eval(".facts", (element) => element.textContent);
  assert.match(facts, /IndexedDB of this browser/);
  const persisted = await page.evaluate(() => navigator.storage.persisted());
  assert.match(facts, new RegExp(persisted ? "Persistentyes" : "Persistentno"));
  await page.click(hook("verify"));
  const verified = await page.waitForSelector(hook("verified"));
  assert.match(await verified.evaluate((element) => element.textContent), /^Nothing is wrong\. Entities: 1, tables: 1, /);
});

test("the page reported no error", () => {
  assert.deepEqual(page.problems, []);
});
