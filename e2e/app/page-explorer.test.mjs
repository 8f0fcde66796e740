// The explorer as a person uses it: sample data, the command palette, the grid and the query bar, by keyboard and pointer.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const here = visit(async ({ page }) => {
  page.setDefaultTimeout(110_000); // a busy machine loads the sample data slowly
  await page.setViewport({ width: 1440, height: 860 });
  await page.waitForSelector(hook("new-table") + ":not([disabled])", { visible: true });
});

/** The selector of an element that the tests know by name. */
function hook(name) {
  return `[data-testid="${name}"]`;
}

async function click(name) {
  const element = await here.page.waitForSelector(hook(name), { visible: true });
  await element.click();
}

/** Waits until an element of a name shows a text. */
function shows(name, text) {
  return here.page.waitForFunction(
    (selector, text) => [...document.querySelectorAll(selector)].some((element) => element.textContent.includes(text)),
    { polling: "mutation" }, hook(name), text);
}

/** Replaces the filter and runs it by the keyboard. */
async function filter(text) {
  const field = await here.page.waitForSelector("#filter-input", { visible: true });
  await field.click({ count: 3 });
  await here.page.keyboard.press("Backspace");
  await field.type(text);
  await here.page.keyboard.down("Control");
  await here.page.keyboard.press("Enter");
  await here.page.keyboard.up("Control");
}

async function palette(text) {
  await here.page.keyboard.down("Control");
  await here.page.keyboard.press("k");
  await here.page.keyboard.up("Control");
  const field = await here.page.waitForSelector(hook("palette-field"), { visible: true });
  await field.type(text);
  await shows("palette-entry", text);
  await here.page.keyboard.press("Enter");
}

test("the first visit offers sample data, and loads it", async () => {
  await click("load-sample");
  await shows("table-item", "2,501");
  await shows("table-item", "18,204");
  await shows("loaded", "of 2,501 loaded");
});

test("the command palette leads to a table", async () => {
  await palette("Orders");
  await shows("loaded", "of 18,204 loaded");
});

test("back and forward follow", async () => {
  await here.page.goBack();
  await shows("loaded", "of 2,501 loaded");
});

test("the builder and the editor show the same filter", async () => {
  await filter("PartitionKey eq 'EU-West' and RowKey ge '0000100' and RowKey lt '0000101'");
  await shows("loaded", "All 10 loaded");
  const clauses = await here.page.$$eval(hook("clause"), (all) => all.map((c) => [...c.querySelectorAll("select, input")].map((field) => field.value).join(" ")));
  assert.deepEqual(clauses, ["PartitionKey equals EU-West", "RowKey begins with 0000100"]);
  await (await here.page.$$(hook("remove-condition")))[1].click();
  await here.page.waitForFunction(() => document.querySelector("#filter-input").value === "PartitionKey eq 'EU-West'");
  assert.match(await here.page.$eval(".explain", (e) => e.textContent), /Row range.*1 of 34 partitions/);
});

test("a wrong operator is named at its column, and corrected by a click", async () => {
  await filter("Age gte 90");
  await shows("filter-error", "Column 5:");
  await shows("filter-error", "gte is not an operator.");
  await click("correct");
  await here.page.waitForFunction(() => document.querySelector("#filter-input").value === "Age ge 90");
  await shows("grid-row", "9");
});

test("an empty result says why, and offers the filter that was meant", async () => {
  await filter("PartitionKey eq 'EU-West' and Age ge '21'");
  await shows("try", "Try PartitionKey eq 'EU-West' and Age ge 21");
  await click("try");
  await here.page.waitForSelector(hook("grid-row"));
});

test("rows are selected by the keyboard, deleted, and restored", async () => {
  const loaded = () => here.page.$eval(hook("loaded"), (e) => e.textContent);
  const fewer = await loaded();
  await filter("PartitionKey eq 'EU-West'");
  await here.page.waitForFunction((selector, fewer) => ![fewer, ""].includes(document.querySelector(selector)?.textContent ?? ""), {}, hook("loaded"), fewer);
  await shows("loaded", "All ");
  const before = await loaded();
  await here.page.focus("#grid");
  await here.page.keyboard.press("Home");
  await here.page.keyboard.down("Shift");
  await here.page.keyboard.press("ArrowDown");
  await here.page.keyboard.press("ArrowDown");
  await here.page.keyboard.up("Shift");
  await shows("selected", "3 selected");
  await here.page.keyboard.press("Delete");
  await shows("toast-action", "Undo");
  await here.page.waitForFunction((selector, before) => document.querySelector(selector).textContent !== before, {}, hook("loaded"), before);
  await click("toast-action");
  await shows("loaded", before);
});

test("a column that is hidden stays hidden after a reload; a stored setting that is corrupt is dropped", async () => {
  await click("columns");
  await click("column-Balance");
  const heads = () => here.page.$$eval("th[data-column]", (all) => all.map((th) => th.dataset.column));
  await here.page.waitForFunction(() => ![...document.querySelectorAll("th[data-column]")].some((th) => th.dataset.column === "Balance"));
  await here.page.reload({ waitUntil: "domcontentloaded" });
  await here.page.waitForSelector(hook("grid-row"));
  assert.ok(!(await heads()).includes("Balance"));
  await here.page.evaluate(() => {
    for (const key of Object.keys(localStorage).filter((key) => key.startsWith("sandtable.columns"))) localStorage.setItem(key, '{"order":["",""],"widths":{"Age":-5}}');
  });
  await here.page.reload({ waitUntil: "domcontentloaded" });
  await here.page.waitForSelector(hook("grid-row"));
  assert.ok((await heads()).includes("Balance"));
});

test("contains is looked for by the page, and says how many rows it read", async () => {
  await here.page.goto(here.app.url + "?account=devstoreaccount1&table=Customers&contains=Name%3Aokafor", { waitUntil: "domcontentloaded" });
  await shows("loaded", "of 2,501 rows read");
});

test("scrolling reads the pages that follow, and load all reads the rest", async () => {
  await here.page.goto(here.app.url + "?account=devstoreaccount1&table=Orders", { waitUntil: "domcontentloaded" });
  await shows("loaded", "200 of 18,204 loaded");
  await here.page.$eval("#sheet", (sheet) => (sheet.scrollTop = sheet.scrollHeight));
  await shows("loaded", "1,200 of 18,204 loaded");
  await click("load-all");
  await shows("loaded", "All 18,204 loaded");
  await here.page.$eval("#sheet", (sheet) => (sheet.scrollTop = sheet.scrollHeight));
  await shows("grid-row", "2026-11");
  assert.ok((await here.page.$$(hook("grid-row"))).length < 100);
});

test("nothing broke in the page", () => {
  assert.deepEqual(here.page.trouble, []);
});
