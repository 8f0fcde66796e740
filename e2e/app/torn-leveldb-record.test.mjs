// A browser killed during a write leaves a torn record in LevelDB's log. The next
// start appends after it, and the start after that finds corruption and deletes
// the whole database: see wasm/js/leveldb.js.

import assert from "node:assert/strict";
import { existsSync, watch } from "node:fs";
import { appendFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "../lib/test.mjs";
import { kill, patience } from "../lib/browser.mjs";
import { request } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const address = "https://devstoreaccount1.table.core.windows.net";
const headers = { "content-type": "application/json", accept: "application/json;odata=nometadata" };

const here = visit();

/** A torn first fragment as a killed browser leaves it: its header (checksum, length, type) without any payload. */
const cutShort = Buffer.from([0x1d, 0x83, 0x5c, 0x9a, 0x89, 0x08, 2]);

/** The LevelDB folder with the origin's databases; undefined if the browser stores them differently. */
async function levelDB() {
  const all = join(here.profile, "Default", "IndexedDB");
  const found = (await readdir(all)).find((name) => name.endsWith(".leveldb"));
  return found && join(all, found);
}

/** Waits until a file is deleted. */
function gone(file) {
  return new Promise((resolve, reject) => {
    const watcher = watch(dirname(file), look);
    const late = setTimeout(() => end(reject, new Error(`the browser keeps using ${file}`)), patience);
    look();

    function look() {
      if (!existsSync(file)) end(resolve);
    }

    function end(settle, reason) {
      clearTimeout(late);
      watcher.close();
      settle(reason);
    }
  });
}

async function insert(rowKey) {
  const body = JSON.stringify({ PartitionKey: "p", RowKey: rowKey });
  assert.equal((await request(here.page, `${address}/Torn`, { method: "POST", headers, body })).status, 201);
}

test("a torn record in LevelDB's log loses no data", async (t) => {
  assert.equal((await request(here.page, `${address}/Tables`, { method: "POST", headers, body: '{"TableName":"Torn"}' })).status, 201);
  await insert("before");
  await kill(here.browser);
  const folder = await levelDB();
  if (folder === undefined) {
    t.skip("this Chromium does not keep IndexedDB in LevelDB");
    return;
  }
  const log = join(folder, (await readdir(folder)).filter((name) => name.endsWith(".log")).sort().at(-1));
  await appendFile(log, cutShort);
  await here.reopen();
  await gone(log);
  await insert("between");
  await kill(here.browser);
  await here.reopen();
  const found = await request(here.page, `${address}/Torn()`, { headers });
  assert.equal(found.status, 200, found.text);
  assert.deepEqual(
    JSON.parse(found.text).value.map(({ RowKey }) => RowKey),
    ["before", "between"],
  );
});
