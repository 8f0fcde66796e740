// The app through its page: clicks and keystrokes.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { test } from "../lib/test.mjs";
import { fileURLToPath } from "node:url";
import { byHand, controlled, request } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const artifacts = new URL("../artifacts/", import.meta.url);

const here = visit(async ({ page }) => {
  await page.setViewport({ width: 1280, height: 800 });
  await page.waitForSelector(hook("new-table"), { visible: true });
});
const { hook, click, shows } = byHand(() => here.page);

/** Replaces the value of the last field with a data-testid by typing. */
async function type(name, text) {
  await here.page.waitForSelector(hook(name), { visible: true });
  const field = (await here.page.$$(hook(name))).at(-1);
  await field.click({ count: 3 });
  await field.type(text);
}

/** Adds a row to the form and waits until it is the last one. */
async function addProperty() {
  const rows = await here.page.$$(hook("property-name"));
  await click("add-property");
  await here.page.waitForFunction((selector, rows) => document.querySelectorAll(selector).length > rows, {}, hook("property-name"), rows.length);
}

async function choose(name, value) {
  const field = (await here.page.$$(hook(name))).at(-1);
  await field.select(value);
}

function gone(name, text) {
  const selector = hook(name);
  return here.page.waitForFunction((selector, text) => ![...document.querySelectorAll(selector)].some((element) => element.textContent.includes(text)), {}, selector, text);
}

async function keep(name) {
  await mkdir(artifacts, { recursive: true });
  await here.page.screenshot({ path: fileURLToPath(new URL(name + ".png", artifacts)) });
}

/** A test that saves a screenshot when it fails. */
function step(t, name, work) {
  return t.test(name, async () => {
    try {
      await work();
    } catch (reason) {
      await keep("failed " + name.replaceAll(/\W+/g, " "));
      throw reason;
    }
  });
}

test("a first visit, from an empty store to a deleted table", async (t) => {
  await step(t, "a first visit requests no missing file", async () => {
    assert.deepEqual(here.page.refused, []);
  });

  await step(t, "a table is created by clicking, once its name is valid", async () => {
    await click("new-table");
    await type("table-name", "no");
    await here.page.waitForSelector(`${hook("table-name")}[aria-invalid="true"]`);
    await type("table-name", "Customers");
    await click("create-table");
    await shows("table-item", "Customers");
  });

  await step(t, "an entity is added and shown", async () => {
    await shows("table-item", "Customers");
    await click("table-item");
    await click("new-entity");
    await type("entity-pk", "north");
    await type("entity-rk", "0001");
    await addProperty();
    await type("property-name", "Age");
    await choose("property-type", "Edm.Int32");
    await type("property-value", "42");
    await click("save-entity");
    await shows("grid-row", "0001");
    await shows("grid-row", "42");
    await keep("entity");
  });

  await step(t, "a first visit is offered no update", async () => {
    assert.equal(await here.page.$(hook("update")), null);
  });

  await step(t, "the API returns the entity as entered", async () => {
    const { status, text } = await request(here.page, "https://devstoreaccount1.table.core.windows.net/Customers(PartitionKey='north',RowKey='0001')", {
      headers: { accept: "application/json;odata=nometadata" },
    });
    assert.equal(status, 200, text);
    assert.equal(JSON.parse(text).Age, 42);
  });

  await step(t, "a filter finds entities, and an invalid one shows the service's error next to it", async () => {
    await type("filter-input", "Age eq 41");
    await click("run-filter");
    await gone("grid-row", "0001");
    await type("filter-input", "Age eq 42");
    await click("run-filter");
    await shows("grid-row", "0001");
    await type("filter-input", "Age is 42");
    await click("run-filter");
    await here.page.waitForSelector(hook("filter-error"), { visible: true });
    await keep("filter-error");
  });

  await step(t, "the Connect panel shows a connection string", async () => {
    await click("connect");
    const shown = await here.page.waitForSelector(hook("connection-string"), { visible: true });
    const text = await shown.evaluate((element) => element.value ?? element.textContent);
    assert.match(text, /TableEndpoint=https:\/\/devstoreaccount1\.table\.core\.windows\.net;SharedAccessSignature=/);
    await keep("connect");
  });

  await step(t, "the tables are shown again after a reload", async () => {
    await here.page.reload({ waitUntil: "domcontentloaded" });
    await controlled(here.page);
    await shows("table-item", "Customers");
  });

  await step(t, "a click switches the color scheme", async () => {
    const background = () => here.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await background();
    for (let clicks = 0; clicks < 3 && (await background()) === before; clicks++) {
      const icon = await here.page.$eval(hook("theme-toggle"), (button) => button.innerHTML);
      await click("theme-toggle"); // cycles through light, dark and system
      await here.page.waitForFunction((selector, icon) => document.querySelector(selector).innerHTML !== icon, {}, hook("theme-toggle"), icon);
    }
    assert.notEqual(await background(), before);
    await keep("other-theme");
  });

  await step(t, "a table is deleted after confirmation", async () => {
    await click("table-item");
    await click("delete-table");
    await click("confirm");
    await gone("table-item", "Customers");
  });

  await step(t, "the page reported no error", () => {
    assert.deepEqual(here.page.problems, []);
  });
});
