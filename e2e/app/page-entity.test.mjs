// The entity panel by keyboard alone: open, edit, save, and resolve a conflict.

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
    for (let i = 0; i < 3; i++) await post(table, { PartitionKey: "a", RowKey: String(i), Name: `Guest ${i}`, City: "Oslo", Since: "2026-11-20T18:30:00Z", "Since@odata.type": "Edm.DateTime" });
  }, table);
  await page.goto(`${app.url}?account=devstoreaccount1&table=Guests`, { waitUntil: "domcontentloaded" });
});
const { hook, press, shows } = byHand(() => here.page);

/** What is stored of an entity. */
function stored(rowKey) {
  return here.page.evaluate(async (url) => {
    const { Name, City } = await (await fetch(url, { headers: { accept: "application/json;odata=nometadata" } })).json();
    return { Name, City };
  }, `${table}(PartitionKey='a',RowKey='${rowKey}')`);
}

/** Presses Tab until the element with the focus matches a selector. */
async function tabTo(selector) {
  for (let i = 0; i < 60; i++) {
    if (await here.page.evaluate((selector) => document.activeElement.matches(selector), selector)) return;
    await here.page.keyboard.press("Tab");
  }
  assert.fail(`Tab never reaches ${selector}`);
}

const nameField = '[aria-label="Value of Name"]';

/** Opens the second row's entity from the grid. */
async function openSecond() {
  await shows("grid-row", "Guest 0");
  await tabTo("#grid");
  await press("Home");
  await press("ArrowDown");
  await press("Enter");
  await here.page.waitForSelector(`.panel ${nameField}`);
  await here.page.waitForSelector("#panel-title:focus"); // it gets the focus after it is drawn
}

test("a row is opened, edited and saved, and Escape returns to the grid", async () => {
  await openSecond();
  await tabTo(nameField);
  await press("Control", "a");
  await here.page.keyboard.type("Ana");
  await tabTo(hook("save-entity"));
  await press("Enter");
  await shows("grid-row", "Ana");
  assert.deepEqual(await stored("1"), { Name: "Ana", City: "Oslo" });
  await press("Escape");
  await here.page.waitForFunction(() => document.activeElement.id === "grid" && !document.querySelector(".panel"));
});

test("Ctrl+Enter shows what is missing", async () => {
  await openSecond();
  await here.page.click(hook("add-property"));
  await here.page.waitForSelector(`.panel input${hook("property-name")}`);
  await here.page.type('.panel [aria-label="Value of the new property"]', "x");
  await here.page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  assert.equal(await here.page.$('.panel [aria-invalid="true"]'), null);
  await press("Control", "Enter");
  await here.page.waitForSelector('.panel [aria-invalid="true"]');
  await here.page.click('[aria-label="Remove the new property"]');
  await press("Escape");
  await here.page.waitForFunction(() => !document.querySelector(".panel"));
});

test("a DateTime fits on one line next to the grid", async () => {
  for (const width of [1280, 1000]) {
    await here.page.setViewport({ width, height: 860 });
    await openSecond();
    const height = await here.page.$eval('[aria-label="Value of Since"]', ({ offsetHeight }) => offsetHeight);
    assert.ok(height < 30, `${height} px in a window of ${width} px`);
    await press("Escape");
    await here.page.waitForFunction(() => !document.querySelector(".panel"));
  }
  await here.page.setViewport({ width: 1440, height: 860 });
});

test("a conflict is resolved property by property", async () => {
  const mine = "Mine, which is longer than a column of the differences is wide";
  await openSecond();
  await tabTo(nameField);
  await press("Control", "a");
  await here.page.keyboard.type(mine);
  await here.page.evaluate((url) => fetch(url, { method: "MERGE", headers: { "content-type": "application/json", "if-match": "*" },
    body: JSON.stringify({ Name: "Theirs", City: "Rome" }) }), `${table}(PartitionKey='a',RowKey='1')`);
  await tabTo(hook("save-entity"));
  await press("Enter");
  await here.page.waitForSelector(hook("conflict"));
  assert.ok(await here.page.$(`${hook("save-merged")}[disabled]`), "it can be saved before a choice was made");
  assert.deepEqual(await here.page.$$eval(".merge .value", (all) => all.filter((td) => td.scrollWidth > td.clientWidth).map((td) => td.textContent)), [], "values are cut");
  await tabTo('.merge .clash [data-choice="mine"]');
  await press("Enter");
  await here.page.waitForSelector(`${hook("save-merged")}:not([disabled])`);
  await tabTo(hook("save-merged"));
  await press("Enter");
  await here.page.waitForFunction((conflict) => !document.querySelector(conflict), {}, hook("conflict"));
  await shows("grid-row", mine);
  assert.deepEqual(await stored("1"), { Name: mine, City: "Rome" });
  await press("Escape");
  await here.page.waitForFunction(() => !document.querySelector(".panel"));
});

