// Editing a property of many selected rows: by keyboard, with undo, and when an entity changed meanwhile.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { byHand } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const table = "https://devstoreaccount1.table.core.windows.net/Guests";

const here = visit(async ({ page, app }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await page.evaluate(async (table) => {
    const post = (url, body) => fetch(url, { method: "POST", headers: { "content-type": "application/json", prefer: "return-no-content" }, body: JSON.stringify(body) });
    await post(table.replace("Guests", "Tables"), { TableName: "Guests" });
    for (let i = 0; i < 5; i++) await post(table, { PartitionKey: i < 3 ? "a" : "b", RowKey: String(i), Age: String(20 + i) });
  }, table);
  await page.goto(`${app.url}?account=devstoreaccount1&table=Guests`, { waitUntil: "domcontentloaded" });
});
const { hook, click, press, shows } = byHand(() => here.page);

/** What the entities have as a property, in key order. */
function stored(name) {
  return here.page.evaluate(async (table, name) => {
    const response = await fetch(table + "()", { headers: { accept: "application/json;odata=nometadata" } });
    return (await response.json()).value.map((e) => e[name] ?? null);
  }, table, name);
}

/** Selects the first rows by keyboard and opens the dialog, which has the focus. */
async function edit(rows) {
  await shows("loaded", "All 5 loaded");
  const { keyboard } = here.page;
  await here.page.focus("#grid");
  await keyboard.press("Home");
  await keyboard.down("Shift");
  for (let i = 1; i < rows; i++) await keyboard.press("ArrowDown");
  await keyboard.up("Shift");
  if (rows === 1) await keyboard.press(" ");
  await shows("selected", `${rows} selected`);
  await keyboard.press("e");
  await here.page.waitForSelector(`dialog[open] ${hook("edit-property")}:focus`);
}

test("a property is set on the selected rows by keyboard, and undo takes it back", async () => {
  await edit(4);
  await here.page.keyboard.type("Tier");
  await here.page.keyboard.press("Tab");
  await here.page.keyboard.press("Tab");
  await here.page.keyboard.type("gold");
  await shows("edit-counts", "4 entities in 2 partitions, 2 transactions");
  assert.deepEqual(await stored("Tier"), [null, null, null, null, null], "written before it was confirmed");
  await press("Control", "Enter");
  await shows("toast-action", "Undo");
  await shows("grid-row", "gold");
  assert.deepEqual(await stored("Tier"), ["gold", "gold", "gold", "gold", null]);
  await click("undo");
  await here.page.waitForFunction((row) => ![...document.querySelectorAll(row)].some((r) => r.textContent.includes("gold")), {}, hook("grid-row"));
  assert.deepEqual(await stored("Tier"), [null, null, null, null, null]);
});

test("an entity that changed meanwhile keeps its transaction from being written", async () => {
  await edit(4);
  await here.page.keyboard.type("Tier");
  await here.page.type(hook("edit-value"), "silver");
  await shows("edit-counts", "4 entities");
  await here.page.evaluate((table) => fetch(`${table}(PartitionKey='a',RowKey='1')`, {
    method: "MERGE", headers: { "content-type": "application/json", "if-match": "*" }, body: JSON.stringify({ Seen: true }) }), table);
  await click("edit-apply");
  await shows("edit-report", "1 changed, 3 refused");
  await shows("edit-failure", "Changed elsewhere since it was read");
  assert.deepEqual(await stored("Tier"), [null, null, null, "silver", null]);
  await here.page.keyboard.press("Escape");
  await here.page.waitForFunction(() => !document.querySelector("dialog[open]"));
  assert.deepEqual(await stored("Seen"), [null, true, null, null, null]);
});

test("a property's type changes, also where the query shows only a part of each entity", async () => {
  await here.page.goto(`${here.app.url}?account=devstoreaccount1&table=Guests&select=RowKey`, { waitUntil: "domcontentloaded" });
  await edit(5);
  await here.page.$$eval(".bulk-edit .seg button", (all) => all.find((b) => b.textContent === "Change type").click());
  await here.page.waitForSelector(hook("edit-type"));
  await here.page.type(hook("edit-property"), "Age");
  await here.page.select(hook("edit-type"), "Edm.Int32");
  await shows("edit-counts", "5 entities");
  await click("edit-apply");
  await shows("toast-action", "Undo");
  assert.deepEqual(await stored("Age"), [20, 21, 22, 23, 24]);
  assert.deepEqual(await stored("Tier"), [null, null, null, "silver", null]);
});

test("at 360 px rows are selected by tapping, edited, and the selection saved to a file", async () => {
  await here.page.setViewport({ width: 360, height: 740, hasTouch: true, isMobile: true });
  await here.page.goto(`${here.app.url}?account=devstoreaccount1&table=Guests`, { waitUntil: "domcontentloaded" });
  await shows("loaded", "All 5 loaded");
  const boxes = await here.page.$$(hook("select-row"));
  await boxes[0].tap();
  await boxes[4].tap();
  await shows("selected", "2 selected");
  const size = await boxes[0].boundingBox();
  assert.ok(size.width >= 40 && size.height >= 40, `too small to tap: ${size.width} x ${size.height}`);
  assert.equal(await here.page.evaluate(() => document.documentElement.scrollWidth), 360, "the page scrolls sideways");
  await here.page.evaluate(() => {
    globalThis.saved = new Promise((resolve) => { URL.createObjectURL = (blob) => (resolve(blob.text()), "#"); });
  });
  await here.page.$eval(hook("export-selected"), (button) => button.scrollIntoView());
  await here.page.tap(hook("export-selected"));
  await shows("export-file", "Export 2 entities");
  await here.page.click(hook("export-file"));
  const lines = (await here.page.evaluate(() => globalThis.saved)).trim().split("\r\n");
  assert.equal(lines.length, 3, lines);
  assert.match(lines[2], /^b,4,/);
  await shows("loaded", "All 5 loaded");
  await (await here.page.waitForSelector(".toast [aria-label^=Dismiss]")).evaluate((button) => button.click()); // it covers a row
  await here.page.waitForFunction(() => !document.querySelector(".toast"));
  for (const row of [0, 4]) await (await here.page.$$(hook("select-row")))[row].tap();
  await shows("selected", "2 selected");
  await here.page.$eval(hook("edit-selected"), (button) => button.scrollIntoView());
  await here.page.tap(hook("edit-selected"));
  await here.page.waitForSelector(`dialog[open] ${hook("edit-property")}:focus`);
  await here.page.keyboard.type("Phone");
  await here.page.type(hook("edit-value"), "yes");
  await shows("edit-counts", "2 entities");
  await click("edit-apply");
  await shows("toast-action", "Undo");
  assert.deepEqual(await stored("Phone"), ["yes", null, null, null, "yes"]);
});

test("the page reported no error", () => {
  assert.deepEqual(here.page.problems, []);
});
