// The keyboard's focus never falls to the body: it returns to what opened a dialog,
// stays in a panel, or goes to the heading of the page that appears.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { inBrowsers } from "../lib/browsers.mjs";
import { byHand } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";


inBrowsers(suite);

function suite(engine) {
  const here = visit(async ({ page, app }) => {
    await page.setViewport?.({ width: 1440, height: 860 });
    await page.goto(`${app.url}?account=devstoreaccount1`, { waitUntil: "domcontentloaded" });
  }, engine);
  const { hook, press, shows, gone } = byHand(() => here.page);
  const evaluate = (...work) => here.page.evaluate(...work);

  /** Waits until an element that matches has the focus, with a text in it or in its name. */
  async function focused(selector, text = "") {
    const wait = here.page.waitForFunction((selector, text) => {
      const { activeElement: now } = document;
      return now.matches(selector) && (now.textContent + (now.ariaLabel ?? "")).includes(text);
    }, {}, selector, text);
    await wait.catch(async (error) => assert.fail(`${selector} with “${text}” does not have the focus, but ${await evaluate(() => document.activeElement.outerHTML.slice(0, 200))}: ${error.message}`));
  }

  /** Moves the focus to an element, as Tab does. */
  async function tabTo(selector) {
    await here.page.waitForSelector(selector, { visible: true });
    await evaluate((selector) => document.querySelector(selector).focus(), selector);
    await focused(selector);
  }

  async function enter(selector) {
    await tabTo(selector);
    if (here.page.keyboard) await press("Enter");
    else await evaluate((selector) => document.querySelector(selector).click(), selector);
  }

  const slow = engine.name === "WebKit" && "it takes a quarter of a minute to load them, and the next test shows that a heading gets the focus";
  test("after the sample data is loaded, the table's heading has it", { skip: slow }, async () => {
    await enter(hook("load-sample"));
    await shows("grid-row", "");
    await focused("main h1", await evaluate(() => new URLSearchParams(location.search).get("table")));
  });

  test("starting a lesson, and leaving it", async () => {
    await enter(hook("entry-lessons"));
    await here.page.waitForSelector(hook("lessons-next"));
    await focused(hook("entry-lessons"));
    await enter(hook("continue"));
    await here.page.waitForSelector(hook("checks"), { visible: true });
    await focused("main h1", "Lessons");
    await enter(hook("entry-requests"));
    await focused(hook("entry-requests"));
  });

  if (engine.name !== "WebKit") {
    rest({ here, hook, shows, gone, evaluate, focused, tabTo, press, enter }); // its driver has no keys
  }
}