test("on a phone, the choices of a conflict and what can be done with a selection are on the screen", async () => {
  await here.page.keyboard.press("Escape"); // an open panel would cover the rows
  await here.page.waitForFunction(() => !document.querySelector(".panel"));
  await here.page.setViewport({ width: 390, height: 844 });
  await openSecond();
  await here.page.type(nameField, "2");
  await here.page.evaluate((url) => fetch(url, { method: "MERGE", headers: { "content-type": "application/json", "if-match": "*" },
    body: JSON.stringify({ Name: "Theirs again" }) }), `${table}(PartitionKey='a',RowKey='1')`);
  await here.page.click(hook("save-entity"));
  await here.page.waitForSelector(hook("conflict"));
  const right = (selector) => here.page.$eval(selector, (element) => element.getBoundingClientRect().right);
  assert.ok(await right('.merge .clash [data-choice="mine"]') <= 390);
  await here.page.click(hook("discard-mine"));
  await here.page.waitForFunction((conflict) => !document.querySelector(conflict), {}, hook("conflict"));
  await here.page.keyboard.press("Escape");
  await here.page.waitForFunction(() => document.activeElement.id === "grid" && !document.querySelector(".panel"));
  await here.page.keyboard.press(" ");
  await shows("selected", "1 selected");
  assert.ok(await right(hook("delete-selected")) <= 390);
  await here.page.keyboard.press(" ");
});

test("on a phone, back closes the entity that covers the rows", async () => {
  const steps = () => here.page.evaluate(() => history.length);
  const back = () => here.page.evaluate(() => history.back());
  const closed = () => here.page.waitForFunction(() => !document.querySelector(".panel") && !location.search.includes("entity="));
  const open = async () => {
    await here.page.click(hook("grid-row"));
    await here.page.waitForFunction(() => document.querySelector(".panel") && location.search.includes("entity="));
  };
  await closed(); // by the test before
  await open();
  const before = await steps();
  await back();
  await closed();
  await open();
  await here.page.keyboard.press("Escape");
  await closed();
  await open();
  assert.equal(await steps(), before, "each row that was opened is a step that back has to take");
  await back();
  await closed();
  assert.match(here.page.url(), /table=/);
});

test("a message about a long key covers no button of the panel, and its own are on the screen", async () => {
  for (const width of [1440, 900, 390, 320]) {
    await here.page.setViewport({ width, height: 860 });
    const key = String(width).padEnd(512, "k");
    await here.page.evaluate((table, RowKey) => fetch(table, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ PartitionKey: "a", RowKey }) }), table, key);
    await here.page.goto(`${here.app.url}?account=devstoreaccount1&table=Guests&entity=a%2F${key}`, { waitUntil: "domcontentloaded" });
    await (await here.page.waitForSelector(hook("delete-entity"))).click();
    await here.page.hover(await here.page.waitForSelector(".toast") && ".toast"); // it stays under the pointer
    await openSecond();
    await here.page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
    const covered = await here.page.$$eval(".toast button, .panel footer button", (all) => all.filter((button) => {
      const { left, top, width, height } = button.getBoundingClientRect();
      return ![[1, height / 2], [width - 1, height / 2], [width / 2, height - 1]].every(([x, y]) => button.contains(document.elementFromPoint(left + x, top + y)));
    }).map(({ outerHTML }) => outerHTML));
    assert.deepEqual([await here.page.$$eval(".toast button", (all) => all.length), covered], [2, []], `${width} px`);
  }
});

