// An exhausted storage quota: writes fail with a clear error, acknowledged data
// stay readable, and writes work again once there is space.

import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "../lib/test.mjs";
import { dropProfile, launch, newProfile, stopWorkers } from "../lib/browser.mjs";
import { clickStill, controlled, request } from "../lib/page.mjs";
import { serveStatically } from "../lib/static-host.mjs";

const address = "https://devstoreaccount1.table.core.windows.net";
const headers = { "content-type": "application/json", accept: "application/json;odata=nometadata" };
const banner = '[data-testid="banner"]';
const noSpace = "This browser has no space left.";

// What the app's own files use of its origin's quota, and 9 MiB for entities.
const app = fileURLToPath(new URL("../../dist/web/", import.meta.url));
const files = await Promise.all((await readdir(app, { recursive: true })).map((name) => stat(join(app, name))));
const quota = files.reduce((sum, file) => sum + file.size, 9 << 20);

let host, profile, browser, page, session;

// Chromium caches an origin's remaining space and asks for the quota again when a
// write exceeds it; the cached value expires over 20 s. So the quota is set
// before the first write, in a CDP session that stays open.
before(async () => {
  host = await serveStatically("/some/folder/");
  profile = await newProfile();
  browser = await launch(profile);
  page = await browser.newPage();
  session = await page.createCDPSession();
  await limit(quota);
  await page.goto(host.url, { waitUntil: "domcontentloaded" });
  await controlled(page);
});

after(async () => {
  await browser?.close();
  host?.stop();
  await dropProfile(profile);
});

/** Sets the site's quota; without an argument it restores the browser's own. */
const limit = (quotaSize) => session.send("Storage.overrideQuotaForOrigin", { origin: new URL(host.url).origin, quotaSize });

const row = (name) => `${address}/Full(PartitionKey='p',RowKey='${name}')`;

/** Inserts up to this many incompressible entities of about 800 KiB, until one is refused. */
function fill(first, count = 40) {
  return page.evaluate(
    async (address, headers, first, count) => {
      const written = [];
      for (let i = first; i < first + count; i++) {
        const entity = { PartitionKey: "p", RowKey: String(i) };
        for (let property = 0; property < 13; property++) {
          const bytes = crypto.getRandomValues(new Uint8Array(60 << 10));
          entity["B" + property] = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
          entity["B" + property + "@odata.type"] = "Edm.Binary";
        }
        const response = await fetch(address + "/Full", { method: "POST", headers: { ...headers, prefer: "return-no-content" }, body: JSON.stringify(entity) });
        if (response.status !== 204) {
          return { written, status: response.status, error: (await response.json())["odata.error"] };
        }
        written.push(String(i));
      }
      return { written };
    },
    address,
    headers,
    first,
    count,
  );
}

/** The row keys of all stored entities. */
async function rows() {
  const keys = [];
  let next = "";
  do {
    const { status, text, headers: answered } = await request(page, `${address}/Full()?$select=RowKey${next}`, { headers });
    assert.equal(status, 200);
    keys.push(...JSON.parse(text).value.map(({ RowKey }) => RowKey));
    const [partition, row] = ["partitionkey", "rowkey"].map((name) => answered["x-ms-continuation-next" + name]);
    next = partition && `&NextPartitionKey=${partition}&NextRowKey=${row}`;
  } while (next);
  return keys.sort();
}

/** Records whether the page shows a text from now on: a checkpoint that frees space may remove it soon. */
const listenFor = (text) =>
  page.evaluate(
    (banner, text) => {
      window.said = new Promise((resolve) => {
        const look = () => document.querySelector(banner)?.textContent.includes(text) && resolve(true);
        new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
        look(); // it may be shown already
      });
    },
    banner,
    text,
  );
const wasSaid = () => page.evaluate(() => window.said);
const saysNothing = () => page.waitForFunction((banner) => document.querySelector(banner) === null, { polling: "mutation" }, banner);

let written;

