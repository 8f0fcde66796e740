// Sandtable in an embedding page: first visits, worker locations, start errors.

import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { stopWorkers } from "../lib/browser.mjs";
import { outcome, pageOf, visitSite } from "../lib/embed-site.mjs";
import { embedding, rows, useSDK } from "../lib/embedding.mjs";
import { test } from "../lib/test.mjs";

const here = embedding();

for (const folder of ["/", "/some/folder/"]) {
  test(`a page at ${folder} works on its first visit`, async () => {
    const { url, requested } = await here.site(folder, { "index.html": pageOf('{ accounts: ["demo", { name: "another" }] }') });
    const page = await visitSite(here.browser, url);
    assert.equal(page.outcome, "started");
    assert.equal(await page.evaluate(() => loads), 1);
    assert.deepEqual(await useSDK(page, "ByFetch", false), rows);
    assert.deepEqual(await useSDK(page, "ByClient", true), rows);
    assert.deepEqual(await page.evaluate(async () => (await sandtable.accounts.list()).map(({ name }) => name)), ["another", "demo", "devstoreaccount1"]);
    const status = await page.evaluate(() => sandtable.status());
    assert.equal(status.mode, "service worker");
    assert.equal(status.client, status.worker);
    assert.deepEqual(status.lost, []);
    await page.reload();
    assert.equal(await outcome(page), "started");
    const n = await page.evaluate(async () => (await new sdk.TableClient(sandtable.endpoint(), "ByFetch").getEntity("p", "é")).n);
    assert.equal(n, 1);
    assert.deepEqual(page.problems, []);
    assert.equal(requested.filter((path) => path.endsWith(".wasm")).length, 1);
  });
}

test("a site's own worker imports Sandtable from a folder and keeps its own listeners", async () => {
  const worker = `
    importScripts("lib/sandtable/sandtable-worker.js");
    self.addEventListener("install", () => self.skipWaiting());
    self.addEventListener("fetch", (event) => {
      if (event.request.url.endsWith("/hello")) event.respondWith(new Response("the site's own"));
      else if (event.request.url.includes("table")) event.respondWith(new Response("it should not see this", { status: 418 }));
    });
    self.addEventListener("message", ({ data, source }) => data === "hello" && source.postMessage("the site's own"));
  `;
  const { url, requested } = await here.site("/app/", { "index.html": pageOf('{ worker: "worker.js", fallback: false }', "./lib/sandtable/sandtable.js"), "worker.js": worker }, { copied: "lib/sandtable/" });
  const page = await visitSite(here.browser, url);
  assert.equal(page.outcome, "started");
  assert.deepEqual(await useSDK(page, "ByFetch", false), rows);
  assert.deepEqual(await useSDK(page, "ByClient", true), rows);
  assert.equal(await page.evaluate(async () => (await fetch("hello")).text()), "the site's own");
  const answer = await page.evaluate(
    () =>
      new Promise((resolve) => {
        navigator.serviceWorker.addEventListener("message", ({ data }) => resolve(data));
        navigator.serviceWorker.controller.postMessage("hello");
      }),
  );
  assert.equal(answer, "the site's own");
  assert.ok(requested.some((path) => /^\/app\/lib\/sandtable\/engine\.[0-9a-f]+\.wasm$/.test(path)), requested.join(" "));
});

test("Sandtable in a folder of its own needs a one-line worker next to the page", async () => {
  const { url } = await here.site("/", { "index.html": pageOf("{ fallback: false }", "./sandtable/sandtable.js"), "sandtable-worker.js": 'importScripts("sandtable/sandtable-worker.js");' }, { copied: "sandtable/" });
  const page = await visitSite(here.browser, url);
  assert.equal(page.outcome, "started");
  assert.deepEqual(await useSDK(page, "ByFetch", false), rows);
});

test("start uses the site's own registration", async () => {
  const { url } = await here.site("/", { "index.html": pageOf('{ worker: await navigator.serviceWorker.register("sandtable-worker.js"), fallback: false }') });
  assert.equal((await visitSite(here.browser, url)).outcome, "started");
});

