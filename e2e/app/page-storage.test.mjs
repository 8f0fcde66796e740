// The storage page: dump to a file, reset with the words typed, load the file again, compact, check, durability.

import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "../lib/test.mjs";
import { byHand, json, open, request } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const folder = await mkdtemp(join(tmpdir(), "sandtable-storage-"));
after(() => rm(folder, { recursive: true, force: true }));

let downloads;
const here = visit(async ({ page, app, browser }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await page.evaluate(async () => {
    const post = (path, body) => fetch(`https://devstoreaccount1.table.core.windows.net/${path}`, { method: "POST",
      headers: { "content-type": "application/json", prefer: "return-no-content" }, body: JSON.stringify(body) });
    await post("Tables", { TableName: "Guests" });
    for (let i = 0; i < 3; i++) await post("Guests", { PartitionKey: "<b>", RowKey: String(i) });
  });
  downloads = await browser.target().createCDPSession();
  await downloads.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, eventsEnabled: true });
  await page.goto(`${app.url}?page=storage`, { waitUntil: "domcontentloaded" });
});
const { hook, click, type, shows } = byHand(() => here.page);

const entities = async () => JSON.parse((await request(here.page, "_sandtable/status")).text).entities;

test("the pill's name is what it says", async () => {
  await here.page.waitForSelector('::-p-aria([name="Saved, not persistent yet"][role="button"])');
});

test("the pill leads from a linked page to the tables, and Connect works on a page of the store", async () => {
  await click("status-pill");
  await here.page.waitForFunction(() => location.search === "" && document.querySelector(".storage") === null);
  await click("status-pill");
  await shows("usage", "Guests");
  await click("connect");
  await here.page.waitForFunction(() => location.search.includes("account=devstoreaccount1&page=connect"));
  await click("connect");
});

test("usage lists the table; check and compact report what they found", async () => {
  await shows("usage", "devstoreaccount1 / Guests3");
  await click("verify");
  await shows("verified", "Nothing is wrong. Entities: 3");
  await shows("mergeable", "Less than 0.1 MiB to gain.");
  await here.page.waitForSelector(`${hook("compact")}[aria-disabled="true"]`);
});

test("Compact says what there is to gain, and is off with the focus on it when there is nothing left", async () => {
  const guests = "https://devstoreaccount1.table.core.windows.net/Guests";
  const rows = Array.from({ length: 6 }, (_, i) => ({ PartitionKey: "large", RowKey: String(i), Text: String(i).repeat(30_000) }));
  const headers = { "content-type": "application/json", "if-match": "*" };
  for (const row of rows) {
    await request(here.page, guests, json(row));
  }
  await request(here.page, "_sandtable/compact", { method: "POST" });
  for (const { RowKey } of rows) {
    await request(here.page, `${guests}(PartitionKey='large',RowKey='${RowKey}')`, { method: "DELETE", headers });
  }
  await here.page.waitForFunction((line) => /^About \d+ KiB to gain/.test(document.querySelector(line)?.textContent), {}, hook("mergeable"));
  await here.page.focus(hook("compact"));
  await here.page.keyboard.press("Enter");
  await shows("compacted", "0 WAL records.");
  await shows("mergeable", "Less than 0.1 MiB to gain.");
  await here.page.waitForSelector(`${hook("compact")}[aria-disabled="true"]:focus`);
  await here.page.waitForFunction(() => [...document.querySelectorAll("main dt")].some(({ textContent }) => textContent === "Last checkpoint"));
});

test("the counts follow what others write", async () => {
  const row = "https://devstoreaccount1.table.core.windows.net/Guests";
  await request(here.page, row, { method: "POST", headers: { "content-type": "application/json" }, body: '{"PartitionKey":"<b>","RowKey":"3"}' });
  await shows("usage", "devstoreaccount1 / Guests4");
  await request(here.page, row + "(PartitionKey='%3Cb%3E',RowKey='3')", { method: "DELETE", headers: { "if-match": "*" } });
  await shows("usage", "devstoreaccount1 / Guests3");
});

test("a check that takes long says how far it is, and can be stopped", async () => {
  await here.page.evaluate(() => { // as the store answers when it is large
    const real = globalThis.fetch;
    globalThis.fetch = async (url, options) => {
      if (!String(url).endsWith("/verify")) {
        return real(url, options);
      }
      globalThis.fetch = real;
      return new Response(new ReadableStream({
        start(body) {
          body.enqueue(new TextEncoder().encode('{"progress":{"accounts":1,"tables":1,"entities":2,"blocks":1,"bytes":2048,"walRecords":0,"problemCount":0}}\n'));
          options.signal.addEventListener("abort", () => body.error(options.signal.reason));
        },
      }));
    };
  });
  await click("verify");
  await shows("verify-progress", "Checked 2 of 3 entities in 1 block (2.0 KiB)");
  await shows("verify", "Stop");
  await click("verify");
  await shows("verify", "Check the tables");
  await click("verify");
  await shows("verified", "Nothing is wrong. Entities: 3");
});

test("the durability is switched for later writes", async () => {
  await here.page.click('.storage .seg [data-choice="strict"]');
  await shows("durability", "survives a power failure");
  assert.equal(JSON.parse((await request(here.page, "_sandtable/settings")).text).durability, "strict");
});

test("a dump is saved, a reset empties the store, and the dump brings everything back", async () => {
  const done = new Promise((resolve) => downloads.on("Browser.downloadProgress", (e) => e.state === "completed" && resolve()));
  await click("dump");
  await shows("dumped", "3 entities in 1 table of 1 account");
  await done;
  const [name] = await readdir(folder);
  assert.match(name, /^sandtable-.*\.jsonl$/);
  assert.match(await readFile(join(folder, name), "utf8"), /"@sandtable":"end","accounts":1,"tables":1,"entities":3/);

  await type("reset-words", "delete everythin");
  await here.page.keyboard.press("Enter");
  assert.ok(await here.page.$(`${hook("reset")}[disabled]`), "the button is enabled before the words are complete");
  assert.equal(await entities(), 3);
  await type("reset-words", "g");
  const other = await open(here.browser, `${here.app.url}?account=devstoreaccount1&table=Guests`);
  await other.waitForSelector(hook("grid-row"));
  await here.page.bringToFront();
  await click("reset");
  await here.page.waitForFunction((row) => !document.querySelector(row), {}, hook("usage"));
  assert.equal(await entities(), 0);
  await here.page.waitForFunction((field) => document.activeElement.matches(field), {}, hook("reset-words"));
  await other.bringToFront();
  await other.waitForFunction((row) => !document.querySelector(row), {}, hook("grid-row"));
  await other.close();
  await here.page.bringToFront();

  await (await here.page.$(hook("choose-dump"))).uploadFile(join(folder, name));
  await shows("dump-holds", "3 entities in 1 table of 1 account");
  assert.equal(await entities(), 0, "loaded before it was confirmed");
  await click("load-dump");
  await shows("loaded-dump", "Loaded 3 entities in 1 table");
  await shows("usage", "devstoreaccount1 / Guests3");
  assert.equal(await entities(), 3);
});

test("the page reported no error", () => {
  assert.deepEqual(here.page.problems, []);
});
