// Faults through the service worker and on the page, in every browser engine.

import assert from "node:assert/strict";
import { inBrowsers } from "../lib/browsers.mjs";
import { byHand, request } from "../lib/page.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

// What comes of the requests with this seed; 0 is a failed fetch.
const SEEDED = [201, 201, 201, 201, 503, 201, 201, 201, 201, 201, 503, 0];

const address = "https://devstoreaccount1.table.core.windows.net";

inBrowsers(suite);

function suite(engine) {
  const here = visit(async () => {}, engine);
  const { shows } = byHand(() => here.page);

  /** Sets the rules, then inserts entities one after another; returns the statuses, 0 for a failed fetch. */
  const run = (rules, table) => here.page.evaluate(async (address, rules, table) => {
    const json = { "content-type": "application/json" };
    const post = (path, body) => fetch(`${address}/${path}`, { method: "POST", headers: json, body: JSON.stringify(body) }).then(({ status }) => status, (error) => (error instanceof TypeError ? 0 : -1));
    await post("Tables", { TableName: table });
    await fetch("_sandtable/accounts/devstoreaccount1/faults", { method: "PUT", headers: json, body: JSON.stringify({ seed: 20261120, rules }) });
    const statuses = [];
    for (let i = 0; i < 12; i++) statuses.push(await post(table, { PartitionKey: "p", RowKey: String(i) }));
    await fetch("_sandtable/accounts/devstoreaccount1/faults", { method: "PATCH", headers: json, body: '{"on":false}' });
    return statuses;
  }, address, rules, table);

  const entities = async (table) => JSON.parse((await request(here.page, `${address}/${table}()`, { headers: { accept: "application/json" } })).text).value.length;

  test("the same seed fails the same requests in every engine", async () => {
    const statuses = await run([{ operation: "any write", effect: "ServerBusy", share: 0.3 }, { operation: "any write", effect: "answerLost", share: 0.2 }], "Seeded");
    assert.deepEqual(statuses, SEEDED);
    assert.equal(await entities("Seeded"), statuses.filter((status) => status !== 503).length);
  });

  test("a cut connection is a failed fetch, and nothing was done", async () => {
    const statuses = await run([{ operation: "any write", effect: "connectionCut", every: 3 }], "Cut");
    assert.deepEqual(statuses, Array.from({ length: 12 }, (_, i) => (i % 3 === 2 ? 0 : 201)));
    assert.equal(await entities("Cut"), 8);
  });

  test("the page shows the rules and what they did", async () => {
    await here.page.goto(here.app.url + "?account=devstoreaccount1&page=faults", { waitUntil: "domcontentloaded" });
    // All at once, while requests are sent: rules are in memory, and Firefox soon stops an idle worker.
    const shown = Promise.all([shows("fault-rules", "connection cut"), shows("fault-hits", "connection cut · rule 1"), shows("fault-bar", "Faults are off")]);
    await run([{ operation: "any write", effect: "connectionCut", every: 3 }], "Shown");
    await shown;
  });
}
