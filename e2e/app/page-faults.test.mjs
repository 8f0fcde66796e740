// The faults of an account: what the page sets meets the SDK, is counted, and is marked in
// the list of requests.

import assert from "node:assert/strict";
import { patience } from "../lib/browser.mjs";
import { addSDK, byHand, json, request } from "../lib/page.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const here = visit(async ({ page }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await page.waitForSelector(`${hook("new-table")}:not([disabled])`);
  await request(page, "_sandtable/accounts", json({ name: "classroom" }));
  await request(page, "https://classroom.table.core.windows.net/Tables", json({ TableName: "Lesson3" }));
});
const { hook, click, shows } = byHand(() => here.page);

async function press(selector) {
  await here.page.waitForSelector(selector, { visible: true });
  await here.page.click(selector);
}

async function go(query) {
  await here.page.goto(here.app.url + query, { waitUntil: "domcontentloaded" });
}

const faults = async () => JSON.parse((await request(here.page, "_sandtable/accounts/classroom/faults")).text);

/** Waits until the endpoint's faults fulfil a condition, which the page causes. */
async function until(holds) {
  for (const end = Date.now() + patience; Date.now() < end; ) {
    const state = await faults();
    if (holds(state)) return state;
    await here.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
  assert.fail(JSON.stringify(await faults()));
}

/** Inserts an entity with the SDK in the page, without retries; returns the status. */
function insert(row) {
  return here.page.evaluate(async (rowKey) => {
    const client = new sdk.TableClient("https://classroom.table.core.windows.net", "Lesson3", { retryOptions: { maxRetries: 0 } });
    return client.createEntity({ partitionKey: "p", rowKey }).then(() => 204, ({ statusCode, code }) => statusCode ?? code);
  }, row);
}

test("a preset switches faults on, and every page of the account says so", async () => {
  await go("?account=classroom&page=faults");
  await click("preset-lost");
  await shows("fault-bar", "Faults are on in classroom");
  await shows("fault-status", "1 rule, 1 on");
  const { on, rules } = await until(({ rules }) => rules.length === 1);
  assert.deepEqual([on, rules[0].effect, rules[0].share], [true, "answerLost", 0.05]);
  await here.page.waitForSelector(".account-row .dot");
  await go("?account=classroom");
  await shows("banner", "Faults are on in classroom.");
  await go("?account=devstoreaccount1");
  await here.page.waitForSelector(".account-row .dot"); // the faults are known
  assert.equal(await here.page.$(hook("banner")), null, "another account has a banner");
  await go("?account=classroom&table=Lesson3");
  await shows("banner", "Faults are on in classroom.");
  await click("show-faults");
  await shows("fault-bar", "Faults are on");
});

test("a rule is written in the form, whose fields follow what happens", async () => {
  await click("new-rule");
  await here.page.waitForSelector(hook("fault-operation"));
  await here.page.select(hook("fault-operation"), "Insert Entity");
  await here.page.waitForSelector(hook("fault-table") + ' option[value="Lesson3"]'); // the tables may be read late
  await here.page.select(hook("fault-table"), "Lesson3");
  await press('[data-effect="latency"]');
  await here.page.waitForSelector(hook("fault-p99"));
  await press('[data-effect="throttle"]');
  await here.page.waitForSelector(hook("fault-rate"));
  assert.equal(await here.page.$(hook("fault-p99")), null);
  await press('[data-effect="ServerBusy"]');
  await press('[data-choice="every"]');
  const every = await here.page.waitForSelector(hook("fault-every"));
  await every.click({ count: 3 });
  await every.type("0");
  await click("save-rule");
  await here.page.waitForSelector(".fault-form [role=alert]");
  await every.click({ count: 3 });
  await every.type("2");
  await here.page.keyboard.press("Enter");
  const { rules } = await until(({ rules }) => rules.length === 2);
  const { operation, table, effect, every: nth } = rules[1];
  assert.deepEqual({ operation, table, effect, nth }, { operation: "Insert Entity", table: "Lesson3", effect: "ServerBusy", nth: 2 });
});

test("rules are moved and switched by keyboard, and by dragging", async () => {
  await here.page.waitForSelector("#fault-rule-2");
  await here.page.focus("#fault-rule-2");
  await here.page.keyboard.down("Alt");
  await here.page.keyboard.press("ArrowUp");
  await here.page.keyboard.up("Alt");
  await until(({ rules }) => rules[0].effect === "ServerBusy");
  await here.page.waitForSelector("#fault-rule-1:focus");
  await here.page.keyboard.press("ArrowDown");
  await here.page.waitForSelector("#fault-rule-2:focus");
  await here.page.keyboard.press("Space");
  await until(({ rules }) => rules[1].effect === "answerLost" && !rules[1].on);
  await here.page.evaluate(() => {
    const [first, second] = document.querySelectorAll("[data-rule]");
    const dataTransfer = new DataTransfer();
    const fire = (to, name) => to.dispatchEvent(new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true }));
    fire(second, "dragstart");
    if (fire(first, "dragover")) throw new Error("nothing can be dropped here");
    fire(first, "drop");
  });
  await until(({ rules }) => rules[0].effect === "answerLost");
  await here.page.waitForFunction(() => !document.querySelector('[data-rule="0"]').textContent.includes("ServerBusy"));
  await here.page.focus("#fault-rule-1");
  await here.page.keyboard.press("Delete");
  await until(({ rules }) => rules.length === 1 && rules[0].effect === "ServerBusy");
  await click("toast-action");
  await until(({ rules }) => rules.length === 2 && rules[0].effect === "answerLost");
  await here.page.waitForSelector("#fault-rule-2");
  await here.page.focus("#fault-rule-1");
  await here.page.keyboard.press("Delete");
  await until(({ rules }) => rules.length === 1);
});

