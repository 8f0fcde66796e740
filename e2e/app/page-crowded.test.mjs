// Long names and values: whatever a page shows of them, the rest of it stays in reach.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "../lib/test.mjs";
import { codeEditor } from "../lib/editor.mjs";
import { byHand } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const name = "TheMeasurementsOfAllSensorsInTheWarehousesOfTwoCountries2026Q4A";
const folder = await mkdtemp(join(tmpdir(), "sandtable-crowded-"));
after(() => rm(folder, { recursive: true, force: true }));

const here = visit(async ({ page }) => {
  await page.setViewport({ width: 390, height: 844 });
  await page.evaluate(async (name) => {
    const post = (path, body) => fetch(`https://devstoreaccount1.table.core.windows.net/${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    await post("Tables", { TableName: name });
    await post(name, { PartitionKey: "p", RowKey: "1", Name: "first", Note: "first" });
  }, name);
});
const { hook, click, chooseFile, press, shows } = byHand(() => here.page);

const go = (query) => here.page.goto(here.app.url + query, { waitUntil: "domcontentloaded" });

/** Elements whose text is wider than their box or reaches beyond the window. */
const cut = (selector) => here.page.$$eval(selector, (all) => all.filter((element) => {
  const text = document.createRange();
  text.selectNodeContents(element);
  return element.scrollWidth > element.clientWidth + 1 || text.getBoundingClientRect().right > innerWidth;
}).map((element) => element.textContent));

test("on a phone, names of tables are whole", async () => {
  await go("?account=devstoreaccount1");
  await shows("table-item", name);
  assert.deepEqual(await cut(".list td a"), []);
  await press("Control", "k");
  await shows("palette-entry", name);
  assert.deepEqual(await cut(".palette .label"), []);
});

test("on a phone, a long column leaves what is found in it on the screen", async () => {
  await go(`?account=devstoreaccount1&table=${name}&page=import`);
  await chooseFile("choose-file", join(folder, "long.csv"), `PartitionKey,RowKey,${name},Age,Age@type\np,2,${"value ".repeat(30)},${"n".repeat(80)},Edm.Int32\np,a/b,v,1,Edm.Int32\n`);
  await shows("column", name);
  assert.deepEqual(await cut(".columns th, .columns .found"), []);
});

test("columns and codes of problems are not broken", async () => {
  await here.page.setViewport({ width: 1440, height: 860 });
  await shows("problem", "OutOfRangeInput");
  const lines = await here.page.$$eval(".problems td:is(:nth-child(2), .reason)", (all) => all.map((element) => {
    const text = document.createRange();
    text.selectNodeContents(element);
    return [element.textContent, new Set([...text.getClientRects()].map(({ top }) => top)).size];
  }));
  assert.deepEqual(lines.filter(([, lines]) => lines > 1), []);
});

test("in a low window, the choices of a conflict are not squeezed", async () => {
  await go(`?account=devstoreaccount1&table=${name}&entity=p%2F1`);
  for (const property of ["Name", "Note"]) {
    await here.page.waitForSelector(`[aria-label="Value of ${property}"]`);
    await here.page.type(`[aria-label="Value of ${property}"]`, " and mine".repeat(10));
  }
  await here.page.evaluate((name) => fetch(`https://devstoreaccount1.table.core.windows.net/${name}(PartitionKey='p',RowKey='1')`, {
    method: "MERGE", headers: { "content-type": "application/json", "if-match": "*" }, body: JSON.stringify({ Name: "their ".repeat(20), Note: "their ".repeat(20) }) }), name);
  await click("save-entity");
  await here.page.waitForSelector(hook("conflict"));
  await here.page.setViewport({ width: 1024, height: 600 });
  const [height, needed] = await here.page.$eval(".merge", ({ clientHeight, scrollHeight }) => [clientHeight, scrollHeight]);
  assert.equal(height, needed);
  await click("discard-mine");
  await here.page.waitForFunction((conflict) => !document.querySelector(conflict), {}, hook("conflict"));
});

test("on a phone, the changes of a run name their table", async () => {
  await here.page.setViewport({ width: 390, height: 844 });
  await go("?page=playground");
  await codeEditor(() => here.page).write(`import { TableClient } from "@azure/data-tables";
const table = new TableClient("https://playground.table.core.windows.net", "${name}");
await table.createTable();
await table.createEntity({ partitionKey: "p", rowKey: "1" });`);
  await click("run");
  await shows("run-summary", "Finished");
  await here.page.evaluate(() => document.querySelector('.playground-tabs [data-choice="changes"]').click());
  await shows("result-changes", "created by this run");
  assert.deepEqual(await cut(".playground-changes h2, .playground-changes h2 *"), []);
});