test("a bundle that is a classic script finds the worker next to the page", async () => {
  const entry = { contents: 'export { start } from "./sandtable.js";', resolveDir: fileURLToPath(new URL("../../dist/embed", import.meta.url)) };
  const { outputFiles } = await build({ stdin: entry, bundle: true, write: false, format: "iife", globalName: "Sandtable", logLevel: "error" });
  for (const [options, mode] of [['{ fallback: false, offline: ["sdk.js"] }', "service worker"], ['{ fallback: "worker" }', "worker"]]) {
    const html = `<!doctype html><script src="bundle.js"></script><script>
      globalThis.started = Sandtable.start(${options}).then((s) => (globalThis.sandtable = s, "started"), String);
    </script>`;
    const { url } = await here.site("/", { "index.html": html, "bundle.js": outputFiles[0].text });
    const page = await visitSite(here.browser, url);
    assert.equal(page.outcome, "started");
    assert.equal((await page.evaluate(() => sandtable.status())).mode, mode);
  }
});

const problems = [
  ["an unknown option", {}, "{ workers: 1 }", "InvalidOption", /there is no option "workers"/],
  ["an invalid account name", {}, '{ accounts: ["A"] }', "InvalidOption", /"A" is not an account's name/],
  ["an account that is neither a name nor an object", {}, "{ accounts: [null] }", "InvalidOption", /accounts is a list of names, or of \{ name, access \}/],
  ["a worker that is no address", {}, "{ worker: 42 }", "InvalidOption", /worker is the address of a script, or a registration/],
  ["a seed that is no archive", {}, "{ seed: 42 }", "InvalidOption", /start\(\): seed is an archive/],
  ["a scope that is no folder", {}, '{ scope: "/app" }', "InvalidOption", /scope ends in a slash: http:.*\/app/],
  ["a registration whose scope is no folder", {}, '{ worker: await navigator.serviceWorker.register("lib/sandtable-worker.js", { scope: "lib/page" }) }', "InvalidOption", /scope ends in a slash/],
  ["an invalid address of the worker", {}, '{ worker: "https://[" }', "InvalidOption", /worker is not an address: https:\/\/\[/],
  ["an invalid scope", {}, '{ scope: "https://[" }', "InvalidOption", /scope is not an address/],
  ["an invalid address among the offline files", {}, '{ offline: ["./", "https://["] }', "InvalidOption", /offline is not an address/],
  ["a missing worker", {}, '{ worker: "none.js", fallback: false }', "RegistrationFailed", /on the page's own origin/],
  ["a worker whose scope does not include the page", {}, '{ worker: "lib/sandtable-worker.js", fallback: false }', "OutOfScope", /Copy sandtable-worker\.js to the folder of the page/],
  ["a registration whose scope does not include the page", {}, '{ worker: await navigator.serviceWorker.register("lib/sandtable-worker.js"), fallback: false }', "OutOfScope", /answers pages below .*\/lib\/, and this one is not/],
  ["a foreign worker", { "own.js": "self.addEventListener('fetch', () => {});" }, '{ worker: "own.js", fallback: false }', "NotSandtable", /importScripts/],
  ["a site's own worker that is not named", { "own.js": "", "sandtable-worker.js": 'importScripts("lib/sandtable-worker.js");' }, '(await navigator.serviceWorker.register("own.js"), { fallback: false })', "NotSandtable", /own\.js, which would be replaced/],
  ["a worker that answers first", { "own.js": "self.addEventListener('fetch', (e) => e.respondWith(new Response('mine')));importScripts('lib/sandtable-worker.js');" }, '{ worker: "own.js", fallback: false }', "NotIntercepted", /first/],
  ["a worker with a missing import", { "own.js": "importScripts('none.js');" }, '{ worker: "own.js", fallback: false }', "RegistrationFailed", /registered/],
];

for (const [name, files, options, code, message] of problems) {
  test(`${name} fails with a clear error`, async () => {
    const { url } = await here.site("/", { "index.html": pageOf(options, "./lib/sandtable.js"), ...files }, { copied: "lib/" });
    const { outcome } = await visitSite(here.browser, url);
    assert.equal(outcome.name, "SandtableError", JSON.stringify(outcome));
    assert.equal(outcome.code, code);
    assert.match(outcome.message, message);
  });
}

for (const fallback of ["false", '"worker"']) {
  test(`an engine that the host answered with another page is not kept (fallback: ${fallback})`, async () => {
    const { url, files } = await here.site("/", { "index.html": pageOf(`{ fallback: ${fallback} }`) });
    const engine = (await readdir(new URL("../../dist/embed/", import.meta.url))).find((name) => name.endsWith(".wasm"));
    files[engine] = "<!doctype html>In a moment";
    const early = await visitSite(here.browser, url);
    const { code } = early.outcome === "started" ? await useSDK(early, "Early", true) : early.outcome;
    assert.equal(code, fallback === "false" ? "RegistrationFailed" : "EngineNotLoaded");
    await early.close();
    delete files[engine];
    const page = await visitSite(here.browser, url);
    assert.equal(page.outcome, "started");
    assert.deepEqual(await useSDK(page, "Late", true), rows);
  });
}

test("a frame without allow-same-origin fails with a clear error", async () => {
  const frame = '<!doctype html><script type="module">import { start } from "./sandtable.js"; globalThis.started = start().catch(({ code, message }) => ({ code, message }));</script>';
  const { url } = await here.site("/", { "index.html": '<!doctype html><iframe sandbox="allow-scripts" src="frame.html"></iframe>', "frame.html": frame }, { shared: true });
  const page = await here.browser.newPage();
  await page.goto(url);
  const { code, message } = await outcome(page.mainFrame().childFrames()[0]);
  assert.equal(code, "NoWorker", message);
  assert.match(message, /allow-same-origin/);
});

test("a page recovers from a reload that bypasses the worker", async () => {
  const { url } = await here.site("/", { "index.html": pageOf("{ fallback: false }") });
  const page = await visitSite(here.browser, url);
  const session = await page.createCDPSession();
  const loaded = new Promise((resolve) => page.once("domcontentloaded", resolve));
  await session.send("Page.reload", { ignoreCache: true });
  await loaded;
  assert.equal(await outcome(page), "started");
  assert.equal(await page.evaluate(() => loads), 2); // the worker claims the page without another reload
  assert.deepEqual(await useSDK(page, "ByFetch", false), rows);
});

test("the second visit works offline", async () => {
  const { url, stop } = await here.site("/", { "index.html": pageOf("{ fallback: false }") }, { fresh: true });
  const first = await visitSite(here.browser, url);
  assert.deepEqual(await useSDK(first, "Before", false), rows);
  await first.close();
  stop();
  const page = await visitSite(here.browser, url);
  assert.equal(page.outcome, "started");
  await stopWorkers(page);
  assert.equal(await page.evaluate(async () => (await new sdk.TableClient(sandtable.endpoint(), "Before").getEntity("p", "é")).n), 1);
  assert.deepEqual(await useSDK(page, "Offline", true), rows);
});

test("direct requests continue after the worker is stopped between them", async () => {
  const { url } = await here.site("/", { "index.html": pageOf() });
  const page = await visitSite(here.browser, url);
  assert.deepEqual(await useSDK(page, "Before", true), rows);
  for (let i = 0; i < 3; i++) {
    await stopWorkers(page);
    assert.deepEqual(await useSDK(page, `Behind${i}`, true), rows);
  }
});

test("a stopped worker's direct requests are retried if they read and refused as busy if they write", async () => {
  const { url } = await here.site("/", { "index.html": pageOf() });
  const page = await visitSite(here.browser, url);
  await page.evaluate(async () => {
    globalThis.client = new sdk.TableClient(sandtable.endpoint(), "Stopped", { httpClient: sandtable.httpClient });
    await client.createTable();
    await client.createEntity({ partitionKey: "p", rowKey: "r" });
    globalThis.counts = { reads: 0, writes: 0, stop: false };
    globalThis.reading = (async () => {
      for (; !counts.stop; counts.reads++) await client.getEntity("p", "r");
    })();
    globalThis.writing = (async () => {
      for (; !counts.stop; counts.writes++) await client.upsertEntity({ partitionKey: "w", rowKey: String(counts.writes) });
    })();
  });
  for (let i = 0; i < 5; i++) {
    const { reads } = await page.evaluate(() => counts);
    await page.waitForFunction((reads) => counts.reads > reads + 5, { polling: 20 }, reads);
    await stopWorkers(page);
  }
  const [written, found] = await page.evaluate(async () => {
    counts.stop = true;
    await Promise.all([reading, writing]); // neither fails
    let found = 0;
    for await (const _ of client.listEntities({ queryOptions: { filter: "PartitionKey eq 'w'" } })) found++;
    return [counts.writes, found];
  });
  assert.equal(found, written);
  assert.deepEqual(page.problems, []);
});
