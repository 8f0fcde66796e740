// An update next to a page that never pauses, whatever the answers say.

import assert from "node:assert/strict";
import { after, before, test } from "../lib/test.mjs";
import { dropProfile, launch, newProfile, unobserved } from "../lib/browser.mjs";
import { anotherBuild } from "../lib/builds.mjs";
import { loadPage } from "../lib/load-page.mjs";
import { open, request } from "../lib/page.mjs";
import { serveStatically } from "../lib/static-host.mjs";

const address = "https://devstoreaccount1.table.core.windows.net";
const headers = { "content-type": "application/json", accept: "application/json;odata=nometadata" };
const offer = '[data-testid="update"]';

let first, second, host, profile, browser;

before(async () => {
  [first, second] = await Promise.all([anotherBuild("first"), anotherBuild("second")]);
  host = await serveStatically("/", { from: first.folder, pages: { "load.html": loadPage } });
  profile = await newProfile();
  browser = await launch(profile, unobserved);
});

after(async () => {
  await browser?.close();
  host?.stop();
  await Promise.all([profile && dropProfile(profile), first?.drop(), second?.drop()]);
});

test("a page that ignores Retry-After may put an update off, but keeps no other page from being served", async (t) => {
  const page = await open(browser, host.url);
  assert.equal((await request(page, `${address}/Tables`, { method: "POST", headers, body: '{"TableName":"Things"}' })).status, 201);
  host.deploy(second.folder);
  await page.evaluate(async () => void (await (await navigator.serviceWorker.getRegistration()).update()));
  await page.waitForSelector(offer, { visible: true });
  // Opened before the update: Chromium loads a page without the worker while it stops that.
  const other = await open(browser, host.url + "load.html");
  const greedy = await open(browser, host.url + "load.html");
  await greedy.evaluate((url) => {
    const read = () => fetch(url).then((response) => response.arrayBuffer());
    for (let lane = 0; lane < 4; lane++) {
      (async () => {
        for (;;) await read().catch(() => {});
      })();
    }
  }, `${address}/Things`);
  await page.bringToFront();
  await page.focus(offer);
  await page.keyboard.press("Enter");
  const statuses = await other.evaluate(
    async (url, headers) => {
      const statuses = [];
      for (let row = 0; row < 5; ) {
        const response = await fetch(url, { method: "PUT", headers, body: JSON.stringify({ row }) }).catch(() => new Response(null, { status: 599 }));
        statuses.push(response.status);
        row += response.status === 204;
        await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get("x-ms-retry-after-ms") ?? 200)));
      }
      return statuses;
    },
    `${address}/Things(PartitionKey='p',RowKey='r')`,
    headers,
  );
  t.diagnostic(statuses.join(" "));
  assert.ok(statuses.length < 20, `${statuses.length} attempts for five writes`);
});