test("hits are counted live and marked in the requests with the rule's number", async () => {
  await addSDK(here.page);
  assert.deepEqual([await insert("1"), await insert("2"), await insert("3")], [204, 503, 204]);
  await shows("fault-count", "1 of ");
  await shows("fault-hits", "503 ServerBusy · rule 1");
  await shows("fault-rules", "every 2nd");
  await click("reset-counters");
  await shows("fault-count", "0 of 0");
  await click("show-hits");
  const mark = await here.page.waitForSelector('td[data-fault="1"]');
  assert.equal(await mark.evaluate((e) => e.textContent), "rule 1 ServerBusy");
  await mark.click();
  await shows("fault", "On purpose: 503 ServerBusy · rule 1");
  await press(`${hook("fault")} a`);
  await shows("fault-bar", "Faults are on");
});

test("faults are switched off, and nothing fails", async () => {
  await click("fault-switch");
  await shows("fault-bar", "Faults are off in classroom");
  await until(({ on }) => !on);
  await here.page.waitForFunction(() => document.querySelector(".account-row .dot") === null);
  await addSDK(here.page);
  assert.deepEqual([await insert("4"), await insert("5")], [204, 204]);
  assert.equal((await faults()).requests, 0);
});

test("rules of a test appear by themselves", async () => {
  const rules = [{ operation: "any", effect: "connectionCut", hits: 1 }];
  await request(here.page, "_sandtable/accounts/classroom/faults", json({ seed: 20261120, rules }, "PUT"));
  await shows("fault-rules", "connection cut");
  await shows("fault-status", "seed 20261120");
  assert.equal(await insert("6"), "REQUEST_SEND_ERROR");
  await shows("fault-hits", "connection cut · rule 1");
});

test("on a narrow screen nothing is cut", async () => {
  await here.page.setViewport({ width: 360, height: 760 });
  await here.page.waitForSelector("#fault-rule-1");
  const wide = await here.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `the page is ${wide} px wide`);
  await click("new-rule");
  await here.page.waitForSelector(hook("fault-form"));
  assert.ok((await here.page.evaluate(() => document.querySelector(".panel .body").scrollWidth)) <= 360);
});