test("an exhausted quota", async (t) => {
  await t.test("a write beyond the quota fails with the service's error, and the page explains it", async (t) => {
    await page.waitForSelector('[data-testid="new-table"]:not([disabled])', { visible: true });
    const create = { method: "POST", headers, body: '{"TableName":"Full"}' };
    assert.equal((await request(page, address + "/Tables", create)).status, 201);
    await listenFor(noSpace);
    const outcome = await fill(0);
    t.diagnostic(`refused after ${outcome.written.length} entities: ${outcome.status} ${outcome.error?.code}`);
    assert.deepEqual([outcome.status, outcome.error.code], [507, "InsufficientStorage"]);
    assert.match(outcome.error.message.value, /Nothing saved before is lost/);
    written = outcome.written.sort();
    assert.ok(written.length > 0);
    assert.equal(await wasSaid(), true);
  });

  await t.test("acknowledged entities stay readable, also after a worker restart", async () => {
    assert.deepEqual(await rows(), written);
    await stopWorkers(page);
    assert.deepEqual(await rows(), written);
    const last = JSON.parse((await request(page, row(written.at(-1)), { headers })).text);
    assert.equal(atob(last.B12).length, 60 << 10);
  });

  /** Inserts one small entity. */
  const insert = (name) => request(page, address + "/Full", { method: "POST", headers, body: JSON.stringify({ PartitionKey: "p", RowKey: name }) });

  const isAtWork = () => page.evaluate(async () => (await (await fetch("_sandtable/worker")).json()).engine);

  await t.test("a restarted worker reads a store with no free byte, and writes once there is space", async () => {
    await limit(1);
    assert.equal((await fill(90)).status, 507); // from now on Chromium checks the quota on every write
    assert.equal((await insert("none")).status, 507);
    await stopWorkers(page);
    await listenFor(noSpace);
    assert.deepEqual(await rows(), written);
    assert.equal(await wasSaid(), true);
    const refused = await insert("none");
    assert.deepEqual([refused.status, JSON.parse(refused.text)["odata.error"].code], [507, "InsufficientStorage"]);
    assert.equal(await isAtWork(), "running");
    await limit(quota + (4 << 20));
    assert.equal((await insert("small")).status, 201);
    written = [...written, "small"].sort();
    assert.deepEqual(await rows(), written);
  });

  /** Whether the file is there that makes space for deletions (engine/idbstorage/reserve.go). */
  const hasReserve = async () => {
    const folder = await navigator.storage.getDirectory();
    const file = await folder.getFileHandle("sandtable-ballast").then((handle) => handle.getFile(), () => null);
    return file?.size === 1 << 20;
  };

  await t.test("a full browser deletes, and then has space again", async () => {
    await page.waitForFunction(hasReserve); // made behind a checkpoint
    assert.equal((await fill(90)).status, 507);
    for (let i = 0, isFull = false; !isFull; i++) { // what is in use changes while the browser cleans up
      if (!(await page.evaluate(hasReserve))) { // deleting replaced blocks took it
        await limit();
        assert.equal((await fill(900 + i, 1)).written.length, 1);
        await page.waitForFunction(hasReserve);
      }
      await limit(await page.evaluate(async () => (await navigator.storage.estimate()).usage));
      assert.equal((await fill(1000 + 100 * i)).status, 507); // so that Chromium asks for the quota
      isFull = (await insert("filler" + i)).status === 507 && (await page.evaluate(hasReserve));
    }
    for (const name of await rows()) {
      assert.equal((await request(page, row(name), { method: "DELETE", headers: { ...headers, "if-match": "*" } })).status, 204, name);
    }
    // The checkpoint that gives the space back comes when the engine is idle.
    while ((await insert("next")).status === 507);
    written = ["next"];
    assert.deepEqual(await rows(), written);
  });

  await t.test("a reset of everything succeeds where not even a deletion does", async () => {
    await limit(1);
    assert.equal((await fill(300)).status, 507); // so that Chromium asks for the quota
    assert.equal((await request(page, row("next"), { method: "DELETE", headers: { ...headers, "if-match": "*" } })).status, 507);
    const reset = (what) => request(page, "_sandtable/reset", { method: "POST", body: JSON.stringify({ what, account: what === "account" ? "devstoreaccount1" : undefined }) });
    assert.equal((await reset("account")).status, 507);
    assert.equal((await reset("all")).status, 204);
    await limit(quota);
    assert.equal((await request(page, address + "/Tables", { method: "POST", headers, body: '{"TableName":"Full"}' })).status, 201);
    assert.deepEqual(await rows(), []);
    assert.equal((await insert("first")).status, 201);
    written = ["first"];
    await clickStill(page, `${banner} ::-p-text(Dismiss)`); // what says that another store has taken the place of the old one
  });

  await t.test("once there is space, writes work and the page withdraws its warning without a reload", async () => {
    await listenFor(noSpace);
    assert.equal((await fill(100)).status, 507);
    assert.equal(await wasSaid(), true);
    await page.evaluate(() => (window.loadedOnce = true));
    await limit();
    assert.equal((await insert("last")).status, 201);
    await saysNothing();
    assert.equal((await fill(200)).written.length, 40);
    assert.equal(await page.evaluate(() => window.loadedOnce), true);
    assert.deepEqual((await rows()).filter((name) => written.includes(name)), written);
  });
});
