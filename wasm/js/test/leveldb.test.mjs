import assert from "node:assert/strict";
import { test } from "node:test";
import { rotateLog } from "../leveldb.js";
import { setGlobals } from "./globals.mjs";

/** Rotates the log in a fake browser; returns the database operations and warnings. */
async function run({ navigator = { userAgentData: {} }, refuses = null } = {}) {
  const seen = [];
  const warned = [];
  const request = (what, result) => {
    seen.push(what);
    const request = { result, error: new Error("no space") };
    queueMicrotask(() => (refuses === what ? request.onerror() : request.onsuccess()));
    return request;
  };
  const database = { close: () => seen.push("close") };
  const indexedDB = { open: (name) => request("open " + name, database), deleteDatabase: (name) => request("delete " + name) };
  setGlobals({ navigator, indexedDB, console: { ...console, warn: (...said) => warned.push(said.join(" ")) } });
  await rotateLog("x log");
  return { seen, warned };
}

test("a database is created and deleted", async () => {
  assert.deepEqual(await run(), { seen: ["open x log", "close", "delete x log"], warned: [] });
});

test("browsers without LevelDB are left alone", async () => {
  assert.deepEqual(await run({ navigator: {} }), { seen: [], warned: [] });
});

for (const [refuses, seen] of [
  ["open x log", ["open x log"]],
  ["delete x log", ["open x log", "close", "delete x log"]],
]) {
  test(`a browser that refuses to ${refuses.split(" ")[0]} one does not prevent the start`, async () => {
    assert.deepEqual(await run({ refuses }), { seen, warned: ["Sandtable could not make the browser start a new log: Error: no space"] });
  });
}
