import assert from "node:assert/strict";
import { test } from "node:test";
import { scope, tables, worker } from "./fake-worker.mjs";

/** A worker whose engine does not start. */
function broken(reason) {
  return worker(["mine"], {
    starts() {
      throw Object.assign(new Error("It does not start."), { reason });
    },
  });
}

for (const what of ["all", "unopened"]) test(`the worker resets a store that does not open (${what}), and leaves other resets to the engine`, async () => {
  const reset = { method: "POST", body: JSON.stringify({ what }) };
  const fine = worker(["mine"]);
  assert.equal(await (await fine.fetched(scope + "_sandtable/reset", reset)).text(), "ours");
  assert.deepEqual(fine.seen.deleted, []);
  const newer = broken("format");
  assert.equal((await newer.fetched(tables("mine"))).status, 503);
  assert.equal((await newer.fetched(scope + "_sandtable/reset", reset)).status, 204);
  assert.deepEqual(newer.seen.deleted, ["sandtable " + scope]);
  const closed = broken("database");
  assert.equal((await closed.fetched(scope + "_sandtable/reset", reset)).status, 204);
  assert.deepEqual(closed.seen.deleted, ["sandtable " + scope]);
});

test("a store that does not open is deleted only by a reset of everything", async () => {
  for (const body of [undefined, "{}", '{"what":"account","account":"mine"}', '{"account":"mine"}', '{"what":"all","account":"mine"}', '"all"', "null", "[]", "0", "{"]) {
    const { fetched, seen } = broken("format");
    const response = await fetched(scope + "_sandtable/reset", { method: "POST", body });
    assert.deepEqual([response.status, response.headers.get("x-sandtable-reason"), seen.deleted], [503, "format", []], body);
  }
  const { fetched, seen } = broken("format");
  assert.equal((await fetched(scope + "_sandtable/reset?account=mine", { method: "POST" })).status, 503);
  assert.deepEqual(seen.deleted, []);
});

test("navigations may only read, and only if no other site causes them", async () => {
  const { fetched, seen } = worker(["mine"]);
  /** A fake navigation: the Request constructor does not allow this mode. */
  const navigated = (path, { method = "GET", referrer = "", headers = {} } = {}) => {
    const request = { url: scope + path, method, mode: "navigate", referrer, headers: new Headers(headers), arrayBuffer: async () => new ArrayBuffer(0) };
    return fetched(request);
  };
  for (const path of ["_sandtable/reset", "_sandtable/load", "table/mine/Tables"]) {
    assert.equal((await navigated(path, { method: "POST" })).status, 403);
    assert.equal((await navigated(path, { method: "POST", referrer: scope + "page" })).status, 403);
  }
  for (const from of [{ referrer: "https://elsewhere.example/" }, { headers: { "Sec-Fetch-Site": "cross-site" } }, { headers: { "Sec-Fetch-Site": "same-site" } }]) {
    assert.equal((await navigated("table/mine/Tables", from)).status, 403);
  }
  assert.equal(seen.starts, 0);
  for (const from of [{}, { referrer: scope + "page" }, { headers: { "Sec-Fetch-Site": "none" } }]) {
    assert.equal(await (await navigated("table/mine/Tables", from)).text(), "ours");
  }
});

test("a reset does not delete a store if something else prevents the start", async () => {
  for (const reason of ["program", "memory", undefined]) {
    const { fetched, seen } = broken(reason);
    const response = await fetched(scope + "_sandtable/reset", { method: "POST", body: '{"what":"all"}' });
    assert.deepEqual([response.status, response.headers.get("x-sandtable-reason"), seen.deleted], [503, reason ?? null, []]);
  }
});
