// HTML never executes: in keys, property names, values, filters, names of queries, files and snapshots, and in
// whatever another endpoint answers, it is text. The content security policy would stop most of it; so the test
// also fails if the policy had to.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { list, otherEndpoint, refusal } from "../lib/other-endpoint.mjs";
import { byHand, clickStill, request } from "../lib/page.mjs";
import { after, test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const image = "<img src=x onerror=globalThis.hacked=1>";
const script = '"><script>globalThis.hacked=1</script>';
const opening = '"><script>globalThis.hacked=1<!--'; // for keys, which have no slash
const both = `${script}${image}`;

const folder = await mkdtemp(join(tmpdir(), "sandtable-html-"));
after(() => rm(folder, { recursive: true, force: true }));

const other = otherEndpoint((path) => (path === "/Tables" ? list({ TableName: "Things" }, { TableName: both }) : list(
  { PartitionKey: image, RowKey: opening, [image]: both, [script]: 1, "odata.etag": both },
  { PartitionKey: opening, RowKey: image, Text: both },
)));
const here = visit(async ({ page }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await page.evaluateOnNewDocument(() => addEventListener("securitypolicyviolation", (event) => ((globalThis.violations ??= []).push(`${event.violatedDirective} ${event.blockedURI}`))));
  await page.waitForSelector(`${hook("new-table")}:not([disabled])`);
  await send("Tables", { TableName: "Evil" });
  for (const [partition, row] of [[image, opening], [opening, image]]) await send("Evil", { PartitionKey: partition, RowKey: row, Text: both });
});
const { hook, click, chooseFile, type, replace, press, shows, gone } = byHand(() => here.page);

const send = async (path, body) => {
  const { status, text } = await request(here.page, `https://devstoreaccount1.table.core.windows.net/${path}`,
    { method: "POST", headers: { "content-type": "application/json", accept: "application/json" }, body: JSON.stringify(body) });
  assert.equal(status, 201, text);
};

const go = (args, account = "devstoreaccount1") => here.page.goto(`${here.app.url}?account=${encodeURIComponent(account)}&${args}`, { waitUntil: "domcontentloaded" });

/** Waits until all texts can be read in an element, then fails if one of them has become more than text. */
async function onlyText(name, ...texts) {
  for (const text of texts) await shows(name, text);
  const found = await here.page.evaluate(() => ({
    hacked: globalThis.hacked ?? "no",
    elements: [...document.querySelectorAll("img[src=x], [onerror], script")].map((e) => e.outerHTML).filter((html) => html.includes("hacked")),
    violations: globalThis.violations ?? [],
  }));
  assert.deepEqual(found, { hacked: "no", elements: [], violations: [] });
}

async function palette(text, ...texts) {
  await press("Control", "k");
  await type("palette-field", text);
  await onlyText("palette-entry", ...texts);
  await here.page.keyboard.press("Escape");
  await gone("palette-field"); // it covers the page
}

async function filter(text) {
  await replace("filter-input", text);
  await press("Control", "Enter");
}

/** Imports a file as far as the page lets it, and returns when it has been read. */
async function read(name, content) {
  await go("table=Evil&page=import");
  await chooseFile("choose-file", join(folder, name), content);
}

test("keys and values: grid, panel and JSON view", async () => {
  await go("table=Evil");
  await onlyText("grid-row", image, opening, both);
  await go(`table=Evil&entity=${encodeURIComponent(`${image}/${opening}`)}`);
  await here.page.waitForSelector('.panel [aria-label="Value of Text"]');
  await onlyText("grid-row", both);
  await here.page.click('.panel [data-choice="json"]');
  await here.page.waitForFunction((json, text) => document.querySelector(json)?.value.includes(text), {}, hook("json"), JSON.stringify(both).slice(1, -1));
  await onlyText("grid-row", both);
});

test("filters, and the names under which they are saved: menu, toast and palette", async () => {
  await go("table=Evil");
  await shows("grid-row", image);
  await filter(`Text eq '${both}'`);
  await shows("loaded", "All 2 loaded");
  await click("saved");
  await type("query-name", both);
  await click("save-query");
  await here.page.waitForFunction((text) => document.querySelector(".toasts").textContent.includes(text), {}, both);
  await click("saved");
  await onlyText("saved-query", `Text eq '${both}'`, `${both} `);
  await palette("$", `Evil · ${both} · Text eq '${both}'`);
  await filter(image);
  await onlyText("filter-error", "Column 1");
  await go(`table=Evil&contains=${encodeURIComponent(`Text:${both}`)}`);
  await onlyText("loaded", "2 match");
});

test("the journal: its list, and each part of a request", async () => {
  await here.page.goto(`${here.app.url}?page=requests`, { waitUntil: "domcontentloaded" });
  await onlyText("requests", image);
  for (const [row, parts] of [[`$filter=${image}`, ["why", "request", "response"]], ["Text eq", ["request", "plan"]]]) {
    await here.page.evaluate((text) => [...document.querySelectorAll('[data-testid="requests"] tr')].find((row) => row.textContent.includes(text)).querySelector("a").click(), row);
    for (const part of parts) {
      await clickStill(here.page, `[data-choice="${part}"]`);
      await here.page.waitForSelector(hook(`part-${part}`));
      await onlyText("request-panel", part === "request" ? "<img" : "");
    }
  }
});

test("partitions and the names of snapshots", async () => {
  await go("table=Evil&page=partitions");
  for (const [bar, key] of [["first", opening], ["last", image]]) {
    await clickStill(here.page, `${hook("partition-map")} button:${bar}-child`);
    await onlyText("chosen-partition", key);
  }
  await go("page=snapshots");
  await type("snapshot-name", both.slice(0, 60));
  await click("take-snapshot");
  await onlyText("snapshots", both.slice(0, 60));
  await clickStill(here.page, `${hook("snapshots")} button`);
  await onlyText("snapshot-panel", both.slice(0, 60));
});

test("files: their names, headings and rows, in the report, too", async () => {
  const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
  await read(`${image}.csv`, `PartitionKey,RowKey,${quoted(script)},Age,Age@type\n${quoted(opening)},csv,${quoted(both)},1,Int32\np,2,x,${quoted(both)},Int32\np,3,x,1,${quoted(both)}\n`);
  await onlyText("problem", "<img", "<script>");
  await here.page.waitForFunction((name) => document.querySelector(".page").textContent.includes(name), {}, `${image}.csv`);
  await click("import");
  await onlyText("report", "Written");
  await read(`${opening}.json`, JSON.stringify([{ PartitionKey: image, RowKey: both }, { PartitionKey: "p", RowKey: "json", [both]: 1, "Age@odata.type": both, Age: both }]));
  await onlyText("problem", "<img");
  await read(`${image}.txt`, both);
  await onlyText("refused", `${image}.txt`);
});

test("what names an endpoint, and what it answers to the first request", async () => {
  await here.page.goto(`${here.app.url}?page=endpoint&endpoint=${encodeURIComponent(`http://127.0.0.1:${other.port}/${image}`)}&open=${encodeURIComponent(image)}`, { waitUntil: "domcontentloaded" });
  await onlyText("endpoint-problem", "");
  for (const text of [both, `AccountName=${both};AccountKey=${image}`, `https://${image}/?sig=${both}`, `AccountName=x;AccountKey=YQ==;TableEndpoint=http://127.0.0.1/${image}`]) {
    await replace("endpoint-text", text);
    await click("connect-endpoint");
    await onlyText("endpoint-problem", "");
  }
  const good = other.answer;
  other.answer = () => refusal(403, image, both);
  await replace("endpoint-text", other.connection());
  await click("connect-endpoint");
  await onlyText("endpoint-problem", image, both);
  other.answer = good;
});

test("another endpoint's tables, property names, values and errors", async () => {
  await click("remember");
  await click("connect-endpoint");
  await onlyText("table-item", both);
  await palette("img", both);
  await go("table=Things", other.id());
  await onlyText("grid-row", image, opening, both);
  for (const name of [image, script]) await here.page.waitForFunction((name) => [...document.querySelectorAll("th[data-column]")].some((th) => th.textContent.includes(name)), {}, name);
  await go(`table=Things&entity=${encodeURIComponent(`${image}/${opening}`)}`, other.id());
  await onlyText("grid-row", both);
  const good = other.answer;
  other.answer = (path) => (path === "/Tables" ? good(path) : list({ PartitionKey: image, RowKey: opening, Odd: both, "Odd@odata.type": image }));
  await go("table=Things", other.id());
  await onlyText("filter-error", "The endpoint's answer cannot be read", "<img");
  other.answer = (path) => (path === "/Tables" ? good(path) : refusal(400, image, both));
  await go("table=Things", other.id());
  await onlyText("filter-error", image, both);
  other.answer = () => refusal(404, both, image);
  await go(`table=${encodeURIComponent(both)}`, other.id());
  await onlyText("filter-error", image, both);
});

test("the page reported no error", () => {
  assert.deepEqual(here.page.problems, []);
});
