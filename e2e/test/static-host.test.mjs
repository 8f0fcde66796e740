// dist/ on a static host, in a folder, with another build deployed while
// the app is in use.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
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

test("a new build takes the store over, before and behind requests", async () => {
  host.deploy("another build");
  const statuses = await page.evaluate(
    async (address, headers) => {
      const statuses = [];
      const create = async () => {
        const body = JSON.stringify({ TableName: "During" + statuses.length });
        const response = await fetch(`${address}/Tables`, { method: "POST", headers, body });
        statuses.push(response.status);
        await response.arrayBuffer();
      };
      const replaced = new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true }));
      const registration = await navigator.serviceWorker.getRegistration();
      const updated = registration.update();
      for (let i = 0; i < 50; i++) await create();
      await updated;
      await replaced; // which waits for a moment without requests
      for (let i = 0; i < 50; i++) await create();
      return statuses;
    },
    address,
    headers,
  );
  assert.equal(statuses.length, 100);
  const created = statuses.flatMap((status, i) => (status === 201 ? ["During" + i] : []));
  // A request may be told to come back, as SDKs do; none is lost or answered twice.
  assert.deepEqual(statuses.filter((status) => status !== 201 && status !== 503), []);
  assert.deepEqual((await tables(address)).sort(), ["Before", ...created].sort());
});

test("the new build has it after a restart", async () => {
  const before = await tables(address);
  await stopWorkers(page);
  assert.deepEqual(await tables(address), before);
});
