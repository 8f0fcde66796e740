// The worker of an embedding page: updates, and plain workers where there are no service workers.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { outcome, pageOf, reads, visitSite, writes } from "../lib/embed-site.mjs";
import { embedding, rows, useSDK } from "../lib/embedding.mjs";
import { test } from "../lib/test.mjs";

const here = embedding();

test("a new version waits, is reported, and takes control on request", async () => {
  const { url, files } = await here.site("/", { "index.html": pageOf("{ fallback: false }"), "sandtable-worker.js": 'importScripts("lib/sandtable-worker.js"); // 1' }, { copied: "lib/" });
  files["index.html"] = pageOf("{ fallback: false }", "./lib/sandtable.js");
  const page = await visitSite(here.browser, url);
  assert.equal(page.outcome, "started");
  files["sandtable-worker.js"] += "2";
  const result = await page.evaluate(async () => {
    const update = new Promise((resolve) => sandtable.on("update", resolve));
    globalThis.events = [];
    sandtable.on("change", (change) => events.push(change));
    const old = navigator.serviceWorker.controller;
    await (await navigator.serviceWorker.getRegistration()).update();
    const found = await update;
    const before = navigator.serviceWorker.controller === old;
    const changed = new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true }));
    await found.take();
    await changed;
    return [before, navigator.serviceWorker.controller === old];
  });
  assert.deepEqual(result, [true, false]);
  // The page receives other pages' changes before it has sent a request itself.
  await page.waitForFunction(() => events.filter(({ kind }) => kind === "lost").length === 2, { polling: 20 });
  const other = await visitSite(here.browser, url);
  await other.evaluate(() => new sdk.TableClient(sandtable.endpoint(), "Elsewhere").createTable());
  await page.waitForFunction(() => events.some(({ table }) => table === "Elsewhere"), { polling: 20 });
  assert.deepEqual(await useSDK(page, "ByFetch", false), rows);
  assert.deepEqual(await useSDK(page, "ByClient", true), rows);
});

test("an update while pages write loses no acknowledged write", async () => {
  const { url, files } = await here.site("/", { "index.html": pageOf("{ fallback: false }", "./lib/sandtable.js"), "sandtable-worker.js": 'importScripts("lib/sandtable-worker.js"); // 1' }, { copied: "lib/" });
  const pages = [await visitSite(here.browser, url), await visitSite(here.browser, url)];
  await pages[0].evaluate(() => new sdk.TableClient(sandtable.endpoint(), "Load").createTable());
  for (const [i, page] of pages.entries()) {
    await page.evaluate((i) => {
      globalThis.load = { written: 0, stop: false, pause: null, goOn: () => {} };
      const retryOptions = { maxRetries: 50, maxRetryDelayInMs: 1000 };
      const client = new sdk.TableClient(sandtable.endpoint(), "Load", i === 0 ? { retryOptions } : { retryOptions, httpClient: sandtable.httpClient });
      globalThis.writing = (async () => {
        for (; !load.stop; load.written++) {
          await load.pause;
          await client.upsertEntity({ partitionKey: "page " + i, rowKey: String(load.written) });
        }
      })();
    }, i);
  }
  const more = () =>
    Promise.all(
      pages.map(async (page) => {
        const { written } = await page.evaluate(() => load);
        await page.waitForFunction((written) => load.written > written + 5, { polling: 20 }, written);
      }),
    );
  await more();
  files["sandtable-worker.js"] += "2";
  // The browser may wait until the old worker is idle, which it is when the pages pause.
  let paused = Promise.resolve();
  const slow = setTimeout(() => {
    paused = Promise.all(pages.map((page) => page.evaluate(() => (load.pause = new Promise((resolve) => (load.goOn = resolve))) && undefined)));
  }, 10_000);
  await pages[0].evaluate(async () => {
    const update = new Promise((resolve) => sandtable.on("update", resolve));
    const changed = new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", () => resolve(), { once: true }));
    await (await navigator.serviceWorker.getRegistration()).update();
    await (await update).take();
    await changed;
  });
  clearTimeout(slow);
  await paused;
  for (const page of pages) await page.evaluate(() => load.goOn());
  await more();
  const written = await Promise.all(pages.map((page) => page.evaluate(() => ((load.stop = true), writing.then(() => load.written)))));
  const { entities } = await pages[0].evaluate(() => sandtable.status());
  assert.equal(entities, written[0] + written[1]);
  for (const { problems } of pages) assert.deepEqual(problems, []);
});

