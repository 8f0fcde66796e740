import assert from "node:assert/strict";
import { test } from "node:test";
import { Shell } from "../shell.js";
import { setGlobals } from "./globals.mjs";

const scope = "https://someone.github.io/sandtable/";

/** Fake Cache Storage and network with the given files; a file's digest is its text. */
function browser(files, { cached = {}, registration = {} } = {}) {
  const stored = new Map();
  const asked = [];
  const caches = {
    open: async (name) => {
      const cache = stored.get(name) ?? new Map();
      stored.set(name, cache);
      return { keys: async () => [...cache.keys()], match: async (url) => cache.get(url)?.clone(), put: async (url, response) => void cache.set(url, response) };
    },
    has: async (name) => stored.has(name),
    keys: async () => [...stored.keys()],
    delete: async (name) => stored.delete(name),
  };
  const fetch = async (request, { cache, integrity } = {}) => {
    const url = request.url ?? request;
    asked.push(url);
    if (files === null) throw new TypeError("Failed to fetch");
    const text = (cache === "default" && cached[url]) || files[url];
    if (text === undefined) return new Response("", { status: 404 });
    if (integrity !== undefined && integrity !== text) throw new TypeError("Failed to fetch");
    return new Response(text);
  };
  setGlobals({ caches, fetch, self: { registration } });
  return { stored, asked };
}

const host = { [scope]: "app 1", [scope + "app.js"]: "loader" };
const build = { "/": "", "/app.js": "loader" };
const page = (url) => ({ url, method: "GET", mode: "navigate" });
const file = (url, method = "GET") => ({ url, method, mode: "no-cors" });
const names = (stored) => [...stored.values()].map((cache) => [...cache.keys()].sort());

test("a build is installed completely", async () => {
  const { stored } = browser(host);
  await new Shell(scope, "1", build).install();
  assert.deepEqual(names(stored), [[scope, scope + "app.js"]]);
});

for (const [name, files, says] of [
  ["missing", { ...build, "/none.js": "none" }, /none\.js could not be loaded: status 404/],
  ["of another build", { ...build, "/app.js": "newer loader" }, /app\.js could not be loaded, or is not that of this version/],
]) {
  test(`a build with a file ${name} is not cached at all`, async () => {
    const { stored } = browser(host);
    await assert.rejects(new Shell(scope, "1", files).install(), says);
    assert.deepEqual(stored.size, 0);
  });
}

test("a page of another build is refused", async () => {
  const { stored } = browser(host);
  await assert.rejects(new Shell(scope, "2", build).install(), /is not that of this version/);
  assert.deepEqual(stored.size, 0);
});

test("a failed install leaves an active worker of the same build intact", async () => {
  const { stored } = browser(host);
  await new Shell(scope, "1", build).install();
  await assert.rejects(new Shell(scope, "1", { ...build, "/none.js": "none" }).install());
  assert.deepEqual(names(stored), [[scope, scope + "app.js"]]);
});

test("an HTTP cache with another build's file is bypassed", async () => {
  const { stored } = browser(host, { cached: { [scope]: "app 0", [scope + "app.js"]: "old loader" } });
  await new Shell(scope, "1", build).install();
  const [cache] = stored.values();
  assert.equal(await cache.get(scope).text(), "app 1");
  assert.equal(await cache.get(scope + "app.js").text(), "loader");
});

test("only other builds of the same scope are dropped", async () => {
  const { stored } = browser({ ...host, [scope]: "apps 1 and 2" });
  await new Shell(scope, "1", { "/": "" }).install();
  await new Shell("https://someone.github.io/other/", "1", {}).install(); // empty but existing
  stored.set("unrelated", new Map());
  const next = new Shell(scope, "2", { "/": "" });
  await next.install();
  await next.clean();
  assert.deepEqual([...stored.keys()].sort(), [
    "sandtable-shell https://someone.github.io/other/ 1",
    "sandtable-shell https://someone.github.io/sandtable/ 2",
    "unrelated",
  ]);
});

