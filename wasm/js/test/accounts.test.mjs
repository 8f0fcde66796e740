import assert from "node:assert/strict";
import { test } from "node:test";
import { Accounts } from "../accounts.js";


/** A fake Cache Storage for the list. */
function cache() {
  const kept = new Map();
  const writes = [];
  const open = async () => ({
    match: async (url) => kept.get(url)?.clone(),
    put: async (url, response) => {
      writes.push(url);
      kept.set(url, response);
    },
  });
  return { open, writes };
}

test("a new worker with an empty cache does not know the list", async () => {
  const accounts = new Accounts(cache(), "https://a/");
  assert.equal(accounts.has("abc"), null);
  assert.equal(accounts.known, false);
  assert.equal(await accounts.recall(), false);
  assert.equal(accounts.has("abc"), null);
});

test("the next instance of the worker recalls the list", async () => {
  const store = cache();
  await new Accounts(store, "https://a/").remember(["abc", "def"]);
  const next = new Accounts(store, "https://a/");
  assert.equal(await next.recall(), true);
  assert.equal(next.known, true);
  assert.equal(next.has("abc"), true);
  assert.equal(next.has("ghi"), false);
});

test("recalling does not overwrite a newer list", async () => {
  const store = cache();
  await new Accounts(store, "https://a/").remember(["old"]);
  const accounts = new Accounts(store, "https://a/");
  const recalled = accounts.recall();
  await accounts.remember(["new"]);
  await recalled;
  assert.equal(accounts.has("new"), true);
  assert.equal(accounts.has("old"), false);
});

test("only changes are written", async () => {
  const store = cache();
  const accounts = new Accounts(store, "https://a/");
  for (const names of [["abc"], ["abc"], ["abc", "def"], ["def", "abc"], ["def", "ghi"]]) {
    await accounts.remember(names);
  }
  assert.equal(store.writes.length, 3);
});

test("a forgotten list is unknown until it is recalled", async () => {
  const accounts = new Accounts(cache(), "https://a/");
  await accounts.remember(["abc"]);
  accounts.forget();
  assert.equal(accounts.has("abc"), null);
  assert.equal(await accounts.recall(), true);
  assert.equal(accounts.has("abc"), true);
});