test("a page that is not answered while a new version waits reloads once", async () => {
  // Chromium loads such a page while it stops the old version. Here the site's listener makes one.
  const worker = `let missed = 0;
    addEventListener("message", ({ data }) => data.miss && (missed = data.miss));
    addEventListener("fetch", (event) => missed > 0 && event.request.url.endsWith("_sandtable/worker") && (missed--, event.respondWith(new Response(null, { status: 404 }))));
    importScripts("sandtable-worker.js"); // 1`;
  const { url, files } = await here.site("/", { "index.html": pageOf('{ fallback: false, worker: "worker.js" }'), "worker.js": worker });
  const page = await visitSite(here.browser, url);
  assert.equal(page.outcome, "started");
  const missing = async (times) => {
    await page.evaluate((miss) => navigator.serviceWorker.controller.postMessage({ miss }), times);
    await page.goto(url);
    const started = await page.waitForFunction(() => globalThis.started, { polling: 20 }); // also after a reload
    return [(await started.jsonValue()).code, await page.evaluate(() => loads)];
  };
  assert.deepEqual(await missing(1), ["NotIntercepted", 2]);
  files["worker.js"] += "2";
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration.update();
    while (registration.waiting === null) await new Promise((resolve) => setTimeout(resolve, 20));
  });
  assert.deepEqual(await missing(1), [undefined, 4]);
  assert.deepEqual(await missing(1), [undefined, 6]); // at once again
  assert.deepEqual(await missing(2), ["NotIntercepted", 8]);
});

test("without a service worker, a plain worker answers the page's fetch", async () => {
  const { url } = await here.site("/some/folder/", { "index.html": pageOf('{ fallback: "worker", accounts: ["demo"] }'), "frame.html": "<!doctype html>a frame" });
  const page = await visitSite(here.browser, url);
  assert.equal(page.outcome, "started");
  const status = await page.evaluate(() => sandtable.status());
  assert.equal(status.mode, "worker");
  assert.ok(status.lost.length > 0);
  assert.equal(status.store, "indexeddb");
  assert.deepEqual(await useSDK(page, "ByFetch", false), rows);
  assert.deepEqual(await useSDK(page, "ByClient", true), rows);
  const result = await page.evaluate(async () => {
    const own = await fetch("table/demo/Tables");
    const other = await fetch("frame.html");
    const aborted = await fetch(sandtable.endpoint("demo") + "/Tables", { signal: AbortSignal.abort() }).catch(({ name }) => name);
    const posted = await fetch(new Request(sandtable.endpoint("demo") + "/Tables", { method: "POST", headers: { "content-type": "application/json" }, body: '{"TableName":"Posted"}' }));
    return [own.status, own.url, await other.text(), aborted, posted.status];
  });
  assert.deepEqual(result, [200, url + "table/demo/Tables", "<!doctype html>a frame", "AbortError", 201]);
  // The next page has its data, with or without a service worker.
  await page.goto("about:blank");
  await page.goto(url);
  assert.equal(await outcome(page), "started");
  assert.deepEqual(await page.evaluate(async () => (await new sdk.TableClient(sandtable.endpoint(), "ByFetch").getEntity("p", "é")).m), 2);
  await page.evaluate(() => sandtable.close());
  assert.match(await page.evaluate(() => fetch.toString()), /native code/);
  assert.deepEqual(page.problems, []);
});

test("a page falls back to a plain worker where service workers are refused", async () => {
  const { url } = await here.site("/", { "index.html": pageOf() });
  const page = await here.browser.newPage();
  await page.evaluateOnNewDocument(() => {
    ServiceWorkerContainer.prototype.register = async () => {
      throw new DOMException("Not in this window.", "SecurityError");
    };
  });
  await page.goto(url);
  assert.equal(await outcome(page), "started");
  const { mode, why } = await page.evaluate(() => sandtable.status());
  assert.equal(mode, "worker");
  assert.match(why, /Not in this window/);
  assert.deepEqual(await useSDK(page, "ByFetch", false), rows);
});

