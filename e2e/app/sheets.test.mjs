// On a narrow screen, panels are sheets over the page: they close by dragging them down, what they cover takes no
// focus, and a request shows its reason first.

import assert from "node:assert/strict";
import { byHand, json, request } from "../lib/page.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const phone = { width: 390, height: 844, hasTouch: true };
const here = visit(async ({ page }) => {
  await request(page, "table/devstoreaccount1/Tables", json({ TableName: "Guests" }));
  await request(page, "table/devstoreaccount1/Guests", json({ PartitionKey: "a", RowKey: "1", Name: "Amara" }));
  await page.setViewport(phone);
});
const { hook, click } = byHand(() => here.page);

const go = (args) => here.page.goto(`${here.app.url}?${args}`, { waitUntil: "domcontentloaded" });
const entity = "account=devstoreaccount1&table=Guests&entity=a%2F1";
const gone = (selector) => here.page.waitForSelector(selector, { hidden: true });

/** Drags the head of the panel by some pixels, up if they are negative. */
async function drag(by) {
  await here.page.waitForFunction(() => document.querySelector(".panel header") && document.querySelector(".panel").getAnimations().length === 0);
  const { x, y } = await here.page.$eval(".panel header", (head) => ({ x: head.getBoundingClientRect().left + 60, y: head.getBoundingClientRect().top + 12 }));
  const finger = await here.page.touchscreen.touchStart(x, y);
  for (const part of [0.3, 0.7, 1]) await finger.move(x, y + by * part);
  await finger.end();
}

/** Presses Tab until the focus has been everywhere; resolves to what had it outside of some elements. */
async function tabbedOutside(selector) {
  const outside = new Set();
  for (let i = 0; i < 60; i++) {
    await here.page.keyboard.press("Tab");
    const found = await here.page.evaluate((selector) => (document.activeElement.closest(selector) || document.activeElement === document.body ? "" : document.activeElement.outerHTML.slice(0, 80)), selector);
    if (found) outside.add(found);
  }
  return [...outside];
}

test("an entity closes when it is dragged down, and stays after a small movement", async () => {
  await go(entity);
  await here.page.waitForSelector(hook("save-entity"));
  await drag(30);
  assert.equal(await here.page.$eval(".panel", (panel) => panel.style.translate), "");
  await drag(200);
  await gone(".panel");
});

test("dragging asks before it loses a change", async () => {
  await go(entity);
  const field = await here.page.waitForSelector('[aria-label="Value of Name"]');
  await field.click({ count: 3 });
  await field.type("Berit");
  await drag(200);
  await here.page.waitForSelector("dialog.ask[open]");
  await here.page.keyboard.press("Escape");
  await gone("dialog.ask[open]");
  assert.equal(await here.page.$eval('[aria-label="Value of Name"]', (input) => input.value), "Berit");
  await drag(200);
  await click("confirm");
  await gone(".panel");
});

test("what a sheet covers takes no focus", async () => {
  await go(entity);
  await here.page.waitForSelector(hook("save-entity"));
  assert.deepEqual(await tabbedOutside(".panel, .top, .skip"), []);
  await here.page.keyboard.press("Escape");
  await gone(".panel");
  await here.page.waitForSelector(hook("grid-row"), { visible: true });
});

test("a refused request shows its reason; dragging up or a button shows the rest", async () => {
  await request(here.page, "table/devstoreaccount1/Missing()");
  for (const whole of [() => drag(-150), () => click("details")]) {
    await go("page=requests&show=failed");
    await (await here.page.waitForSelector(".request-table a")).click();
    await here.page.waitForSelector(hook("why"), { visible: true });
    assert.ok(await here.page.$eval(".panel", (panel) => panel.getBoundingClientRect().top >= innerHeight / 2), "the sheet is high");
    assert.equal(await here.page.$eval(hook("replay"), (button) => button.checkVisibility()), false);
    await whole();
    await here.page.waitForSelector(hook("replay"), { visible: true });
    await drag(200);
    await gone(".panel");
  }
});

test("the list of tables has the focus while it is open, and closes when that leaves it", async () => {
  await go("account=devstoreaccount1");
  await here.page.waitForSelector(hook("table-item"));
  await here.page.click(".menu-button");
  await here.page.waitForSelector(".drawer-open .side:focus");
  await here.page.keyboard.press("Tab");
  assert.ok(await here.page.$eval(".side", (side) => side.contains(document.activeElement)));
  for (let i = 0; i < 60 && (await here.page.$(".drawer-open .side :focus")); i++) await here.page.keyboard.press("Tab");
  await gone(".drawer-open");
});

test("the page reported no error", () => {
  assert.deepEqual(here.page.problems, []);
});
