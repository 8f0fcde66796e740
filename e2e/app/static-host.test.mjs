// dist/ on a static host, in a folder.

import assert from "node:assert/strict";
import { after, before, test } from "../lib/test.mjs";
import { dropProfile, launch, newProfile, stopWorkers } from "../lib/browser.mjs";
import { open, request } from "../lib/page.mjs";
import { serveStatically } from "../lib/static-host.mjs";

const address = "https://devstoreaccount1.table.core.windows.net";
const headers = { "content-type": "application/json", accept: "application/json;odata=nometadata" };

let host, profile, browser, page;

before(async () => {
  host = await serveStatically("/some/folder/");
  profile = await newProfile();
  browser = await launch(profile);
  page = await open(browser, host.url);
});

after(async () => {
  await browser?.close();
  host?.stop();
  await dropProfile(profile);
});

const create = (name) => request(page, `${address}/Tables`, { method: "POST", headers, body: JSON.stringify({ TableName: name }) });
const tables = async (base) => JSON.parse((await request(page, `${base}/Tables`, { headers })).text).value.map(({ TableName }) => TableName);

test("the app works in a folder", async () => {
  await page.waitForSelector('[data-testid="new-table"]', { visible: true });
  assert.equal((await create("Before")).status, 201);
  assert.deepEqual(await tables(address), ["Before"]);
  assert.deepEqual(await tables(host.url + "table/devstoreaccount1"), ["Before"]);
  assert.deepEqual(page.trouble, []);
});

test("it is all there after a restart of the worker", async () => {
  const before = await tables(address);
  await stopWorkers(page);
  assert.deepEqual(await tables(address), before);
});
