// The explorer as a person uses it: sample data, the command palette, the grid and the query bar, by keyboard and pointer.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { byHand } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const here = visit(async ({ page }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await page.waitForSelector(hook("new-table") + ":not([disabled])", { visible: true });
});
const { hook, click, press, shows } = byHand(() => here.page);

/** Replaces the filter and runs it with the keyboard. */
async function filter(text) {
  const field = await here.page.waitForSelector("#filter-input", { visible: true });
  await field.click({ count: 3 });
  await here.page.keyboard.press("Backspace");
  await field.type(text);
  await press("Control", "Enter");
}

/** Opens what the command palette finds. */
async function palette(text, ...held) {
  await press("Control", "k");
  const field = await here.page.waitForSelector(hook("palette-field"), { visible: true });
  await field.type(text);
  await shows("palette-entry", text);
  await press(...held, "Enter");
}

test("the explorer on sample data, from loading to scrolling", async (t) => {
  await t.test("the first visit offers sample data, and loads it", async () => {
    await click("load-sample");
    await shows("table-item", "2,501");
    await shows("table-item", "18,204");
    await shows("loaded", "of 2,501 loaded");
  });

  await t.test("the command palette opens a table, and the search stays in its place", async () => {
    const left = () => here.page.$eval(hook("search"), (search) => search.getBoundingClientRect().left);
    const before = await left();
    await palette("Orders");
    await shows("loaded", "of 18,204 loaded");
    assert.equal(await left(), before);
  });

  await t.test("Ctrl+Enter in the palette opens a table in a new tab", async () => {
    const opened = new Promise((resolve) => here.browser.once("targetcreated", resolve));
    await palette("Customers", "Control");
    const tab = await (await opened).page();
    await tab.waitForFunction(() => new URLSearchParams(location.search).get("table") === "Customers");
    await tab.close();
    await here.page.bringToFront();
    await here.page.waitForFunction(() => !document.querySelector("dialog[open]"));
    assert.equal(new URL(here.page.url()).searchParams.get("table"), "Orders");
  });

  await t.test("the browser's back and forward buttons work", async () => {
    await here.page.goBack();
    await shows("loaded", "of 2,501 loaded");
  });

  await t.test("the builder and the editor show the same filter", async () => {
    await filter("PartitionKey eq 'EU-West' and RowKey ge '0000100' and RowKey lt '0000101'");
    await shows("loaded", "All 10 loaded");
    const clauses = await here.page.$$eval(hook("clause"), (all) => all.map((c) => [...c.querySelectorAll("select, input")].map((field) => field.value).join(" ")));
    assert.deepEqual(clauses, ["PartitionKey equals EU-West", "RowKey begins with 0000100"]);
    await here.page.waitForFunction(() => /Row range.*1 of 34 partitions/.test(document.querySelector(".explain").textContent)); // the partitions are read on their own
    await (await here.page.$$(hook("remove-condition")))[1].click();
    await here.page.waitForFunction(() => document.querySelector("#filter-input").value === "PartitionKey eq 'EU-West'");
  });

  await t.test("an error names a wrong operator's column, and a click corrects it", async () => {
    await filter("Age gte 90");
    await shows("filter-error", "Column 5:");
    await shows("filter-error", "gte is not an operator.");
    await here.page.keyboard.type(" and ");
    await here.page.waitForSelector(hook("suggestion"));
    const [message, list] = await here.page.$$eval(`${hook("filter-error")}, .completion`, (all) => all.map((e) => e.getBoundingClientRect().toJSON()));
    assert.ok(list.top >= message.bottom, "the completion covers the message");
    for (let i = 0; i < " and ".length; i++) await here.page.keyboard.press("Backspace");
    await click("correct");
    await here.page.waitForFunction(() => document.querySelector("#filter-input").value === "Age ge 90");
    await shows("grid-row", "9");
  });

  await t.test("Tab passes through the filter, and inserts only after typing or an arrow key", async () => {
    await filter("");
    await here.page.focus(hook("columns"));
    for (let i = 0; i < 2; i++) await here.page.keyboard.press("Tab");
    await here.page.waitForFunction((run) => document.activeElement.matches(run), {}, hook("run-filter"));
    await here.page.focus("#filter-input");
    await here.page.waitForSelector(hook("suggestion"));
    await here.page.keyboard.press("ArrowDown");
    await here.page.waitForSelector(hook("suggestion") + '[aria-selected="true"]');
    await here.page.keyboard.press("Tab");
    await here.page.waitForFunction(() => document.querySelector("#filter-input").value === "PartitionKey ");
    await here.page.keyboard.press("Tab");
    await here.page.waitForFunction((run) => document.activeElement.matches(run), {}, hook("run-filter"));
    assert.equal(await here.page.$eval("#filter-input", (field) => field.value), "PartitionKey ");
  });

  await t.test("the completion shows how the values of a property are spread", async () => {
    await filter("");
    await here.page.type("#filter-input", "Ag");
    await here.page.waitForSelector(hook("suggestion"));
    await here.page.keyboard.press("ArrowDown");
    await here.page.waitForFunction(() => [...document.querySelectorAll(".spread i")].some((bar) => bar.clientHeight > 30), {});
    await here.page.keyboard.press("Escape");
  });

  await t.test("an empty result explains why and offers the likely intended filter", async () => {
    await filter("PartitionKey eq 'eu-west' and Age ge '21'");
    await shows("try", "Try PartitionKey eq 'EU-West' and Age ge 21");
    const foreseen = await here.page.waitForSelector(hook("foreseen"));
    const [, count] = /^would return (\d+) entities$/.exec(await foreseen.evaluate((e) => e.textContent));
    await click("try");
    await shows("loaded", `All ${count} `);
  });

  await t.test("the palette lists recent queries, a scan with its plan", async () => {
    await filter("Age ge 90");
    await shows("loaded", "All ");
    await press("Control", "k");
    await shows("palette-entry", "Age ge 90table scan · just now");
    await here.page.keyboard.press("Escape");
  });

  await t.test("rows are selected with the keyboard, deleted and restored", async () => {
    const loaded = () => here.page.$eval(hook("loaded"), (e) => e.textContent);
    const fewer = await loaded();
    await filter("PartitionKey eq 'EU-West'");
    await here.page.waitForFunction((selector, fewer) => ![fewer, ""].includes(document.querySelector(selector)?.textContent ?? ""), {}, hook("loaded"), fewer);
    await shows("loaded", "All ");
    const before = await loaded();
    const top = () => here.page.$eval("#row-0", (row) => row.getBoundingClientRect().top);
    const unselected = await top();
    await here.page.focus("#grid");
    await here.page.keyboard.press("Home");
    await here.page.keyboard.down("Shift");
    await here.page.keyboard.press("ArrowDown");
    await here.page.keyboard.press("ArrowDown");
    await here.page.keyboard.up("Shift");
    await shows("selected", "3 selected");
    assert.equal(await top(), unselected, "the selection moves the rows");
    await here.page.keyboard.press("Delete");
    await shows("toast-action", "Undo");
    await here.page.waitForFunction((selector, before) => document.querySelector(selector).textContent !== before, {}, hook("loaded"), before);
    await click("toast-action");
    await shows("loaded", before);
  });

  await t.test("a message stays under the pointer, and goes after it", async () => {
    await here.page.hover(".toast");
    await new Promise((resolve) => setTimeout(resolve, 6000)); // it is shown for 5 s
    assert.ok(await here.page.$(".toast:hover"));
    await here.page.mouse.move(5, 5);
    await here.page.waitForFunction(() => document.querySelector(".toast") === null);
  });

  await t.test("a hidden column stays hidden after a reload; a corrupt stored setting is dropped", async () => {
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

  await t.test("the page evaluates contains itself and reports how many rows it read", async () => {
    await here.page.goto(here.app.url + "?account=devstoreaccount1&table=Customers&contains=Name%3Aokafor", { waitUntil: "domcontentloaded" });
    await shows("loaded", "of 2,501 rows read");
  });

  await t.test("the menus open at their controls, and Escape sorts nothing", async () => {
    await here.page.goto(here.app.url + "?account=devstoreaccount1&table=Orders", { waitUntil: "domcontentloaded" });
    await shows("loaded", "200 of 18,204 loaded");
    const box = (selector) => here.page.$eval(selector, (element) => element.getBoundingClientRect().toJSON());
    const popup = async (label) => {
      await here.page.waitForSelector(`[role="dialog"][aria-label="${label}"]`);
      return box(`[role="dialog"][aria-label="${label}"]`);
    };
    for (const column of ["RowKey", "Total"]) { // the second while the first one's menu is open
      await click(`sort-${column}`);
      const menu = await popup(`Sort by ${column}`), head = await box(`th[data-column="${column}"]`);
      assert.ok(menu.top >= head.bottom && menu.top < head.bottom + 20, `the menu is at ${menu.top}, the head ends at ${head.bottom}`);
      assert.ok(menu.left <= head.left + 1 && menu.right > head.left, `the menu is at ${menu.left}, the head at ${head.left}`);
    }
    await click("sort-Total"); // again
    await here.page.waitForFunction(() => document.querySelector(".popup") === null);
    assert.equal(await here.page.evaluate(() => Object.values(localStorage).some((value) => value.includes('"sort":"Total"'))), false);
    await click("jump-menu");
    const menu = await popup("Jump to a key"), button = await box(hook("jump-menu"));
    assert.ok(menu.bottom <= button.top && menu.bottom > button.top - 20, `the menu ends at ${menu.bottom}, its button begins at ${button.top}`);
    await here.page.keyboard.press("Escape");
  });

  await t.test("a phone, whose grid has no heads, sorts from the menu of columns", async () => {
    await here.page.setViewport({ width: 390, height: 844 });
    await here.page.goto(here.app.url + "?account=devstoreaccount1&table=Orders", { waitUntil: "domcontentloaded" });
    await shows("loaded", "200 of 18,204 loaded");
    const sorted = async (name) => {
      await click("columns");
      await here.page.waitForSelector(`[data-testid="menu-sort-Total"][aria-label^="${name}"]`);
    };
    await sorted("Sort by Total");
    await click("menu-sort-Total");
    await here.page.waitForSelector(hook("sort-loaded"));
    const { left, right } = await here.page.$eval(".popup.sort", (element) => element.getBoundingClientRect().toJSON());
    assert.ok(left >= 0 && right <= 390, `the question is from ${left} to ${right}`);
    await click("sort-loaded");
    await sorted("Sorted by Total, ascending");
    await click("menu-sort-Total");
    await sorted("Sorted by Total, descending");
    await click("menu-sort-Total");
    await sorted("Sort by Total");
    await here.page.keyboard.press("Escape");
    await here.page.waitForFunction(() => document.querySelector(".popup") === null); // it may cover the filter
    await filter("PartitionKey eq '2025-01' and Quantity ge 2 and Total gt 10");
    await here.page.waitForFunction((clause) => document.querySelectorAll(clause).length === 3, {}, hook("clause"));
    await click("saved");
    await here.page.waitForSelector(".popup.saved");
    const [menu, button] = await here.page.evaluate((saved) => [".popup.saved", saved].map((selector) => document.querySelector(selector).getBoundingClientRect().toJSON()), hook("saved"));
    assert.ok(menu.top >= button.bottom && menu.top < button.bottom + 20 && menu.right <= 390, `the menu is at ${menu.top}, its button ends at ${button.bottom}`);
    await here.page.keyboard.press("Escape");
    await here.page.setViewport({ width: 1440, height: 860 });
  });

  await t.test("in a window as low as that of a zoomed page, rows are in sight after scrolling", async () => {
    await here.page.setViewport({ width: 720, height: 450 });
    await here.page.waitForFunction(() => document.querySelector("#sheet").clientHeight >= 200);
    const visible = await here.page.evaluate((row) => {
      document.querySelector("#sheet").scrollIntoView();
      return [...document.querySelectorAll(row)].filter((tr) => tr.getBoundingClientRect().top >= 0 && tr.getBoundingClientRect().bottom <= innerHeight).length;
    }, hook("grid-row"));
    assert.ok(visible >= 3, `${visible} rows are in sight`);
    await here.page.setViewport({ width: 1440, height: 860 });
  });

  await t.test("Shift and a click select the tables between", async () => {
    await here.page.goto(here.app.url + "?account=devstoreaccount1", { waitUntil: "domcontentloaded" });
    await here.page.evaluate(async () => {
      for (const TableName of ["Middle", "Other"]) await fetch("https://devstoreaccount1.table.core.windows.net/Tables", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ TableName }) });
    });
    await here.page.waitForFunction((box) => document.querySelectorAll(box).length === 4, {}, hook("select-table"));
    const press = (table) => here.page.click(`[aria-label="Select ${table}"]`);
    const selected = () => here.page.$$eval("tr[data-table][aria-selected=true]", (rows) => rows.map((row) => row.dataset.table));
    const top = () => here.page.$eval('[data-table="Customers"]', (row) => row.getBoundingClientRect().top);
    const unselected = await top();
    await press("Customers");
    await shows("delete-tables", "Delete");
    assert.equal(await top(), unselected, "the selection moves the rows");
    await click("clear-selection");
    await here.page.waitForFunction((bar) => document.querySelector(bar) === null, {}, hook("delete-tables"));
    assert.deepEqual(await selected(), []);
    await press("Customers");
    await shows("delete-tables", "Delete");
    await here.page.keyboard.down("Shift");
    await press("Orders");
    await here.page.keyboard.up("Shift");
    await here.page.waitForFunction(() => document.querySelectorAll("tr[data-table][aria-selected=true]").length === 3);
    assert.deepEqual(await selected(), ["Customers", "Middle", "Orders"]);
    assert.equal(await here.page.evaluate(() => String(getSelection())), "", "the click selects text");
    await here.page.evaluate(async () => {
      for (const name of ["Middle", "Other"]) await fetch(`https://devstoreaccount1.table.core.windows.net/Tables('${name}')`, { method: "DELETE" });
    });
  });

  await t.test("scrolling loads the next pages, and Load all the rest", async () => {
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

  await t.test("however far it is scrolled, each row is in its place, and keeps its element while it is drawn", async () => {
    const wrong = await here.page.evaluate(async (row) => {
      const sheet = document.querySelector("#sheet");
      const wrong = [];
      let before = new Map();
      // A row further, a few, a screen, up again, and far away.
      for (const top of [0, 28, 300, 800, 500, 0, 280_000, 280_400, 279_700, 1e9, 140_000, 0]) {
        sheet.scrollTop = top;
        const first = Math.floor(sheet.scrollTop / 28), last = Math.floor((sheet.scrollTop + sheet.clientHeight) / 28) - 2; // under the head
        for (const end = Date.now() + 60_000; ; await new Promise(requestAnimationFrame)) {
          if (document.querySelector(`#row-${first}`) && document.querySelector(`#row-${last}`)) break;
          if (Date.now() > end) return [`at ${top}: rows ${first} to ${last} are not drawn`];
        }
        const rows = [...document.querySelectorAll(row)], offset = sheet.getBoundingClientRect().top - sheet.scrollTop + 32;
        rows.forEach((tr, i) => {
          const n = Number(tr.dataset.row), y = Math.round(tr.getBoundingClientRect().top - offset);
          if (n !== Number(rows[0].dataset.row) + i || Number(tr.getAttribute("aria-rowindex")) !== n + 2 || y !== n * 28) wrong.push(`at ${top}: row ${n} is at ${y}`);
          if (before.has(n) && before.get(n) !== tr) wrong.push(`at ${top}: row ${n} was drawn again`);
        });
        before = new Map(rows.map((tr) => [Number(tr.dataset.row), tr]));
      }
      return wrong;
    }, hook("grid-row"));
    assert.deepEqual(wrong, []);
  });

  await t.test("keys select rows beyond those that are visible", async () => {
    await here.page.focus("#grid");
    await here.page.keyboard.press("Home");
    await here.page.keyboard.down("Shift");
    for (let i = 0; i < 4; i++) await here.page.keyboard.press("PageDown");
    await here.page.keyboard.up("Shift");
    await here.page.waitForFunction((row) => {
      const active = document.querySelector("#" + document.querySelector("#grid").getAttribute("aria-activedescendant"));
      const selected = document.querySelectorAll(row + '[aria-selected="true"]');
      return Number(active?.dataset.row) > 40 && active.classList.contains("active") && selected.length > 0 && [...selected].at(-1) === active;
    }, { polling: "mutation" }, hook("grid-row"));
    await here.page.keyboard.press("Home");
    await here.page.waitForFunction(() => document.querySelector("#row-0.active") !== null, { polling: "mutation" });
    await here.page.keyboard.press(" "); // no longer selected, as the others are
    await here.page.waitForFunction((row) => document.querySelector("#row-0").getAttribute("aria-selected") === "false" && document.querySelectorAll(row + ".selected").length > 10, { polling: "mutation" }, hook("grid-row"));
  });

  /** Has each request take so many milliseconds, so that a job can be watched and stopped. */
  const delay = (ms) => here.page.evaluate((rules) => fetch("_sandtable/accounts/devstoreaccount1/faults", {
    method: "PUT", headers: { "x-sandtable": "1", "content-type": "application/json" }, body: JSON.stringify({ rules }) }), ms ? [{ effect: "latency", median: ms, p99: ms }] : []);

  /** Deletes what is selected, and stops that; returns how many of how many are gone, as the page says. */
  async function deleteAndStop(button) {
    await click(button);
    await click("ask-choice"); // no snapshot
    await click("confirm");
    await here.page.waitForFunction((job) => /^[1-9][0-9,]* of/.test(document.querySelector(job)?.textContent), { polling: "mutation" }, hook("job"));
    const asked = () => here.page.evaluate(() => !dispatchEvent(new Event("beforeunload", { cancelable: true })));
    assert.ok(await asked(), "the browser does not ask before the page is left");
    await click("stop-job");
    await shows("job-stopped", "Stopped: ");
    assert.ok(!(await asked()), "the browser still asks");
    const words = await here.page.$eval(hook("job-stopped"), (job) => job.textContent);
    return /Stopped: ([0-9,]+) of ([0-9,]+) /.exec(words).slice(1).map((n) => Number(n.replaceAll(",", "")));
  }

  await t.test("deleting many rows shows progress, and can be stopped and undone", async () => {
    await here.page.goto(here.app.url + "?account=devstoreaccount1&table=Orders", { waitUntil: "domcontentloaded" });
    await click("load-all");
    await shows("loaded", "All 18,204 loaded");
    await click("select-all");
    await shows("selected", "18,204 selected");
    await delay(300);
    const [gone, all] = await deleteAndStop("delete-selected");
    await delay(0);
    assert.ok(all === 18204 && gone > 0 && gone < all, `${gone} of ${all} are gone`);
    await shows("table-item", (all - gone).toLocaleString("en"));
    await shows("selected", `${(all - gone).toLocaleString("en")} selected`);
    await click("undo");
    await shows("table-item", "18,204");
    await here.page.waitForFunction((undo) => document.querySelector(undo) === null, {}, hook("undo"));
  });

  await t.test("deleting many tables shows progress, and can be stopped", async () => {
    await here.page.goto(here.app.url + "?account=devstoreaccount1", { waitUntil: "domcontentloaded" });
    await here.page.evaluate(() => Promise.all(Array.from({ length: 100 }, (_, i) => fetch("https://devstoreaccount1.table.core.windows.net/Tables", {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ TableName: "Many" + i }) }))));
    const rows = (n) => here.page.waitForFunction((box, n) => document.querySelectorAll(box).length === n, {}, hook("select-table"), n);
    await rows(102);
    await click("select-tables");
    await delay(300);
    const [gone, all] = await deleteAndStop("delete-tables");
    await delay(0);
    assert.ok(all === 102 && gone > 0 && gone < all, `${gone} of ${all} are gone`);
    await rows(all - gone);
    assert.equal((await here.page.$$("tr[data-table][aria-selected=true]")).length, all - gone, "what is left is not selected");
  });

  await t.test("the page reported no error", () => {
    assert.deepEqual(here.page.problems, []);
  });
});
