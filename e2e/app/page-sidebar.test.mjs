// An account with more tables than fit on the screen, and a table that is deleted elsewhere.

import { addSDK, byHand, connection } from "../lib/page.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const here = visit(async ({ page, app }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await page.evaluate(async ({ connectionString }) => {
    const service = sdk.TableServiceClient.fromConnectionString(connectionString);
    for (let i = 100; i < 180; i++) await service.createTable(`T${i}`);
  }, await connection(page));
  await page.goto(`${app.url}?account=devstoreaccount1&table=T170`, { waitUntil: "domcontentloaded" });
});
const { hook, shows, gone } = byHand(() => here.page);

/** Waits until the sidebar shows the current table, which is this one. */
const current = (name) => here.page.waitForFunction((name) => {
  const item = document.querySelector(".side [aria-current]");
  if (item?.dataset.table !== name) return false;
  const list = item.closest(".list").getBoundingClientRect();
  const { top, bottom } = item.getBoundingClientRect();
  return top >= list.top && bottom <= list.bottom;
}, {}, name);

test("the current table is in sight", async () => {
  await current("T170");
  await here.page.evaluate((selector) => document.querySelector(selector).click(), `${hook("table-item")}[data-table="T101"]`);
  await current("T101");
});

test("the box for all tables is above the rows that scroll under it", async () => {
  await here.page.goto(`${here.app.url}?account=devstoreaccount1`, { waitUntil: "domcontentloaded" });
  await here.page.waitForSelector(hook("select-table"));
  for (const from of [1, 9, 17, 25]) { // under which the box of another row would be at some time
    await here.page.$eval(".scroller", (list, from) => list.scrollTo(0, from), from);
    await here.page.click(hook("select-tables"));
    await here.page.waitForFunction(() => document.querySelector(".selection")?.textContent.includes("80 selected"));
    await here.page.click(hook("clear-selection"));
    await here.page.waitForFunction(() => !document.querySelector(".selection"));
  }
});

test("the first press of Tab leads past the tables", async () => {
  await here.page.goto(`${here.app.url}?account=devstoreaccount1&table=T170`, { waitUntil: "domcontentloaded" });
  await here.page.waitForSelector(hook("table-item"));
  await here.page.keyboard.press("Tab");
  await here.page.waitForFunction(() => {
    const { activeElement: now } = document;
    return now.textContent.includes("Skip to content") && now.getBoundingClientRect().top >= 0 && getComputedStyle(now).clipPath === "none";
  });
  await here.page.keyboard.press("Enter");
  await here.page.waitForFunction(() => document.activeElement.matches("main h1"));
});

test("a table that is deleted elsewhere leads back, and comes back when it is created again", async () => {
  await addSDK(here.page);
  const endpoint = await connection(here.page);
  const service = (method) => here.page.evaluate(async ({ connectionString }, method) => {
    await sdk.TableServiceClient.fromConnectionString(connectionString)[method]("T170");
  }, endpoint, method);
  const text = (text) => here.page.waitForFunction((text) => document.querySelector("main").textContent.includes(text), {}, text);
  await text("No entities in T170");
  await service("deleteTable");
  await text("There is no table T170");
  await service("createTable");
  await text("No entities in T170");
  await here.page.click(hook("new-entity"));
  await (await here.page.waitForSelector("#entity-rk")).type("kept");
  await service("deleteTable");
  await shows("banner", "There is no table T170 any more.");
  await here.page.waitForFunction(() => document.querySelector("#entity-rk").value === "kept");
  await service("createTable");
  await gone("banner");
  await here.page.waitForFunction(() => document.querySelector("#entity-rk").value === "kept");
});
