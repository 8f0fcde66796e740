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
      if (full) throw new DOMException("Quota exceeded.", "QuotaExceededError");
      kept.set(url, response);
    },
    delete: async (url) => kept.delete(url),
  });
  let full = false;
  return { open, writes, fill: () => (full = true) };
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

test("recalling does not overwrite a list that is newer than what was read", async () => {
  const store = cache();
  await new Accounts(store, "https://a/").remember(["old"]);
  const accounts = new Accounts(store, "https://a/");
  const { open } = store;
  store.open = async () => ({ match: async () => ({ json: async () => (await accounts.remember(["new"]), ["old"]) }), put: async () => {} });
  await accounts.recall();
  store.open = open;
  assert.equal(accounts.has("new"), true);
});

test("a list that another worker replaces while it is recalled is recalled again", async () => {
  const store = cache();
  const other = new Accounts(store, "https://a/");
  await other.remember(["old"]);
  const accounts = new Accounts(store, "https://a/");
  const { open } = store;
  store.open = async () => {
    const { match } = await open();
    return {
      async match(url) {
        const found = await match(url);
        store.open = open;
        await other.remember(["new"]);
        accounts.forget(); // the other worker has announced it
        return found;
      },
    };
  };
  await accounts.recall();
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

test("a list that finds no space is known, and no outdated one is stored", async () => {
  const store = cache();
  const accounts = new Accounts(store, "https://a/");
  await accounts.remember(["abc"]);
  store.fill();
  await accounts.remember(["abc", "def"]);
  assert.equal(accounts.has("def"), true);
  assert.equal(await new Accounts(store, "https://a/").recall(), false);
});

test("a discarded list is unknown, also to the next instance of the worker", async () => {
  const store = cache();
  const accounts = new Accounts(store, "https://a/");
  await accounts.remember(["abc"]);
  await accounts.discard();
  assert.equal(accounts.has("abc"), null);
  assert.equal(await accounts.recall(), false);
});

test("a store that does not open once gets the list; one that never opens keeps none", async () => {
  for (const [failures, stored] of [[1, true], [2, false]]) {
    const store = cache();
    let left = failures;
    const failing = { open: () => (left-- > 0 ? Promise.reject(new Error("no Cache Storage")) : store.open()) };
    const accounts = new Accounts(failing, "https://a/");
    await accounts.remember(["abc"]);
    assert.equal(accounts.has("abc"), true);
    assert.equal(await new Accounts(store, "https://a/").recall(), stored);
  }
});
