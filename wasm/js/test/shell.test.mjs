import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const scope = "https://someone.github.io/sandtable/";

/** Cache Storage and a network that has the given files. */
function browser(files) {
  const stored = new Map();
  const caches = {
    open: async (name) => {
      const cache = stored.get(name) ?? new Map();
      stored.set(name, cache);
      return { match: async (url) => cache.get(url)?.clone(), put: async (url, response) => void cache.set(url, response) };
    },
    keys: async () => [...stored.keys()],
    delete: async (name) => stored.delete(name),
  };
  const fetch = async (request) => {
    const url = request.url ?? request;
    if (files === null) throw new TypeError("Failed to fetch");
    return url in files ? new Response(files[url]) : new Response("", { status: 404 });
  };
  const { Shell } = load(["shell"], ["Shell"], { caches, fetch });
  return { Shell, stored };
}

const build = { [scope]: "app", [scope + "app.js"]: "loader" };
const page = (url) => ({ url, method: "GET", mode: "navigate" });
const file = (url, method = "GET") => ({ url, method, mode: "no-cors" });

test("a build is installed whole", async () => {
  const { Shell, stored } = browser(build);
  await new Shell(scope, "1", ["/", "/app.js"]).install();
  assert.deepEqual([...stored.values()].map((cache) => [...cache.keys()].sort()), [[scope, scope + "app.js"]]);
});

test("a build with a file missing is not installed", async () => {
  const { Shell } = browser(build);
  await assert.rejects(new Shell(scope, "1", ["/", "/none.js"]).install(), /none\.js: status 404/);
});

test("only other builds of the same scope are dropped", async () => {
  const { Shell, stored } = browser(build);
  await new Shell(scope, "1", ["/"]).install();
  await new Shell("https://someone.github.io/other/", "1", []).install(); // empty, but there
  stored.set("somebody else's", new Map());
  const next = new Shell(scope, "2", ["/"]);
  await next.install();
  await next.clean();
  assert.deepEqual([...stored.keys()].sort(), [
    "sandtable-shell https://someone.github.io/other/ 1",
    "sandtable-shell https://someone.github.io/sandtable/ 2",
    "somebody else's",
  ]);
});

test("it handles files of the build and pages, and nothing else", () => {
  const { Shell } = browser(build);
  const shell = new Shell(scope, "1", ["/", "/app.js"]);
  assert.equal(shell.handles(file(scope + "app.js")), true);
  assert.equal(shell.handles(page(scope + "gallery")), true);
  assert.equal(shell.handles(file(scope + "app.js", "POST")), false);
  assert.equal(shell.handles(file(scope + "other.js")), false);
  assert.equal(shell.handles(file("https://elsewhere.example/app.js")), false);
});

test("files come from the build, other pages from the network", async () => {
  const { Shell } = browser({ ...build, [scope + "gallery"]: "gallery" });
  const shell = new Shell(scope, "1", ["/", "/app.js"]);
  await shell.install();
  assert.equal(await (await shell.answer(file(scope + "app.js#x"))).text(), "loader");
  assert.equal(await (await shell.answer(page(scope + "gallery"))).text(), "gallery");
});

test("without a network every page is the app, and a file that is missing is missing", async () => {
  const online = browser(build);
  await new online.Shell(scope, "1", ["/"]).install();
  const { Shell, stored } = browser(null);
  for (const [name, cache] of online.stored) stored.set(name, cache);
  const shell = new Shell(scope, "1", ["/"]);
  assert.equal(await (await shell.answer(page(scope + "gallery"))).text(), "app");
  await assert.rejects(shell.answer(file(scope + "other.js")), /Failed to fetch/);
});

test("a file that was lost from the build is fetched", async () => {
  const { Shell } = browser(build);
  assert.equal(await (await new Shell(scope, "1", []).file("app.js")).text(), "loader");
});
