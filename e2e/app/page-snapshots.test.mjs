// The snapshots of an account: take, see what restoring changes, restore, undo, share as a file, open it, delete.

import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { byHand, open, request } from "../lib/page.mjs";
import { after, test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const folder = await mkdtemp(join(tmpdir(), "sandtable-snapshots-"));
after(() => rm(folder, { recursive: true, force: true }));

let downloads;
const here = visit(async ({ page, app, browser }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await send("POST", "Tables", { TableName: "Guests" });
  for (let i = 0; i < 3; i++) await send("POST", "Guests", { PartitionKey: "p", RowKey: String(i), Age: 40 + i });
  downloads = await browser.target().createCDPSession();
  await downloads.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, eventsEnabled: true });
  await page.goto(`${app.url}?account=devstoreaccount1&page=snapshots`, { waitUntil: "domcontentloaded" });
});
const { hook, click, type, press, shows, gone } = byHand(() => here.page);

const json = { "content-type": "application/json", prefer: "return-no-content" };
const send = (method, path, body, headers = {}) => request(here.page, `https://devstoreaccount1.table.core.windows.net/${path}`,
  { method, headers: { ...json, accept: "application/json", ...headers }, ...(body && { body: JSON.stringify(body) }) });
const ages = async () => JSON.parse((await send("GET", "Guests()")).text).value.map(({ RowKey, Age }) => [RowKey, Age]);
const list = async () => JSON.parse((await request(here.page, "_sandtable/accounts/devstoreaccount1/snapshots")).text).snapshots;

const choose = async (name) => {
  // Found and clicked in one step, because the page may replace the list in between.
  await here.page.waitForFunction((selector, name) => {
    const row = [...document.querySelectorAll(`${selector} button`)].find(({ textContent }) => textContent === name);
    row?.click();
    return row !== undefined;
  }, {}, hook("snapshots"), name);
  await shows("snapshot-panel", name);
};

test("a snapshot with a name is listed, and the page says what restoring changes", async () => {
  await type("snapshot-name", "before the demo");
  await here.page.keyboard.press("Enter");
  await shows("snapshots", "before the demo", "taken by hand");
  await choose("before the demo");
  await send("PUT", "Guests(PartitionKey='p',RowKey='0')", { Age: 99 });
  await send("DELETE", "Guests(PartitionKey='p',RowKey='1')", undefined, { "if-match": "*" });
  await send("POST", "Guests", { PartitionKey: "p", RowKey: "new" });
  // The page follows the changes by itself.
  await shows("differences", "Guests+1−1~1");
  await shows("snapshot-panel", "Age 99 → 40", "p / 1", "p / new");
});

test("restoring is one step, shows in another tab, and can be undone", async () => {
  const other = await open(here.browser, `${here.app.url}?account=devstoreaccount1&table=Guests`);
  const cell = (age) => other.waitForFunction((row, age) => [...document.querySelectorAll(`${row} td`)].some((td) => td.textContent === age), {}, hook("grid-row"), age);
  await cell("99");
  await here.page.bringToFront();
  await click("restore");
  await here.page.waitForSelector(hook("toast-action"));
  await here.page.hover(".toast"); // it stays under the pointer
  assert.deepEqual(await ages(), [["0", 40], ["1", 41], ["2", 42]]);
  await other.bringToFront();
  await cell("41");
  assert.deepEqual(other.problems, []);
  await other.close();
  await here.page.bringToFront();
  await shows("differences", "No table changes.");
  await click("toast-action");
  await shows("differences", "Guests+1−1~1");
  assert.deepEqual(await ages(), [["0", 99], ["2", 42], ["new", undefined]]);
  assert.deepEqual((await list()).map(({ name, kind }) => [name, kind]), [["before the demo", "taken"], ["before restoring before the demo", "restore"]]);
});

