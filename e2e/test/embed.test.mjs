// Sandtable in somebody's page: the module, its worker and what it is without one.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { dropProfile, launch, newProfile, stopWorkers } from "../lib/browser.mjs";
import { outcome, pageOf, serveSite, visitSite } from "../lib/embed-site.mjs";

let profile, browser;
const sites = [];

before(async () => {
  profile = await newProfile();
  browser = await launch(profile);
});

after(async () => {
  await browser?.close();
  sites.forEach((site) => site.stop());
  await dropProfile(profile);
});

/** A site of its own, which is an origin of its own, for one test. */
async function site(folder, files, how) {
  const made = await serveSite(folder, files, how);
  sites.push(made);
  return made;
}

/** Writes and reads with the SDK in a page; by fetch, or by the client of Sandtable. */
function useSDK(page, table, direct) {
  return page.evaluate(
    async (table, direct) => {
      const options = direct ? { httpClient: sandtable.httpClient } : {};
      const client = new sdk.TableClient(sandtable.endpoint(), table, options);
      await client.createTable();
      await client.createEntity({ partitionKey: "p", rowKey: "é", n: 1 });
      await client.updateEntity({ partitionKey: "p", rowKey: "é", m: 2 }, "Merge");
      await client.submitTransaction([["create", { partitionKey: "p", rowKey: "2" }], ["create", { partitionKey: "p", rowKey: "3" }]]);
      await client.deleteEntity("p", "3");
      const rows = [];
      for await (const { rowKey, n, m } of client.listEntities()) rows.push([rowKey, n ?? null, m ?? null]);
      return rows;
    },
    table,
    direct,
  );
}

const rows = [["2", null, null], ["é", 1, 2]];

for (const folder of ["/", "/some/folder/"]) {
  test(`a page at ${folder} is answered from its first visit on`, async () => {
    const { url, asked } = await site(folder, { "index.html": pageOf('{ accounts: ["demo", { name: "another" }] }') });
    const page = await visitSite(browser, url);
    assert.equal(page.outcome, "started");
    assert.equal(await page.evaluate(() => loads), 1);
    assert.deepEqual(await useSDK(page, "ByFetch", false), rows);
    assert.deepEqual(await useSDK(page, "ByClient", true), rows);
    assert.deepEqual(await page.evaluate(async () => (await sandtable.accounts.list()).map(({ name }) => name)), ["another", "demo", "devstoreaccount1"]);
    const status = await page.evaluate(() => sandtable.status());
    assert.equal(status.mode, "service worker");
    assert.equal(status.client, status.worker);
    assert.deepEqual(status.lost, []);
    await page.reload();
    assert.equal(await outcome(page), "started");
    const n = await page.evaluate(async () => (await new sdk.TableClient(sandtable.endpoint(), "ByFetch").getEntity("p", "é")).n);
    assert.equal(n, 1);
    assert.deepEqual(page.trouble, []);
    assert.equal(asked.filter((path) => path.endsWith(".wasm")).length, 1);
  });
}