for (const state of ["installing", "waiting"]) {
  test(`the files of a newer build that is ${state} are not dropped`, async () => {
    const registration = { [state]: {} };
    const { stored } = browser({ ...host, [scope]: "apps 1 and 2" }, { registration });
    const next = new Shell(scope, "2", { "/": "" });
    await next.install();
    const active = new Shell(scope, "1", { "/": "" });
    await active.install();
    await active.clean();
    assert.equal(stored.size, 2);
    delete registration[state];
    await next.clean();
    assert.deepEqual([...stored.keys()], [`sandtable-shell ${scope} 2`]);
  });
}

test("it handles only pages and files of the build", () => {
  browser(host);
  const shell = new Shell(scope, "1", build);
  assert.equal(shell.handles(file(scope + "app.js")), true);
  assert.equal(shell.handles(page(scope + "elsewhere")), true);
  assert.equal(shell.handles(file(scope + "app.js", "POST")), false);
  assert.equal(shell.handles(file(scope + "other.js")), false);
  assert.equal(shell.handles(file("https://elsewhere.example/app.js")), false);
});

test("files and the app's pages come from the build, other pages from the network", async () => {
  const files = { ...host, [scope + "index.html"]: "app 1", [scope + "demo/"]: "an embedding page" };
  browser(files);
  const shell = new Shell(scope, "1", build, ["/index.html"]);
  await shell.install();
  Object.assign(files, { [scope]: "app 2", [scope + "index.html"]: "app 2", [scope + "app.js"]: "newer loader" });
  assert.equal(await (await shell.answer(file(scope + "app.js#x"))).text(), "loader");
  assert.equal(await (await shell.answer(page(scope + "?account=a#x"))).text(), "app 1");
  assert.equal(await (await shell.answer(page(scope + "index.html?account=a"))).text(), "app 1");
  assert.equal(await (await shell.answer(page(scope + "demo/"))).text(), "an embedding page");
});

test("offline every page is the app, and a missing file stays missing", async () => {
  const online = browser(host);
  await new Shell(scope, "1", build).install();
  const { stored } = browser(null);
  for (const [name, cache] of online.stored) stored.set(name, cache);
  const shell = new Shell(scope, "1", build);
  assert.equal(await (await shell.answer(page(scope + "demo/"))).text(), "app 1");
  await assert.rejects(shell.answer(file(scope + "other.js")), /Failed to fetch/);
});

test("no other origin can put the app's pages into a frame", async () => {
  browser({ ...host, [scope + "demo/"]: "an embedding page" });
  const shell = new Shell(scope, "1", build);
  await shell.install();
  const policy = async (request) => (await shell.answer(request)).headers.get("content-security-policy");
  assert.equal(await policy(page(scope)), "frame-ancestors 'self'");
  assert.equal(await policy(page(scope + "?account=a#x")), "frame-ancestors 'self'");
  assert.equal(await policy(page(scope + "demo/")), null);
  assert.equal(await policy(file(scope + "app.js")), null);
});

test("a file lost from the cache is fetched if the host still has that build", async () => {
  browser(host);
  assert.equal(await (await new Shell(scope, "1", build).file("app.js")).text(), "loader");
  await assert.rejects(new Shell(scope, "1", { "/app.js": "newer loader" }).file("app.js"), /not that of this version/);
});

test("what Cache Storage does not return comes from the network", async () => {
  browser(host);
  caches.open = async () => {
    throw new DOMException("Unexpected internal error.", "UnknownError");
  };
  const shell = new Shell(scope, "1", build);
  assert.equal(await (await shell.answer(page(scope))).text(), "app 1");
  assert.equal(await (await shell.answer(file(scope + "app.js"))).text(), "loader");
  assert.equal(await (await shell.file("app.js")).text(), "loader");
});

test("an install whose cache another build deletes fails", async () => {
  const { stored } = browser(host);
  const { fetch } = globalThis;
  setGlobals({ fetch: async (...request) => (stored.clear(), fetch(...request)) });
  await assert.rejects(new Shell(scope, "1", build).install(), /were deleted while they were loaded/);
});

test("a build of which files are missing is fetched again", async () => {
  const { stored, asked } = browser(host);
  const shell = new Shell(scope, "1", build);
  await shell.install();
  await shell.restore();
  assert.equal(asked.length, 2);
  [...stored.values()][0].delete(scope);
  await shell.restore();
  assert.deepEqual(names(stored), [[scope, scope + "app.js"]]);
});