/** What needs keys. */
function rest({ here, hook, shows, gone, evaluate, focused, tabTo, press, enter }) {
  const type = (text) => here.page.keyboard.type(text);
  const toast = (text) => here.page.waitForFunction((text) => [...document.querySelectorAll(".toast")].some(({ textContent }) => textContent.includes(text)), {}, text);

  async function openTable() {
    await here.page.goto(`${here.app.url}?account=devstoreaccount1&table=Guests`, { waitUntil: "domcontentloaded" });
    await shows("grid-row", "Guest");
  }

  async function openPanel() {
    await openTable();
    await tabTo("#grid");
    await press("Home");
    await press("Enter");
    await here.page.waitForSelector(nameField);
    await focused("#panel-title");
  }

  const nameField = '.panel [aria-label="Value of Name"]';

  test("a table is made and the form is left", async () => {
    await enter(hook("entry-requests"));
    await enter(hook("account-item"));
    await enter(hook("new-table-here"));
    await focused(hook("table-name"));
    await press("Escape");
    await gone("table-name");
    await focused(hook("new-table-here"));
    await enter(hook("new-table"));
    await focused(hook("table-name"));
    await enter(".side form button:not([type=submit])");
    await gone("table-name");
    await focused(hook("new-table"));
    await enter(hook("new-table"));
    await focused(hook("table-name"));
    await type("Guests");
    await press("Enter");
    await here.page.waitForSelector(hook("new-entity"));
    await focused("main h1", "Guests");
    await evaluate(async () => {
      const insert = (entity) => fetch("https://devstoreaccount1.table.core.windows.net/Guests", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(entity) });
      for (let i = 0; i < 5; i++) await insert({ PartitionKey: "a", RowKey: String(i), Name: `Guest ${i}` });
    });
  });

  test("the command palette", async () => {
    await openTable();
    await tabTo("#grid");
    await press("Control", "k");
    await focused(hook("palette-field"));
    await press("Escape");
    await gone("palette-field");
    await focused("#grid");
    for (const command of ["> theme", "> theme"]) {
      await press("Control", "k");
      await focused(hook("palette-field"));
      await type(command);
      await shows("palette-entry", "Switch the theme");
      await press("Enter");
      await gone("palette-field");
      await focused("#grid");
    }
    await enter(hook("search"));
    await focused(hook("palette-field"));
    await type("> go to export");
    await shows("palette-entry", "Go to Export");
    await press("Enter");
    await here.page.waitForSelector(hook("preview"));
    await here.page.waitForFunction(() => document.activeElement.tagName !== "BODY", { polling: 50 });
    await enter(hook("search"));
    await focused(hook("palette-field"));
    await type("> go to access");
    await shows("palette-entry", "Go to Access");
    await press("Enter");
    await gone("palette-field");
    await focused("main h1", "Access");
  });

  test("tabs, and back", async () => {
    await openTable();
    await enter(hook("tab-partitions"));
    await focused("main h1", "Partitions");
    await evaluate(() => history.back());
    await shows("grid-row", "Guest");
    await focused("main h1", "Guests");
  });

  test("the entity panel: save, close, delete, undo", async () => {
    await openPanel();
    await tabTo(nameField);
    await press("End");
    await type("!");
    await press("Control", "Enter");
    await toast("Saved");
    await focused(nameField);
    await type("?");
    await press("Escape");
    await focused(`dialog ${hook("cancel")}`);
    await press("Escape");
    await gone("cancel");
    await focused(nameField);
    await enter(hook("save-entity"));
    await shows("grid-row", "Guest 0!?");
    await focused(hook("save-entity"));
    await press("Escape");
    await gone("save-entity");
    await focused("#grid");
    await enter(hook("new-entity"));
    await focused("#entity-pk");
    await type("a");
    await tabTo("#entity-rk");
    await type("new");
    await enter(hook("save-entity"));
    await here.page.waitForSelector(hook("duplicate-entity"));
    await focused(`.panel ${hook("save-entity")}`);
    await enter(hook("delete-entity"));
    await gone("save-entity");
    await focused("#grid, " + hook("new-entity"));
    await enter(hook("toast-action"));
    await toast("Restored");
    await focused("#grid, " + hook("new-entity"));
  });

  test("the entity panel: a property is added, by a click and by a key", async () => {
    await openPanel();
    for (const [add, name] of [[() => here.page.click(hook("add-property")), "Tier"], [() => enter(hook("add-property")), "Size"]]) {
      await tabTo(nameField);
      await add();
      await focused(".panel " + hook("property-name"));
      await type(name);
      assert.equal(await evaluate(() => document.activeElement.value), name);
      await press("Escape");
      await enter(`dialog ${hook("confirm")}`);
      await gone("save-entity");
      await openPanel();
    }
  });

  test("conditions are added and removed", async () => {
    await openTable();
    await enter(hook("add-condition"));
    await focused(hook("clause-property"));
    await enter(hook("add-condition"));
    await focused('[data-clause="1"] ' + hook("clause-property"));
    await enter('[data-clause="0"] ' + hook("remove-condition"));
    await focused(hook("remove-condition"));
    await press("Enter");
    await gone("clause");
    await focused(hook("add-condition"));
  });

  test("rows are sorted, and a jump to a key reads them from there", async () => {
    await openTable();
    await enter(hook("columns"));
    await enter(hook("menu-sort-Name"));
    await here.page.waitForSelector('th[data-column="Name"][aria-sort="ascending"]');
    await focused(hook("columns"));
    for (const [menu, last] of [["columns", "reset-columns"], ["saved", "query-name"], ["jump-menu", "jump"]]) {
      await enter(hook(menu));
      await tabTo(hook(last));
      await tabTo("#grid");
      await gone(last);
      await focused("#grid");
    }
    await enter(hook("jump-menu"));
    await focused("#popup-first");
    await type("a");
    await press("Enter");
    await here.page.waitForFunction(() => location.search.includes("from=a"));
    await gone("jump");
    await focused("#grid");
  });

  test("a button that is disabled for a moment gets it back", async () => {
    await openTable();
    await evaluate(() => new Promise((placed) => requestAnimationFrame(() => requestAnimationFrame(placed)))); // the page has placed the focus
    await tabTo(hook("new-entity"));
    await evaluate(async (selector) => {
      const button = document.querySelector(selector);
      const lost = new Promise((resolve) => button.addEventListener("blur", resolve, { once: true }));
      button.disabled = true;
      await lost;
      button.disabled = false; // before the next frame
    }, hook("new-entity"));
    await focused(hook("new-entity"));
  });

  test("rows are deleted, and restored", async () => {
    await openTable();
    await tabTo("#grid");
    await press("Home");
    await press(" ");
    await shows("selected", "1 selected");
    await enter(hook("delete-selected"));
    await gone("selected");
    await focused("#grid");
    await enter(hook("toast-action"));
    await toast("Restored");
    await focused("#grid");
  });

  test("menus and the bulk edit", async () => {
    await openTable();
    await enter(hook("columns"));
    await here.page.waitForSelector(hook("reset-columns"));
    await tabTo(hook("reset-columns"));
    await press("Escape");
    await gone("reset-columns");
    await focused(hook("columns"));
    await enter(hook("jump-menu"));
    await tabTo(hook("jump"));
    await press("Escape");
    await gone("jump");
    await focused(hook("jump-menu"));
    await tabTo("#grid");
    await press("Home");
    await press(" ");
    await shows("selected", "1 selected");
    await enter(hook("edit-selected"));
    await focused(hook("edit-property"));
    await press("Escape");
    await gone("edit-property");
    await focused("#grid, " + hook("edit-selected"));
  });

  test("a press on a dialog's text does not lose the element that opened it", async () => {
    await openTable();
    await enter(hook("search"));
    await focused(hook("palette-field"));
    await evaluate(() => document.activeElement.blur());
    await here.page.waitForFunction(() => document.activeElement === document.body);
    await evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await evaluate(() => document.querySelector("dialog[open]").dispatchEvent(new Event("cancel", { cancelable: true }))); // as Escape does
    await gone("palette-field");
    await focused(hook("search"));
  });

  test("a check and a compaction are stopped where they were started", async () => {
    await openTable();
    await evaluate(() => { // as the store answers when it is large, also to what there is to gain
      const real = globalThis.fetch;
      globalThis.fetch = async (url, options) => (!/\/(verify|compact)$/.test(url) ? real(url, options) : new Response(new ReadableStream({
        start: (body) => options.signal.addEventListener("abort", () => body.error(options.signal.reason)),
      })));
    });
    await enter(hook("status-pill"));
    for (const [button, label] of [["verify", "Check the tables"], ["compact", "Compact"]]) {
      await enter(hook(button));
      await shows(button, "Stop");
      await focused(hook(button), "Stop");
      await press("Enter");
      await shows(button, label);
      await focused(hook(button), label);
    }
  });

  test("a table is deleted, after a question", async () => {
    await openTable();
    await enter(hook("delete-table"));
    await focused(`dialog ${hook("cancel")}`);
    await press("Escape");
    await gone("cancel");
    await focused(hook("delete-table"));
    await enter(hook("delete-table"));
    await focused(`dialog ${hook("cancel")}`);
    await enter(hook("confirm"));
    await here.page.waitForSelector(hook("select-table"));
    await focused("main h1", "devstoreaccount1");
    await enter(hook("select-table"));
    await enter(hook("delete-tables"));
    await enter(hook("confirm"));
    await gone("delete-tables");
    await toast("Deleted 1 table");
    await here.page.waitForFunction(() => document.activeElement.tagName !== "BODY", { polling: 50 });
  });
}
