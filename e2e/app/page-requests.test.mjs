// The request journal page: it lists another tab's requests, explains a refused
// one and copies a request as code.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { addSDK, byHand, clickStill, open } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const base = "https://devstoreaccount1.table.core.windows.net";
const evil = "<img src=x onerror=globalThis.hacked=1>";

let other; // a second tab, whose calls the page lists

const here = visit(async ({ app, browser, page }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await browser.defaultBrowserContext().overridePermissions(new URL(app.url).origin, ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"]).catch(() => {});
  other = await open(browser, app.url);
  await addSDK(other);
  await page.bringToFront();
  await click("entry-requests");
  await page.waitForSelector(hook("request-count"));
});
const { hook, click, shows, gone } = byHand(() => here.page);

/** Opens the newest request whose row contains a text. */
async function openRow(text) {
  await shows("requests", text);
  const id = await here.page.evaluate((text) => {
    const row = [...document.querySelectorAll('[data-testid="requests"] tr')].find((row) => row.textContent.includes(text));
    row.querySelector("a").click();
    return row.dataset.request;
  }, text);
  await here.page.waitForSelector(`${hook("request-panel")}[data-request="${id}"]`, { visible: true });
}

/** Sends a request from the other tab. */
function call(path, options = {}) {
  return other.evaluate(async (url, options) => (await fetch(url, options)).status, base + path, { ...options, headers: { accept: "application/json", "x-ms-version": "2019-02-02", "content-type": "application/json", ...options.headers } });
}

test("the request journal, from the first request to an empty list", async (t) => {
  await t.test("requests of the SDK in another tab are listed", async () => {
    await other.evaluate(async (base) => {
      const client = new sdk.TableClient(base, "Orders");
      await client.createTable();
      await client.createEntity({ partitionKey: "p", rowKey: "r", Total: 5 });
      for await (const _ of client.listEntities({ queryOptions: { filter: "Total gt 1 and PartitionKey eq 'p'" } }));
    }, base);
    await openRow("$filter=Total");
    await shows("filter-tree", "is greater than");
    await shows("outcome", "200");
    assert.match(here.page.url(), /id=\d+/);
  });

  await t.test("a request is copied as curl", async () => {
    await click("copy-as");
    await click("copy-curl");
    await here.page.waitForFunction(() => document.querySelector(".toasts").textContent.includes("Copied as curl"));
    const text = await here.page.evaluate(() => navigator.clipboard.readText());
    assert.match(text, /curl -X GET 'http:\/\/127\.0\.0\.1:10002\/devstoreaccount1\/Orders\(\)\?\$filter=Total%20gt%201/);
    assert.doesNotMatch(text, /sig=|REDACTED/);
  });

  await t.test("a refused request shows the reason and both strings to sign", async () => {
    const status = await other.evaluate(async (base) => {
      const secret = Uint8Array.from(atob("Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="), (c) => c.charCodeAt(0));
      const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
      const text = "r\n\n2036-12-20T00:00:00Z\n/table/devstoreaccount1/Orders\n\n\n\n2019-02-02\n\n\n\n";
      const signature = btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text)))));
      const token = new URLSearchParams({ sv: "2019-02-02", tn: "Orders", sp: "r", se: "2036-12-20T00:00:00Z", sig: signature });
      return (await fetch(`${base}/Orders()?${token}`, { headers: { accept: "application/json" } })).status;
    }, base);
    assert.equal(status, 403);
    await openRow("signature");
    await shows("why", "must be in lower case");
    const marks = await here.page.$$eval(`${hook("strings")} mark`, (all) => all.map((mark) => mark.textContent));
    assert.deepEqual(marks, ["Orders", "orders"]);
  });

  await t.test("pause holds new requests back, and a resent request is listed", async () => {
    await click("pause");
    await call("/Orders()?$top=7");
    await shows("held", "1 new request");
    await click("pause");
    await openRow("$top=7");
    await click("replay");
    await shows("replayed", "Sent again: 200");
  });

  await t.test("HTML in any field is shown as text", async () => {
    await call(`/Orders()?$filter=${encodeURIComponent(evil)}&odd=${encodeURIComponent(evil)}`, { headers: { "x-ms-client-request-id": evil } });
    await call("/Orders", { method: "POST", body: JSON.stringify({ PartitionKey: evil, RowKey: evil, Name: evil }) });
    await here.page.waitForFunction(() => document.querySelector('[data-testid="requests"] tr[data-request]').textContent.includes("insert")); // the newest one
    for (const [row, tabs] of [["$filter=<img", ["why", "request", "response", "plan"]], ["insert", ["request", "response"]]]) {
      await openRow(row);
      for (const tab of tabs) {
        await clickStill(here.page, `[data-choice="${tab}"]`);
        await here.page.waitForSelector(hook(`part-${tab}`));
      }
    }
    assert.deepEqual(await here.page.evaluate(() => [globalThis.hacked ?? "safe", document.querySelectorAll(".page img").length]), ["safe", 0]);
    assert.deepEqual(here.page.problems, []);
  });

  await t.test("next to a request, each row of a narrow list shows its resource", async () => {
    await here.page.setViewport({ width: 900, height: 860 });
    const widths = await here.page.$$eval(`${hook("requests")} .resource`, (all) => all.map((cell) => cell.clientWidth));
    assert.ok(widths.length > 0 && widths.every((width) => width > 100), `${widths}`);
    await here.page.setViewport({ width: 1440, height: 860 });
  });

  await t.test("clear empties the list, and Escape closes the panel", async () => {
    await here.page.keyboard.press("Escape");
    await gone("request-panel");
    await click("clear");
    await here.page.waitForFunction((selector) => document.querySelector(selector).textContent.startsWith("0 requests"), {}, hook("request-count"));
    await call("/Orders(PartitionKey='1',RowKey='none')");
    await shows("request-count", "1 request ·");
    await here.page.reload({ waitUntil: "domcontentloaded" });
    await shows("request-count", "1 request ·");
  });
});
