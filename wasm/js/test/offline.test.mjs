import assert from "node:assert/strict";
import { test } from "node:test";
import { OfflineFiles } from "../offline.js";
import { setGlobals } from "./globals.mjs";

const scope = "https://example.org/";

/** Fake Cache Storage, in which a deleted cache takes files as before, and a network with every file. */
function browser() {
  const stored = new Map();
  const caches = {
    open: async (name) => {
      const files = stored.get(name) ?? new Map();
      stored.set(name, files);
      return { keys: async () => [...files.keys()].map((url) => ({ url })), put: async (url, response) => void files.set(url, response) };
    },
    keys: async () => [...stored.keys()],
    delete: async (name) => stored.delete(name),
  };
  let now = 0;
  const fetch = async (url) => {
    await new Promise((resolve) => setImmediate(resolve));
    return new Response(url);
  };
  setGlobals({ caches, fetch, Date: { now: () => ++now } });
  return stored;
}

test("two pages that name their files at once leave one whole set", async () => {
  const stored = browser();
  const files = new OfflineFiles(scope);
  await Promise.all([files.keep([scope + "a", scope + "b"]), files.keep([scope + "a", scope + "c"])]);
  assert.deepEqual([...stored.values()].map((cache) => [...cache.keys()]), [[scope + "a", scope + "c"]]);
});

test("a file that the host redirects is kept under both URLs, as an answer to navigations", async () => {
  const stored = browser();
  const redirect = async (url) => Object.defineProperties(new Response("page", { headers: { "content-type": "text/html" } }), { redirected: { value: true }, url: { value: url.replace(".html", "") } });
  setGlobals({ fetch: redirect });
  await new OfflineFiles(scope).keep([scope + "page.html"]);
  const [cache] = stored.values();
  assert.deepEqual([...cache.keys()], [scope + "page.html", scope + "page"]);
  for (const response of cache.values()) {
    assert.deepEqual([response.redirected, response.headers.get("content-type"), await response.text()], [false, "text/html", "page"]);
  }
});

test("a set that cannot be fetched does not keep the next one from being stored", async () => {
  const stored = browser();
  const files = new OfflineFiles(scope);
  const { fetch } = globalThis;
  setGlobals({ fetch: async () => new Response("", { status: 404 }) });
  await assert.rejects(files.keep([scope + "a"]), /status 404/);
  setGlobals({ fetch });
  await files.keep([scope + "b"]);
  assert.deepEqual([...stored.values()].map((cache) => [...cache.keys()]), [[scope + "b"]]);
});
