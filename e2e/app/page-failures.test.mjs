// An endpoint that is down, refuses or is busy: the page says which, keeps what was typed, and continues with
// "Try again", or by itself. What the browser has stored can be anything, and never keeps the page from opening.

import assert from "node:assert/strict";
import { list, otherEndpoint, refusal } from "../lib/other-endpoint.mjs";
import { byHand } from "../lib/page.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const amara = { PartitionKey: "p", RowKey: "1", Name: "Amara", "odata.etag": 'W/"1"' };
const isQuery = (path) => /^\/Things(\(\))?$/.test(path);
function good(path, method) {
  if (method !== "GET") return { status: 204, headers: { etag: 'W/"2"' } };
  if (path === "/Tables") return list({ TableName: "Things" });
  return isQuery(path) ? list(amara) : { status: 200, headers: { etag: 'W/"1"' }, body: amara };
}
const other = otherEndpoint(good);
const here = visit(async ({ page }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await page.waitForSelector(`${hook("new-table")}:not([disabled])`);
});
const { hook, click, replace, shows, gone } = byHand(() => here.page);

const go = (args) => here.page.goto(`${here.app.url}?account=${encodeURIComponent(other.id())}&${args}`, { waitUntil: "domcontentloaded" });

/** Expects texts in the failure, and rows after trying again. */
async function untilTriedAgain(...texts) {
  for (const text of texts) await shows("filter-error", text);
  other.answer = good;
  await click("try-again");
  await shows("grid-row", "Amara");
  await gone("filter-error");
}

test("connected and remembered", async () => {
  await here.page.goto(`${here.app.url}?page=endpoint`, { waitUntil: "domcontentloaded" });
  await replace("endpoint-text", other.connection());
  await click("remember");
  await click("connect-endpoint");
  await shows("table-item", "Things");
});

test("down: the page says that nothing answers, and reads by itself when it is up", async () => {
  await other.stop();
  await go("table=Things");
  await shows("outage", `Nothing answers at 127.0.0.1:${other.port}. Is the server running?`);
  await here.page.waitForFunction(() => document.querySelector(".side").textContent.includes("Nothing answers"));
  await other.start();
  await shows("grid-row", "Amara");
  await gone("outage");
});

test("down while rows are shown: they stay, and trying is stopped and begun again by hand", async () => {
  await other.stop();
  await here.page.keyboard.press("F5");
  await shows("outage", "What you last saw of Things is shown below, from ");
  await here.page.waitForFunction((at) => /Next tryin \d+ sTries so far\d/.test(document.querySelector(at)?.textContent), {}, hook("outage"));
  await shows("grid-row", "Amara");
  await click("stop-trying");
  await gone("stop-trying");
  await shows("outage", "Nothing answers");
  await click("try-again");
  await here.page.waitForSelector(hook("stop-trying"), { visible: true });
  await other.start();
  await shows("loaded", "All 1 loaded");
  await gone("outage");
});

test("down while a change is saved: what was typed stays, and is saved when it is up", async () => {
  await go(`table=Things&entity=${encodeURIComponent("p/1")}`);
  const field = await here.page.waitForSelector('.panel [aria-label="Value of Name"]');
  await field.click({ count: 3 });
  await field.type("Bo");
  await other.stop();
  await click("save-entity");
  await shows("entity-error", "Nothing answers");
  assert.equal(await field.evaluate((input) => input.value), "Bo");
  await other.start();
  let saved = amara;
  other.answer = (path, method) => {
    if (method === "PUT") saved = { ...amara, Name: "Bo" };
    return path.startsWith("/Things(P") && method === "GET" ? { status: 200, headers: {}, body: saved } : good(path, method);
  };
  await click("save-entity");
  await shows("grid-row", "Bo");
  await gone("entity-error");
});

test("403: the service's code and message", async () => {
  other.answer = () => refusal(403, "AuthorizationFailure", "This request is not authorized to perform this operation.\nRequestId:1\nTime:2026-11-23T00:00:00Z");
  await go("table=Things");
  await untilTriedAgain("AuthorizationFailure", "not authorized to perform this operation.");
});

