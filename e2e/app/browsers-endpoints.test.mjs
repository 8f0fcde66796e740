// Accounts of other endpoints, in every browser engine.

import assert from "node:assert/strict";
import { inBrowsers } from "../lib/browsers.mjs";
import { native } from "../lib/native.mjs";
import { byHand, request } from "../lib/page.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

inBrowsers(suite);

function suite(engine) {
  const server = native(undefined, "-cors", "permissive");
  const here = visit(async () => {}, engine);
  const { hook, click, type, shows, gone } = byHand(() => here.page);

  test("a request marked as the network's goes there, even to an address of the worker's", async () => {
    const own = "table/devstoreaccount1/Tables"; // the site's server answers it with 404
    assert.equal((await request(here.page, own)).status, 200);
    assert.equal((await request(here.page, own + "#network")).status, 404);
  });

  test("an account of a native server is connected, and disconnected again", async () => {
    await here.page.waitForSelector(`${hook("new-endpoint")}:not([disabled])`, { visible: true });
    await click("new-endpoint");
    await type("endpoint-text", server.connection);
    await click("connect-endpoint");
    await shows("status-pill", "Connected");
    await click("new-remote-table");
    await type("table-name", "Elsewhere");
    await click("create-table");
    await shows("loaded", "No entities");
    await shows("table-item", "Elsewhere");
    const stored = await here.page.evaluate(() => JSON.stringify([location.href, { ...localStorage }]));
    assert.ok(!stored.includes(server.key) && !stored.includes(encodeURIComponent(server.key)), stored);
    await click("disconnect");
    await click("confirm");
    await gone("remote-item");
  });
}
