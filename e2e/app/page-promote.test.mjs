// "Copy to…": tables of this browser are copied to a native server, by the page alone.

import assert from "node:assert/strict";
import * as sdk from "@azure/data-tables";
import { native } from "../lib/native.mjs";
import { test } from "../lib/test.mjs";
import { violations } from "../lib/axe.mjs";
import { byHand } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const server = native(() => {}, "-cors", "permissive");
const here = visit(async ({ page }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await page.waitForSelector(`${hook("new-table")}:not([disabled])`);
});
const { hook, click, shows } = byHand(() => here.page);

const target = (table) => sdk.TableClient.fromConnectionString(server.connection, table, { allowInsecureConnection: true });

async function all(table) {
  const found = [];
  for await (const entity of target(table).listEntities({ disableTypeConversion: true })) {
    delete entity.timestamp;
    delete entity.etag;
    found.push(entity);
  }
  return found;
}

async function openPromotion() {
  await here.page.goto(`${here.app.url}?account=devstoreaccount1`, { waitUntil: "domcontentloaded" });
  await click("promote-tables");
}

test("tables are made in this browser", async () => {
  const made = await here.page.evaluate(async () => {
    const { connectionString } = await (await fetch("_sandtable/accounts/devstoreaccount1/connection")).json();
    const made = [];
    for (const [name, count] of [["Customers", 1200], ["Orders", 5], ["Drafts", 3]]) {
      await sdk.TableServiceClient.fromConnectionString(connectionString).createTable(name);
      const table = sdk.TableClient.fromConnectionString(connectionString, name);
      for (let start = 0; start < count; start += 100) {
        const transaction = [];
        for (let i = start; i < Math.min(count, start + 100); i++) {
          transaction.push(["create", { partitionKey: `p${Math.floor(i / 300)}`, rowKey: String(i).padStart(5, "0"), Text: `it's "${i}"`,
            Price: { type: "Double", value: "5.5" }, Big: { type: "Int64", value: "9007199254740993" }, When: new Date(1e12 + i), Bytes: new Uint8Array([0, 255, i % 256]) }]);
        }
        await table.submitTransaction(transaction);
      }
      made.push(name);
    }
    return made;
  });
  assert.equal(made.length, 3);
});

test("without a connected account the page says what to do, and leads there", async () => {
  await openPromotion();
  await click("promote-connect");
  const field = await here.page.waitForSelector(hook("endpoint-text"), { visible: true });
  await field.type(server.connection);
  await click("connect-endpoint");
  await shows("remote-item", server.account);
});

test("the dry run counts, and writes nothing", async () => {
  await here.page.click('a[href="?account=devstoreaccount1"]');
  await here.page.waitForSelector('tr[data-table="Drafts"]'); // the page of the connected account has such a button, too
  await click("promote-tables");
  await here.page.waitForSelector('[data-testid="promote-table"][data-table="Drafts"]');
  assert.deepEqual(await violations(here.page), []);
  await here.page.click('[data-testid="promote-table"][data-table="Drafts"]');
  await click("check-promotion");
  await shows("promote", "Copy 1,205 entities");
  await shows("promote-result", "a new table");
  await assert.rejects(all("Customers"), /TableNotFound|ResourceNotFound|404/);
});

test("the copy is complete, with exact types", async () => {
  await click("promote");
  await shows("facts", "Copied 1,205 entities of 2 tables");
  const customers = await all("Customers");
  assert.equal(customers.length, 1200);
  assert.deepEqual(customers[7].Price, { type: "Double", value: "5.5" });
  assert.deepEqual(customers[7].Big, { type: "Int64", value: "9007199254740993" });
  assert.equal((await all("Orders")).length, 5);
  await assert.rejects(all("Drafts"), /TableNotFound|ResourceNotFound|404/);
});

test("a second dry run says what would be replaced, also on a phone and in the dark", async () => {
  await click("promote-back");
  await click("check-promotion");
  await shows("promote-result", "replaces 1,200");
  await here.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await here.page.setViewport({ width: 360, height: 740 });
  await here.page.waitForFunction(() => document.getAnimations().length === 0);
  const wide = await here.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `the page is ${wide} px wide`);
  assert.deepEqual(await violations(here.page), []);
  await click("promote-back");
  await here.page.setViewport({ width: 1440, height: 860 });
});

test("a copy whose target has gone ends with a report, and continues", async () => {
  await click("check-promotion");
  await shows("promote-result", "replaces 1,200");
  await here.page.setOfflineMode(true);
  await click("promote");
  await here.page.waitForSelector(hook("promote-continue"), { visible: true });
  assert.deepEqual(await violations(here.page), []);
  await here.page.setOfflineMode(false);
  await click("promote-continue");
  await shows("facts", "Copied 1,205 entities of 2 tables");
  await click("promote-done");
  await shows("promote-tables", "Copy to…");
  await shows("table-item", "Orders");
  await here.page.waitForFunction((selector) => [...document.querySelectorAll(selector)].filter((item) => item.textContent.includes("Customers")).length === 2, {}, hook("table-item"));
});

test("the page reported no error", () => {
  assert.deepEqual(here.page.problems, []);
});