test("long names and many conditions leave space for the result, on a phone and in a small window", async () => {
  const long = "Property".repeat(12);
  assert.equal(await here.page.evaluate((url, name) => fetch(url, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ PartitionKey: "b", RowKey: "1", [name]: 1 }) }).then(({ status }) => status), table, long), 201);
  const filter = ["PartitionKey ge 'a'", ...[1, 2, 3, 4, 5].map((n) => `${long} gt -${n}`)].join(" and ");
  await here.page.setViewport({ width: 390, height: 860 });
  await here.page.goto(`${here.app.url}?account=devstoreaccount1&table=Guests&filter=${encodeURIComponent(filter)}`, { waitUntil: "domcontentloaded" });
  await here.page.waitForSelector(hook("grid-row"));
  const { rows, top, head } = await here.page.evaluate(() => ({
    rows: document.querySelector(".split").clientHeight, top: document.querySelector(".query").getBoundingClientRect().top, head: document.querySelector(".head [data-testid=new-entity]").getBoundingClientRect().bottom }));
  assert.ok(rows >= 200 && head <= top, `${rows} px for the rows, buttons to ${head} above conditions from ${top}`);
  await here.page.setViewport({ width: 760, height: 860 });
  await here.page.goto(`${here.app.url}?account=devstoreaccount1&table=Guests`, { waitUntil: "domcontentloaded" });
  await here.page.waitForSelector(hook("grid-row"));
  await here.page.waitForSelector(".explain .strip"); // the partitions are read on their own
  const apart = await here.page.$eval(".explain .figures", (figures) => {
    const [{ left, top }, { right, bottom }] = [figures, figures.previousElementSibling].map((e) => e.getBoundingClientRect());
    return left >= right || top > bottom;
  });
  assert.ok(apart, "the figures cover the partitions");
  await here.page.click(hook("columns"));
  await here.page.waitForSelector(hook(`menu-sort-${long}`));
  const [menu, sort] = await here.page.$$eval(`.popup ul, ${hook(`menu-sort-${long}`)}`, (all) => all.map((e) => e.getBoundingClientRect().right));
  assert.ok(sort < menu, "the name moves the buttons of its column out of the menu");
  await here.page.focus("#filter-input");
  await here.page.keyboard.type("Property");
  await here.page.waitForSelector(`${hook("suggestion")} .detail`);
  const overlap = await here.page.$eval(`${hook("suggestion")} .label`, (label) => label.scrollWidth > label.clientWidth && getComputedStyle(label).overflow !== "hidden");
  assert.equal(overlap, false, "the name covers its count");
  await here.page.setViewport({ width: 1440, height: 860 });
});

test("boxes and keys stay in sight while many columns are scrolled sideways, unless they take too much space", async () => {
  const wide = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`Property${i}`, "a value that takes some space"]));
  assert.equal(await here.page.evaluate((url, entity) => fetch(url, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(entity) }).then(({ status }) => status), table, { PartitionKey: "b", RowKey: "wide", ...wide }), 201);
  await here.page.goto(`${here.app.url}?account=devstoreaccount1&table=Guests`, { waitUntil: "domcontentloaded" });
  await shows("grid-row", "wide");
  /** Scrolls sideways; resolves to which cells of the first row are where they were, and can be clicked. */
  const staying = () => here.page.evaluate(async () => {
    const sheet = document.querySelector("#sheet");
    const places = (row) => [...document.querySelector(row).children].slice(0, 4).map((cell) => {
      const { left, top, height } = cell.getBoundingClientRect();
      return { left, inFront: cell.contains(document.elementFromPoint(left + 20, top + height / 2)) };
    });
    const rows = ["#grid thead tr", '[data-row="0"]'];
    sheet.scrollLeft = 0;
    const before = rows.map(places);
    sheet.scrollLeft = 600;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return rows.map(places).map((row, r) => row.map(({ left, inFront }, i) => left === before[r][i].left && inFront));
  });
  assert.deepEqual(await staying(), [[true, true, true, false], [true, true, true, false]]);
  await here.page.focus(hook("sort-RowKey"));
  const width = () => here.page.$eval('th[data-column="RowKey"]', ({ offsetWidth }) => offsetWidth);
  const before = await width();
  for (let i = 0; i < 20; i++) await press("Shift", "ArrowRight");
  await here.page.waitForFunction((least) => document.querySelector('th[data-column="RowKey"]').offsetWidth >= least, {}, before + 320);
  assert.deepEqual(await staying(), [[true, true, false, false], [true, true, false, false]]);
});

test("the page reported no error", () => {
  assert.deepEqual(here.page.problems, []);
});
