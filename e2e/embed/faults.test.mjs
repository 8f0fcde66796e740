// Faults in an embedding page: by fetch through the service worker, by fetch in a page
// with a plain worker, and by httpClient.

import assert from "node:assert/strict";
import { pageOf, visitSite } from "../lib/embed-site.mjs";
import { embedding } from "../lib/embedding.mjs";
import { test } from "../lib/test.mjs";

const here = embedding();

/** Inserts entities one after another in the page, and returns what came of each. */
function run(page, direct, rules) {
  return page.evaluate(async (direct, rules) => {
    const retryOptions = { retryDelayInMs: 1, maxRetryDelayInMs: 2 };
    const orders = new sdk.TableClient(sandtable.endpoint(), "Orders", { retryOptions, ...(direct ? { httpClient: sandtable.httpClient } : {}) });
    await orders.createTable();
    await sandtable.faults.set(undefined, { seed: 7, rules });
    const outcomes = [];
    for (let i = 0; i < 12; i++) {
      outcomes.push(await orders.createEntity({ partitionKey: "p", rowKey: String(i) }).then(() => "created", ({ name, code }) => `${name} ${code}`));
    }
    const { failed } = await sandtable.faults.get();
    await sandtable.faults.clear();
    let entities = 0;
    for await (const entity of orders.listEntities()) entities += entity.partitionKey === "p" ? 1 : 0;
    await orders.deleteTable();
    return { outcomes, failed, entities };
  }, direct, rules);
}

for (const fallback of ["false", '"worker"']) {
  test(`requests fail on purpose (fallback: ${fallback})`, async () => {
    const { url } = await here.site("/", { "index.html": pageOf(`{ fallback: ${fallback} }`) });
    const page = await visitSite(here.browser, url);
    assert.equal(page.outcome, "started");
    for (const direct of [false, true]) {
      const busy = await run(page, direct, [{ operation: "any write", effect: "ServerBusy", every: 3 }]);
      assert.deepEqual(busy, { outcomes: Array(12).fill("created"), failed: 5, entities: 12 });
      // A failed fetch may be anything, so the SDK does not retry it in a page.
      const cut = await run(page, direct, [{ operation: "any write", effect: "connectionCut", every: 4 }]);
      const every4 = Array.from({ length: 12 }, (_, i) => (i % 4 === 3 ? "RestError REQUEST_SEND_ERROR" : "created"));
      assert.deepEqual(cut, { outcomes: every4, failed: 3, entities: 9 });
      const lost = await run(page, direct, [{ operation: "any write", effect: "answerLost", every: 4 }]);
      assert.deepEqual(lost, { outcomes: every4, failed: 3, entities: 12 });
    }
    const quick = await page.evaluate(async () => {
      await sandtable.faults.set(undefined, { rules: [{ operation: "Query Tables", effect: "latency", median: 2000 }] });
      const slow = fetch(sandtable.endpoint() + "/Tables", { headers: { accept: "application/json", "x-ms-version": "2019-02-02" } });
      const began = performance.now();
      const first = await Promise.race([slow.then(() => "the slow one"), sandtable.status().then(() => "another")]);
      await slow;
      return [first, performance.now() - began];
    });
    assert.ok(quick[0] === "another" && quick[1] >= 1999, `${quick[0]} is answered first; the slow one after ${quick[1]} ms`);
    const { fault, source } = await page.evaluate(async () => {
      const recorded = new Promise((resolve) => sandtable.on("request", resolve, { account: "devstoreaccount1" }));
      await sandtable.faults.set(undefined, { rules: [{ effect: "OperationTimedOut" }] });
      const service = new sdk.TableServiceClient(sandtable.endpoint(), { httpClient: sandtable.labelled("step 2"), retryOptions: { maxRetries: 0 } });
      await service.createTable("Refused").catch(() => {});
      return recorded;
    });
    assert.deepEqual({ fault, source }, { fault: { rule: 1, effect: "OperationTimedOut", delay: 0 }, source: "azsdk-js-data-tables" });
  });
}
