import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

/** Begins a new log in a browser, and returns what that did to its databases, and what it said. */
async function run({ navigator = { userAgentData: {} }, refuses = null } = {}) {
  const seen = [];
  const warned = [];
  const request = (what, result) => {
    seen.push(what);
    const request = { result, error: new Error("no room") };
    queueMicrotask(() => (refuses === what ? request.onerror() : request.onsuccess()));
    return request;
  };
  const database = { close: () => seen.push("close") };
  const indexedDB = { open: (name) => request("open " + name, database), deleteDatabase: (name) => request("delete " + name) };
  const { beginNewLog } = load(["newlog"], ["beginNewLog"], { navigator, indexedDB, console: { warn: (...said) => warned.push(said.join(" ")) } });
  await beginNewLog("x log");
  return { seen, warned };
}

test("a database is made and deleted", async () => {
  assert.deepEqual(await run(), { seen: ["open x log", "close", "delete x log"], warned: [] });
});

test("where there is no LevelDB, nothing is done", async () => {
  assert.deepEqual(await run({ navigator: {} }), { seen: [], warned: [] });
});

for (const [refuses, seen] of [
  ["open x log", ["open x log"]],
  ["delete x log", ["open x log", "close", "delete x log"]],
]) {
  test(`a browser that refuses to ${refuses.split(" ")[0]} one is no reason not to start`, async () => {
    assert.deepEqual(await run({ refuses }), { seen, warned: ["Sandtable could not have the browser begin a new log: Error: no room"] });
  });
}