test("a snapshot is shared as a file, and opened in another account", async () => {
  await choose("before the demo");
  const done = new Promise((resolve) => downloads.on("Browser.downloadProgress", (e) => e.state === "completed" && resolve()));
  await click("share");
  await done;
  const [name] = await readdir(folder);
  assert.equal(name, "devstoreaccount1-before the demo.jsonl");
  assert.match(await readFile(join(folder, name), "utf8"), /"RowKey":"1","Age":41/);
  await request(here.page, "_sandtable/accounts", { method: "POST", headers: json, body: JSON.stringify({ name: "classroom" }) });
  await here.page.goto(`${here.app.url}?account=classroom&page=snapshots`, { waitUntil: "domcontentloaded" });
  await here.page.waitForFunction(() => document.body.textContent.includes("No snapshots yet"));
  await (await here.page.waitForSelector(hook("open-snapshot"))).uploadFile(join(folder, name));
  await choose("devstoreaccount1-before the demo");
  await shows("snapshot-panel", "Guests comes back+3");
  await click("restore");
  await here.page.waitForSelector(hook("toast-action"));
  const { text } = await request(here.page, "https://classroom.table.core.windows.net/Guests()", { headers: { accept: "application/json" } });
  assert.equal(JSON.parse(text).value.length, 3);
  await shows("table-item", "Guests");
});

test("Ctrl+Alt+S takes one from anywhere, and deleting the last with a state asks", async () => {
  await here.page.goto(`${here.app.url}?account=devstoreaccount1&table=Guests`, { waitUntil: "domcontentloaded" });
  await here.page.waitForSelector(hook("grid-row"));
  await press("Control", "Alt", "s");
  await click("toast-action"); // Show
  await shows("snapshot-panel", "UTC");
  await click("delete-snapshot"); // the account is in this state: nothing is lost
  await gone("snapshot-panel");
  assert.equal((await list()).length, 2);
  await choose("before the demo");
  await click("delete-snapshot");
  await here.page.waitForSelector(`dialog[open] ${hook("confirm")}`);
  await click("confirm");
  await gone("snapshot-panel");
  assert.deepEqual((await list()).map(({ kind }) => kind), ["restore"]);
});

test("where the columns have no space, a snapshot is two lines that say how it was taken, and all of it is the button", async () => {
  for (const width of [390, 900]) {
    await here.page.setViewport({ width, height: 800 });
    const row = await here.page.waitForSelector(`${hook("snapshots")} tr[data-snapshot]`);
    const seen = await row.evaluate((row) => {
      const [name, ...others] = ["name", "how", "taken", "how-many", "size"].map((part) => row.querySelector("td." + part));
      return { how: others[0].innerText, cut: others.filter((td) => td.scrollWidth > td.clientWidth).map(({ className }) => className),
        sameLine: Math.abs(name.getBoundingClientRect().top - others[0].getBoundingClientRect().top) < 8 };
    });
    assert.deepEqual(seen, { how: "taken by a restore", cut: [], sameLine: true }, `${width} px`);
    // The drawer may still be closing.
    await here.page.waitForFunction((row) => {
      const { right, bottom } = row.getBoundingClientRect();
      return document.elementFromPoint(right - 6, bottom - 6)?.matches(".link");
    }, { polling: 50 }, row);
  }
  await here.page.setViewport({ width: 1440, height: 860 });
});

test("deleting a table takes a snapshot first, unless it is not wanted", async () => {
  const kinds = async () => (await list()).map(({ kind }) => kind).sort();
  for (const [table, wanted] of [["Kept", true], ["Dropped", false]]) {
    await send("POST", "Tables", { TableName: table });
    await here.page.goto(`${here.app.url}?account=devstoreaccount1&table=${table}`, { waitUntil: "domcontentloaded" });
    await here.page.waitForSelector(`[data-testid="table-item"][data-table="${table}"]`); // the sidebar may be drawn after the page
    await click("delete-table");
    await here.page.waitForSelector(`dialog[open] ${hook("ask-choice")}:checked`);
    if (!wanted) await click("ask-choice");
    await click("confirm");
    await here.page.waitForFunction((table) => !document.querySelector(`[data-testid="table-item"][data-table="${table}"]`), {}, table);
    assert.deepEqual(await kinds(), ["delete", "restore"]);
  }
  const [taken] = (await list()).filter(({ kind }) => kind === "delete");
  assert.equal(taken.name, "before deleting Kept");
});

test("snapshots survive a restart of the browser", async () => {
  assert.deepEqual(here.page.problems, []); // the page is another one afterwards
  await here.browser.close();
  await here.reopen();
  assert.deepEqual((await list()).map(({ kind }) => kind).sort(), ["delete", "restore"]);
});

test("the page reported no error", () => assert.deepEqual(here.page.problems, []));