test("pages of several folders share one store, with and without a service worker", async () => {
  const registered = '{ fallback: "worker", worker: await navigator.serviceWorker.register("/site/sandtable-worker.js") }';
  for (const options of ["{ fallback: false }", '{ fallback: "worker" }', '{ fallback: "worker", worker: "/site/sandtable-worker.js" }', registered]) {
    const page = (module, bundle) => pageOf(options, module).replace("sdk.js", bundle);
    const { url } = await here.site("/site/", { "index.html": page("./sandtable.js", "sdk.js"), "guide/index.html": page("../sandtable.js", "../sdk.js"), "docs/index.html": page("../assets/sandtable.js", "../sdk.js"), "assets/sandtable.js": await readFile(new URL("../../dist/embed/sandtable.js", import.meta.url)) });
    const top = await visitSite(here.browser, url);
    assert.equal(top.outcome, "started", options);
    assert.equal(await writes(top, "Shared"), 1);
    // A bundler's module is in a folder without the worker, so such a page names it.
    for (const folder of options.includes("/site/") ? ["guide/", "docs/"] : ["guide/"]) {
      const below = await visitSite(here.browser, url + folder);
      assert.equal(below.outcome, "started", options);
      assert.equal(await reads(below, "Shared"), 1, options + folder);
    }
  }
});

test("two clients in a page are independent", async () => {
  for (const options of ["{ fallback: false }", '{ fallback: "worker" }']) {
    const { url } = await here.site("/", { "index.html": pageOf(options) });
    const page = await visitSite(here.browser, url);
    assert.equal(await page.evaluate(`Sandtable.start(${options}).then((second) => (sandtable.close(), globalThis.sandtable = second, "started"))`), "started");
    assert.deepEqual(await useSDK(page, "ByFetch", false), rows, options);
    assert.deepEqual(await useSDK(page, "ByClient", true), rows, options);
  }
});

test("tabs without a service worker share one engine, and another tab starts it when its tab closes", async () => {
  const { url } = await here.site("/", { "index.html": pageOf('{ fallback: "worker" }') });
  const tabs = [];
  for (let i = 0; i < 3; i++) tabs.push(await visitSite(here.browser, url));
  assert.deepEqual(tabs.map(({ outcome }) => outcome), Array(3).fill("started"));
  await tabs[0].evaluate(() => new sdk.TableClient(sandtable.endpoint(), "Shared").createTable());
  const write = (tab, key) => tab.evaluate((key) => new sdk.TableClient(sandtable.endpoint(), "Shared").createEntity({ partitionKey: "p", rowKey: key }).then(() => "done"), key);
  const keys = async (tab) =>
    tab.evaluate(async () => {
      const keys = [];
      for await (const { rowKey } of new sdk.TableClient(sandtable.endpoint(), "Shared", { httpClient: sandtable.httpClient }).listEntities()) keys.push(rowKey);
      return keys;
    });
  assert.deepEqual(await Promise.all(tabs.map((tab, i) => write(tab, String(i)))), Array(3).fill("done"));
  assert.deepEqual(await keys(tabs[2]), ["0", "1", "2"]);
  await tabs[0].close(); // it ran the engine
  assert.equal(await write(tabs[1], "3"), "done");
  assert.deepEqual(await keys(tabs[2]), ["0", "1", "2", "3"]);
  await tabs[1].evaluate(() => sandtable.close());
  assert.equal(await write(tabs[2], "4"), "done");
  assert.deepEqual(await keys(tabs[2]), ["0", "1", "2", "3", "4"]);
});

test("an account that a tab without a service worker creates is answered for in a tab with one", async () => {
  const { url } = await here.site("/", { "index.html": pageOf(), "plain.html": pageOf('{ fallback: "worker" }') });
  const page = await visitSite(here.browser, url);
  assert.deepEqual(await useSDK(page, "Here", false), rows); // its worker knows the list now
  const plain = await visitSite(here.browser, url + "plain.html");
  await plain.evaluate(() => sandtable.accounts.create("shop"));
  const status = (page) => page.evaluate(() => fetch(sandtable.endpoint("shop") + "/Tables", { headers: { accept: "application/json" } }).then(({ status }) => status, String));
  assert.deepEqual([await status(plain), await status(page)], [200, 200]);
});

test("a plain worker of a newer version leaves the service worker its engine", async () => {
  const { url, files } = await here.site("/", { "index.html": pageOf(), "plain.html": pageOf('{ fallback: "worker" }') });
  const page = await visitSite(here.browser, url);
  const { build } = await page.evaluate(() => sandtable.status());
  const kept = () => page.evaluate((build) => caches.keys().then((names) => names.some((name) => name.endsWith(build))), build);
  assert.equal(await kept(), true);
  const worker = await readFile(new URL("../../dist/embed/sandtable-worker.js", import.meta.url), "utf8");
  files["sandtable-worker.js"] = worker.replaceAll(build, build.split("").reverse().join(""));
  const plain = await visitSite(here.browser, url + "plain.html");
  assert.deepEqual(await useSDK(plain, "Plain", true), rows);
  assert.equal(await kept(), true);
});