test("503 with a long pause: it is named at once, and nothing is sent meanwhile", async () => {
  let queries = 0;
  other.answer = (path, method) => {
    if (!isQuery(path)) return good(path, method);
    queries++;
    return refusal(503, "ServerBusy", "The server is busy.", { "retry-after": "30" });
  };
  await go("table=Things");
  await shows("filter-error", "The server is busy. The endpoint asks for a pause of 30 s.");
  assert.equal(queries, 1);
  await untilTriedAgain("ServerBusy");
});

test("503 with a short pause: the page waits, and asks again by itself", async () => {
  let queries = 0;
  other.answer = (path, method) => (isQuery(path) && ++queries < 3 ? refusal(503, "ServerBusy", "The server is busy.", { "retry-after": "0" }) : good(path, method));
  await go("table=Things");
  await shows("grid-row", "Amara");
  assert.equal(queries, 3);
});

test("an answer that cannot be read is quoted", async () => {
  other.answer = () => ({ status: 200, headers: { "content-type": "text/html" }, body: "Welcome to nginx!" });
  await go("table=Things");
  await untilTriedAgain("The endpoint's answer cannot be read", "Welcome to nginx!");
});

test("the tables of an account that refuses to list them", async () => {
  other.answer = () => refusal(403, "AuthorizationFailure", "Not you.");
  await go("");
  await here.page.waitForFunction(() => document.querySelector(".work").textContent.includes("AuthorizationFailure"));
  other.answer = good;
  await click("try-again");
  await here.page.waitForFunction(() => [...document.querySelectorAll(".work td a")].some((link) => link.textContent === "Things"));
});

test("without a network the page says so, and the tables of this browser work", async () => {
  await here.page.goto(`${here.app.url}?page=endpoint`, { waitUntil: "domcontentloaded" });
  await replace("endpoint-text", "DefaultEndpointsProtocol=https;AccountName=contoso;AccountKey=c2VjcmV0;TableEndpoint=https://contoso.table.example.invalid");
  await here.page.setOfflineMode(true);
  await click("connect-endpoint");
  await shows("endpoint-problem", "This computer is offline");
  await click("new-table");
  await replace("table-name", "Offline");
  await click("create-table");
  await shows("loaded", "No entities");
  await here.page.setOfflineMode(false);
});

test("whatever is stored of the user's choices, the page opens", async () => {
  const keys = await here.page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("sandtable.")));
  assert.ok(keys.some((key) => key.startsWith("sandtable.endpoints")), `only ${keys}`);
  for (const text of ['{"half":', "null", '[{"account":5}]', '{"sort":{},"order":[1],"theme":[]}']) {
    await here.page.evaluate((keys, text) => keys.forEach((key) => localStorage.setItem(key, text)), keys, text);
    await here.page.goto(`${here.app.url}?account=devstoreaccount1&table=Offline`, { waitUntil: "domcontentloaded" });
    await shows("loaded", "No entities");
    await click("saved");
    await gone("remote-item");
  }
});

test("it is said once that the columns of a table could not be read", async () => {
  const address = `${here.app.url}?account=devstoreaccount1&table=Offline`;
  await click("zone"); // which is kept with the columns
  await shows("zone", "Local time");
  await here.page.evaluate(() => localStorage.setItem(Object.keys(localStorage).find((key) => /^sandtable\.columns .*\/Offline$/.test(key)), '{"half":'));
  await here.page.goto(address, { waitUntil: "domcontentloaded" });
  await here.page.waitForFunction(() => document.querySelector(".toast")?.textContent.includes("of Offline could not be read"));
  await here.page.goto(address, { waitUntil: "domcontentloaded" });
  await shows("loaded", "No entities");
  assert.equal(await here.page.$(".toast"), null);
});

test("the page reported no error", () => {
  assert.deepEqual(here.page.problems, []);
});
