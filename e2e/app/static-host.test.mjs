// dist/ in a folder of a static host.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { after, before, test } from "../lib/test.mjs";
import { dropProfile, launch, newProfile, stopWorkers } from "../lib/browser.mjs";
import { pageOf, visitSite } from "../lib/embed-site.mjs";
import { open, request } from "../lib/page.mjs";
import { serveStatically } from "../lib/static-host.mjs";

const address = "https://devstoreaccount1.table.core.windows.net";
const headers = { "content-type": "application/json", accept: "application/json;odata=nometadata" };

let host, profile, browser, page;

before(async () => {
  const below = pageOf('{ worker: "../app-worker.js", fallback: false }', "../embed/sandtable.js");
  host = await serveStatically("/some/folder/", { pages: { "demo/index.html": below } });
  profile = await newProfile();
  browser = await launch(profile);
  page = await open(browser, host.url);
});

after(async () => {
  await browser?.close();
  host?.stop();
  await dropProfile(profile);
});

const create = (name) => request(page, `${address}/Tables`, { method: "POST", headers, body: JSON.stringify({ TableName: name }) });
const tables = async (base) => JSON.parse((await request(page, `${base}/Tables`, { headers })).text).value.map(({ TableName }) => TableName);

test("the app in a folder of a static host", async (t) => {
  await t.test("the app works under a folder", async () => {
    await page.waitForSelector('[data-testid="new-table"]', { visible: true });
    assert.equal((await create("Before")).status, 201);
    assert.deepEqual(await tables(address), ["Before"]);
    assert.deepEqual(await tables(host.url + "table/devstoreaccount1"), ["Before"]);
    assert.deepEqual(page.problems, []);
  });

  await t.test("rows that the page deletes in one transaction are gone, and can be restored", async () => {
    for (const row of ["1", "2", "3"]) {
      const body = JSON.stringify({ PartitionKey: "p", RowKey: row });
      assert.equal((await request(page, `${address}/Before`, { method: "POST", headers, body })).status, 201);
    }
    const tab = await page.browserContext().newPage();
    await tab.goto(host.url + "?account=devstoreaccount1&table=Before", { waitUntil: "domcontentloaded" });
    await tab.waitForFunction(() => document.body.textContent.includes("All 3 loaded"), { polling: "mutation" });
    const toast = (text) => tab.waitForFunction((text) => document.querySelector(".toasts").textContent.includes(text), { polling: "mutation" }, text);
    await tab.focus("#grid");
    await tab.keyboard.down("Control");
    await tab.keyboard.press("a");
    await tab.keyboard.up("Control");
    await (await tab.waitForSelector('[data-testid="delete-selected"]')).click();
    await toast("Deleted 3 entities");
    await tab.click('[data-testid="toast-action"]');
    await toast("Restored 3 entities");
    await tab.close();
  });

  await t.test("a signature covers the folder's own address, and answers name it", async () => {
    const account = await request(page, host.url + "_sandtable/accounts", {
      method: "POST", headers: { "content-type": "application/json", "x-sandtable": "1" }, body: JSON.stringify({ name: "strictone", access: "strict" }),
    });
    assert.equal(account.status, 201, account.text);
    const { primary } = JSON.parse((await request(page, host.url + "_sandtable/accounts/strictone/keys", { headers: { "x-sandtable": "1" } })).text);
    const date = new Date().toUTCString();
    const path = new URL(host.url).pathname + "table/strictone/Tables";
    const signature = createHmac("sha256", Buffer.from(primary, "base64")).update(`${date}\n/strictone${path}`).digest("base64");
    const listed = await request(page, host.url + "table/strictone/Tables", {
      headers: { ...headers, "x-ms-version": "2019-02-02", "x-ms-date": date, authorization: `SharedKeyLite strictone:${signature}` },
    });
    assert.equal(listed.status, 200, listed.text);
    const made = await request(page, host.url + "table/devstoreaccount1/Tables", { method: "POST", headers, body: '{"TableName":"Here"}' });
    assert.equal(made.headers.location, host.url + "table/devstoreaccount1/Tables('Here')");
  });

  await t.test("the tables survive a worker restart", async () => {
    const before = await tables(address);
    await stopWorkers(page);
    assert.deepEqual(await tables(address), before);
  });

  await t.test("a page under the app's path uses the app's worker and its tables", async () => {
    const before = await tables(address);
    const demo = await visitSite(browser, host.url + "demo/index.html");
    assert.equal(demo.outcome, "started");
    const listed = await demo.evaluate(async (url) => {
      const { bodyAsText } = await sandtable.httpClient.sendRequest({ method: "GET", url, headers: [["accept", "application/json;odata=nometadata"]] });
      return JSON.parse(bodyAsText).value.map(({ TableName }) => TableName);
    }, `${address}/Tables`);
    assert.deepEqual(listed, before);
    assert.equal(await demo.evaluate(() => sandtable.explorerUrl()), host.url);
  });
});

test("a page whose worker is long in coming waits for it", async () => {
  const slow = await serveStatically("/slow/");
  let release;
  const released = new Promise((resolve) => (release = resolve));
  slow.alter = async (path, content) => (path.startsWith("web/engine.") && (await released), content);
  const tab = await browser.newPage();
  try {
    await tab.goto(slow.url, { waitUntil: "domcontentloaded" });
    await tab.waitForFunction(() => document.body.textContent.includes("Starting the engine"));
    await tab.evaluate(() => (window.first = true));
    await setTimeout(12_000); // controlLimit is 10 seconds
    release();
    await tab.waitForSelector('[data-testid="new-table"]:not([disabled])');
    assert.equal(await tab.evaluate(() => window.first), true, "the page was loaded again");
  } finally {
    await tab.close();
    slow.stop();
  }
});
