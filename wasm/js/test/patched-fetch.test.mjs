// The page's own fetch, where no service worker answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { patchFetch } from "../client/patched-fetch.js";

test("the original fetch is back when all patches are undone, in any order", (t) => {
  const original = globalThis.fetch;
  t.after(() => (globalThis.fetch = original));
  const patch = () => patchFetch(() => false, async () => null, () => undefined);
  for (const order of [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]]) {
    const undo = [patch(), patch(), patch()];
    order.forEach((at) => undo[at]());
    assert.equal(globalThis.fetch, original, String(order));
  }
});

test("what another script patched is left alone", (t) => {
  const original = globalThis.fetch;
  t.after(() => (globalThis.fetch = original));
  const undo = patchFetch(() => true, async () => null, () => undefined);
  const theirs = async () => new Response();
  globalThis.fetch = theirs;
  undo();
  assert.equal(globalThis.fetch, theirs);
});
