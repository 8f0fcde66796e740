// The partitions of a table: the map follows what is written and read, names the hot one, and computes other keys.

import assert from "node:assert/strict";
import { byHand, request } from "../lib/page.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const here = visit(async ({ page, app }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await send("POST", "Tables", { TableName: "Orders" });
  for (let i = 0; i < 12; i++) await insert(`2026-${String(i % 4 + 1).padStart(2, "0")}`, String(i), { Customer: ["acme", "contoso", "fabrikam"][i % 3] });
  await page.goto(`${app.url}?account=devstoreaccount1&table=Orders&page=partitions`, { waitUntil: "domcontentloaded" });
});
const { hook, click, shows } = byHand(() => here.page);

const json = { "content-type": "application/json", prefer: "return-no-content", accept: "application/json" };
const send = (method, path, body) => request(here.page, `https://devstoreaccount1.table.core.windows.net/${path}`, { method, headers: json, ...(body && { body: JSON.stringify(body) }) });
const insert = (PartitionKey, RowKey, more) => send("POST", "Orders", { PartitionKey, RowKey, ...more });

test("the map has a bar for each partition, in key order, and arrow keys move along it", async () => {
  await shows("partition-count", "4 partitions");
  assert.deepEqual(await here.page.$$eval(".partition", (all) => all.map((one) => one.dataset.partition)), ["2026-01", "2026-02", "2026-03", "2026-04"]);
  await here.page.click('.partition[data-partition="2026-02"]');
  await shows("chosen-partition", "2026-02");
  await here.page.keyboard.press("ArrowRight");
  await shows("chosen-partition", "2026-03");
  await here.page.waitForFunction(() => document.activeElement.dataset.partition === "2026-03");
  await here.page.waitForFunction(() => new URLSearchParams(location.search).get("partition") === "2026-03");
  for (const [key, last] of [["End", "2026-04"], ["Home", "2026-01"]]) {
    await here.page.keyboard.press(key);
    await here.page.waitForFunction((last) => document.activeElement.dataset.partition === last, {}, last);
  }
});

test("a partition that gets the writes becomes hot, live, with advice", async () => {
  await here.page.click('.partition[data-partition="2026-04"]');
  for (let i = 0; i < 40; i++) await insert("2026-04", "new" + i, { Customer: "acme" });
  await here.page.waitForSelector(hook("hot"));
  await shows("partition-advice", "The last partition gets the traffic.", "503 ServerBusy");
  await shows("busiest", "2026-04");
  await here.page.waitForFunction(() => document.querySelector('.partition[data-partition="2026-04"]').getAttribute("aria-label").includes("43 entities"), { polling: 50 });
});

test("another key is computed from the data and the recent queries", async () => {
  await send("GET", `Orders()?$filter=${encodeURIComponent("Customer eq 'contoso'")}`);
  await click("what-if");
  await here.page.waitForSelector(hook("add-part"));
  await here.page.select(hook("add-part"), "Customer");
  await shows("comparison", "Partitions43", "Largest4344");
  await shows("plans", "Customer eq 'contoso'", "table scan 52", "partition scan 4", "13× less");
});

test("the table is copied into a new one with the other key", async () => {
  await click("copy");
  await here.page.waitForSelector(hook("copy-name"), { visible: true });
  await here.page.type(hook("copy-name"), "ByCustomer");
  await click("copy-start");
  await shows("copied", "52 of 52 entities written");
  await click("copy-open");
  await here.page.waitForFunction(() => document.querySelector('.partition[data-partition="contoso"]') !== null);
  assert.equal(new URL(here.page.url()).searchParams.get("table"), "ByCustomer");
  await here.page.goBack();
  await here.page.waitForSelector('.partition[data-partition="2026-04"]');
});

test("prices are remembered", async () => {
  await here.page.$eval(hook("price-gib"), (input) => {
    input.value = "100000";
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await here.page.select(hook("times"), "1000000");
  await here.page.waitForFunction((month) => Number.parseFloat(document.querySelector(month).textContent.replaceAll(",", "")) > 10_000, { polling: 50 }, hook("month"));
  await here.page.reload({ waitUntil: "domcontentloaded" });
  await here.page.waitForSelector(hook("price-gib"));
  assert.equal(await here.page.$eval(hook("price-gib"), (input) => input.value), "100000");
});

test("on a phone the map shows the partition that the address names", async () => {
  await here.page.setViewport({ width: 390, height: 844 });
  await here.page.goto(`${here.app.url}?account=devstoreaccount1&table=Orders&page=partitions&partition=2026-04`, { waitUntil: "domcontentloaded" });
  for (let i = 0; i < 12; i++) await insert(`2025-${String(i + 1).padStart(2, "0")}`, "0", {});
  await here.page.reload({ waitUntil: "domcontentloaded" });
  await here.page.waitForFunction(() => {
    const map = document.querySelector(".partition-map");
    const bar = document.querySelector('.partition[data-partition="2026-04"]')?.getBoundingClientRect();
    return map?.scrollWidth > map?.clientWidth && bar?.right <= innerWidth;
  });
});

test("the page reported no error", () => assert.deepEqual(here.page.problems, []));
