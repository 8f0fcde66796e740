// What pages ask of a browser, next to a service worker, in every browser engine.

import assert from "node:assert/strict";
import { inBrowsers } from "../lib/browsers.mjs";
import { byHand, request } from "../lib/page.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const address = "https://devstoreaccount1.table.core.windows.net";

inBrowsers(suite);

function suite(engine) {
  const here = visit(async ({ page }) => {
    const headers = { "content-type": "application/json" };
    for (const [path, body] of [["Tables", { TableName: "Things" }], ["Things", { PartitionKey: "p", RowKey: "r", When: "2026-01-01T00:00:00Z", "When@odata.type": "Edm.DateTime" }]]) {
      assert.equal((await request(page, `${address}/${path}`, { method: "POST", headers, body: JSON.stringify(body) })).status, 201);
    }
  }, engine);
  const { hook, click, shows } = byHand(() => here.page);
  const go = (args) => here.page.goto(`${here.app.url}?account=devstoreaccount1&table=Things&${args}`, { waitUntil: "domcontentloaded" });

  test("an export is copied, although the table is read after the click", async () => {
    await go("page=export");
    await click("copy-export");
    await shows("copy-export", "Copied");
  });

  test("the types of an entity's properties fit their fields", async () => {
    await go("entity=p%2Fr");
    await here.page.waitForSelector(".panel .field select");
    const [given, needed] = await here.page.evaluate(() => {
      const select = [...document.querySelectorAll(".panel .field select")].find((select) => select.selectedOptions[0].textContent === "DateTime");
      const copy = select.cloneNode(true);
      copy.replaceChildren(new Option("DateTime"));
      copy.style.width = "max-content";
      select.after(copy);
      const widths = [select.offsetWidth, copy.offsetWidth];
      copy.remove();
      return widths;
    });
    assert.ok(needed <= given, `${needed} px are needed, ${given} px are there`);
  });
}
