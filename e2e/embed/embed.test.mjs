// Sandtable in somebody's page: the module, its worker and what it is without one.

import assert from "node:assert/strict";
import { after, before, test } from "../lib/test.mjs";
import { dropProfile, launch, newProfile, stopWorkers } from "../lib/browser.mjs";
import { outcome, pageOf, serveSite, visitSite } from "../lib/embed-site.mjs";

let profile, browser;
const sites = [];

before(async () => {
  profile = await newProfile();
  browser = await launch(profile);
});

after(async () => {
  await browser?.close();
  sites.forEach((site) => site.stop());
  await dropProfile(profile);
});

/** A site of its own, which is an origin of its own, for one test. */
async function site(folder, files, how) {
  const made = await serveSite(folder, files, how);
  sites.push(made);
  return made;
}

/** Writes and reads with the SDK in a page; by fetch, or by the client of Sandtable. */
function useSDK(page, table, direct) {
  return page.evaluate(
    async (table, direct) => {
      const options = direct ? { httpClient: sandtable.httpClient } : {};
      const client = new sdk.TableClient(sandtable.endpoint(), table, options);
      await client.createTable();
      await client.createEntity({ partitionKey: "p", rowKey: "é", n: 1 });
      await client.updateEntity({ partitionKey: "p", rowKey: "é", m: 2 }, "Merge");
      await client.submitTransaction([["create", { partitionKey: "p", rowKey: "2" }], ["create", { partitionKey: "p", rowKey: "3" }]]);
      await client.deleteEntity("p", "3");
      const rows = [];
      for await (const { rowKey, n, m } of client.listEntities()) rows.push([rowKey, n ?? null, m ?? null]);
      return rows;
    },
    table,
    direct,
  );
}

const rows = [["2", null, null], ["é", 1, 2]];

for (const folder of ["/", "/some/folder/"]) {
  test(`a page at ${folder} is answered from its first visit on`, async () => {
    const { url, asked } = await site(folder, { "index.html": pageOf('{ accounts: ["demo", { name: "another" }] }') });
    const page = await visitSite(browser, url);
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
    assert.deepEqual(page.trouble, []);
    assert.equal(asked.filter((path) => path.endsWith(".wasm")).length, 1);
  });
}

test("a site's own worker imports it from a folder, and its own listeners go on answering", async () => {
  const worker = `
    importScripts("lib/sandtable/sandtable-worker.js");
    self.addEventListener("install", () => self.skipWaiting());
    self.addEventListener("fetch", (event) => {
      if (event.request.url.endsWith("/hello")) event.respondWith(new Response("the site's own"));
      else if (event.request.url.includes("table")) event.respondWith(new Response("it should not see this", { status: 418 }));
    });
    self.addEventListener("message", ({ data, source }) => data === "hello" && source.postMessage("the site's own"));
  `;
  const { url, asked } = await site("/app/", { "index.html": pageOf('{ worker: "worker.js", fallback: false }', "./lib/sandtable/sandtable.js"), "worker.js": worker }, { copied: "lib/sandtable/" });
  const page = await visitSite(browser, url);
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
  assert.ok(asked.some((path) => /^\/app\/lib\/sandtable\/engine\.[0-9a-f]+\.wasm$/.test(path)), asked.join(" "));
});

test("a folder of its own needs one line beside the page", async () => {
  const { url } = await site("/", { "index.html": pageOf("{ fallback: false }", "./sandtable/sandtable.js"), "sandtable-worker.js": 'importScripts("sandtable/sandtable-worker.js");' }, { copied: "sandtable/" });
  const page = await visitSite(browser, url);
  assert.equal(page.outcome, "started");
  assert.deepEqual(await useSDK(page, "ByFetch", false), rows);
});

test("the site's own registration will do", async () => {
  const { url } = await site("/", { "index.html": pageOf('{ worker: await navigator.serviceWorker.register("sandtable-worker.js"), fallback: false }') });
  assert.equal((await visitSite(browser, url)).outcome, "started");
});

const troubles = [
  ["an option that is none", {}, "{ workers: 1 }", "InvalidOption", /there is no option "workers"/],
  ["an account's name that is none", {}, '{ accounts: ["A"] }', "InvalidOption", /"A" is not an account's name/],
  ["a worker that is not there", {}, '{ worker: "none.js", fallback: false }', "RegistrationFailed", /on the page's own origin/],
  ["a worker whose folder does not have the page", {}, '{ worker: "lib/sandtable-worker.js", fallback: false }', "OutOfScope", /Copy sandtable-worker\.js to the folder of the page/],
  ["a worker that is somebody else's", { "own.js": "self.addEventListener('fetch', () => {});" }, '{ worker: "own.js", fallback: false }', "NotSandtable", /importScripts/],
  ["a worker that answers first", { "own.js": "self.addEventListener('fetch', (e) => e.respondWith(new Response('mine')));importScripts('lib/sandtable-worker.js');" }, '{ worker: "own.js", fallback: false }', "NotIntercepted", /first/],
  ["a worker that imports what is not there", { "own.js": "importScripts('none.js');" }, '{ worker: "own.js", fallback: false }', "RegistrationFailed", /registered/],
];

for (const [name, files, options, code, message] of troubles) {
  test(`${name} is an error that says so`, async () => {
    const { url } = await site("/", { "index.html": pageOf(options, "./lib/sandtable.js"), ...files }, { copied: "lib/" });
    const { outcome } = await visitSite(browser, url);
    assert.equal(outcome.name, "SandtableError", JSON.stringify(outcome));
    assert.equal(outcome.code, code);
    assert.match(outcome.message, message);
  });
}

test("behind a reload that goes past the worker the page is answered again", async () => {
  const { url } = await site("/", { "index.html": pageOf("{ fallback: false }") });
  const page = await visitSite(browser, url);
  const session = await page.createCDPSession();
  const loaded = new Promise((resolve) => page.once("domcontentloaded", resolve));
  await session.send("Page.reload", { ignoreCache: true });
  await loaded;
  assert.equal(await outcome(page), "started");
  assert.equal(await page.evaluate(() => loads), 2); // the worker claims it: no further reload is needed
  assert.deepEqual(await useSDK(page, "ByFetch", false), rows);
});

test("without a network the second visit is answered", async () => {
  const { url, stop } = await site("/", { "index.html": pageOf("{ fallback: false }") }, { fresh: true });
  const first = await visitSite(browser, url);
  assert.deepEqual(await useSDK(first, "Before", false), rows);
  await first.close();
  stop();
  const page = await visitSite(browser, url);
  assert.equal(page.outcome, "started");
  await stopWorkers(page);
  assert.equal(await page.evaluate(async () => (await new sdk.TableClient(sandtable.endpoint(), "Before").getEntity("p", "é")).n), 1);
  assert.deepEqual(await useSDK(page, "Offline", true), rows);
});

test("direct requests go on when the worker is stopped between them", async () => {
  const { url } = await site("/", { "index.html": pageOf() });
  const page = await visitSite(browser, url);
  assert.deepEqual(await useSDK(page, "Before", true), rows);
  for (let i = 0; i < 3; i++) {
    await stopWorkers(page);
    assert.deepEqual(await useSDK(page, `Behind${i}`, true), rows);
  }
});

test("direct requests that a stop interrupts are sent again if they read, and refused as busy if they write", async () => {
  const { url } = await site("/", { "index.html": pageOf() });
  const page = await visitSite(browser, url);
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
    await Promise.all([reading, writing]); // none failed
    let found = 0;
    for await (const _ of client.listEntities({ queryOptions: { filter: "PartitionKey eq 'w'" } })) found++;
    return [counts.writes, found];
  });
  assert.equal(found, written);
  assert.deepEqual(page.trouble, []);
});

test("a new version waits, is told of, and takes over when it may", async () => {
  const { url, files } = await site("/", { "index.html": pageOf("{ fallback: false }"), "sandtable-worker.js": 'importScripts("lib/sandtable-worker.js"); // 1' }, { copied: "lib/" });
  files["index.html"] = pageOf("{ fallback: false }", "./lib/sandtable.js");
  const page = await visitSite(browser, url);
  assert.equal(page.outcome, "started");
  files["sandtable-worker.js"] += "2";
  const result = await page.evaluate(async () => {
    const update = new Promise((resolve) => sandtable.on("update", resolve));
    globalThis.told = [];
    sandtable.on("change", (change) => told.push(change));
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
  // Before this page has asked for anything itself, it hears what others do.
  await page.waitForFunction(() => told.filter(({ kind }) => kind === "lost").length === 2, { polling: 20 });
  const other = await visitSite(browser, url);
  await other.evaluate(() => new sdk.TableClient(sandtable.endpoint(), "Elsewhere").createTable());
  await page.waitForFunction(() => told.some(({ table }) => table === "Elsewhere"), { polling: 20 });
  assert.deepEqual(await useSDK(page, "ByFetch", false), rows);
  assert.deepEqual(await useSDK(page, "ByClient", true), rows);
});

test("a new version takes over while pages write, and loses nothing that was acknowledged", async () => {
  const { url, files } = await site("/", { "index.html": pageOf("{ fallback: false }", "./lib/sandtable.js"), "sandtable-worker.js": 'importScripts("lib/sandtable-worker.js"); // 1' }, { copied: "lib/" });
  const pages = [await visitSite(browser, url), await visitSite(browser, url)];
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
  // Where the pages are not quiet at one moment the browser waits until the old worker is idle, as it is when they pause.
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
  for (const { trouble } of pages) assert.deepEqual(trouble, []);
});

test("without a service worker a plain one answers, and the page's fetch finds it", async () => {
  const { url } = await site("/some/folder/", { "index.html": pageOf('{ fallback: "worker", accounts: ["demo"] }'), "frame.html": "<!doctype html>a frame" });
  const page = await visitSite(browser, url);
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
  // What it leaves behind is what the next page has, with a service worker or without.
  await page.goto("about:blank");
  await page.goto(url);
  assert.equal(await outcome(page), "started");
  assert.deepEqual(await page.evaluate(async () => (await new sdk.TableClient(sandtable.endpoint(), "ByFetch").getEntity("p", "é")).m), 2);
  await page.evaluate(() => sandtable.close());
  assert.match(await page.evaluate(() => fetch.toString()), /native code/);
  assert.deepEqual(page.trouble, []);
});

test("where service workers are refused, a plain one is what a page gets", async () => {
  const { url } = await site("/", { "index.html": pageOf() });
  const page = await browser.newPage();
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

test("two clients in a page are two clients", async () => {
  for (const options of ["{ fallback: false }", '{ fallback: "worker" }']) {
    const { url } = await site("/", { "index.html": pageOf(options) });
    const page = await visitSite(browser, url);
    assert.equal(await page.evaluate(`Sandtable.start(${options}).then((second) => (sandtable.close(), globalThis.sandtable = second, "started"))`), "started");
    assert.deepEqual(await useSDK(page, "ByFetch", false), rows, options);
    assert.deepEqual(await useSDK(page, "ByClient", true), rows, options);
  }
});

test("tabs without a service worker share one engine, and the next has it when its tab is closed", async () => {
  const { url } = await site("/", { "index.html": pageOf('{ fallback: "worker" }') });
  const tabs = [];
  for (let i = 0; i < 3; i++) tabs.push(await visitSite(browser, url));
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
  await tabs[0].close(); // which had the engine
  assert.equal(await write(tabs[1], "3"), "done");
  assert.deepEqual(await keys(tabs[2]), ["0", "1", "2", "3"]);
  await tabs[1].evaluate(() => sandtable.close());
  assert.equal(await write(tabs[2], "4"), "done");
  assert.deepEqual(await keys(tabs[2]), ["0", "1", "2", "3", "4"]);
});

test("a store that is empty is filled by one tab, and only once", async () => {
  const seed = `async (s) => { const c = new sdk.TableClient(s.endpoint(), "Seeded", { httpClient: s.httpClient }); await c.createTable(); await c.createEntity({ partitionKey: "p", rowKey: "r" }); }`;
  const { url } = await site("/", { "index.html": pageOf(`{ seed: ${seed} }`) });
  const tabs = await Promise.all([visitSite(browser, url), visitSite(browser, url)]);
  assert.deepEqual(tabs.map(({ outcome }) => outcome), ["started", "started"]);
  await tabs[0].evaluate(() => new sdk.TableClient(sandtable.endpoint(), "Seeded").deleteEntity("p", "r"));
  await tabs[0].reload();
  assert.equal(await outcome(tabs[0]), "started");
  const { entities } = await tabs[0].evaluate(() => sandtable.status());
  assert.equal(entities, 0);
});

for (const mode of ["service worker", "worker"]) {
  test(`a page with the policy that the documentation names runs, with a ${mode}`, async () => {
    const policy = "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' https://devstoreaccount1.table.core.windows.net";
    const html = pageOf(mode === "worker" ? '{ fallback: "worker" }' : "{ fallback: false }").replace("<title>", `<meta http-equiv="content-security-policy" content="${policy}"><title>`);
    const { url } = await site("/", { "index.html": html });
    const page = await visitSite(browser, url);
    assert.equal(page.outcome, "started");
    assert.deepEqual(await useSDK(page, "ByFetch", false), rows);
    assert.deepEqual(await useSDK(page, "ByClient", true), rows);
  });
}

const archive = ['{"@sandtable":"archive","version":1}', '{"@sandtable":"account","name":"devstoreaccount1","access":"open"}', '{"@sandtable":"table","name":"Seeded"}'];
for (let i = 0; i < 5000; i++) {
  archive.push(JSON.stringify({ PartitionKey: "p", RowKey: String(i).padStart(6, "0"), Text: "é".repeat(150), "Big@odata.type": "Edm.Int64", Big: String(2n ** 60n) }));
}
archive.push('{"@sandtable":"end","accounts":1,"tables":1,"entities":5000}', "");

for (const fallback of ["false", '"worker"']) {
  test(`a store is seeded from an archive, dumped, emptied and loaded again (fallback: ${fallback})`, async () => {
    const { url } = await site("/", { "index.html": pageOf(`{ seed: "seed.jsonl", fallback: ${fallback} }`), "seed.jsonl": archive.join("\n") });
    const page = await visitSite(browser, url);
    assert.equal(page.outcome, "started");
    const result = await page.evaluate(async () => {
      const counts = async () => {
        const { tables, entities } = await sandtable.status();
        return [tables, entities];
      };
      const seen = [await counts()];
      const dump = await sandtable.dump();
      const one = await sandtable.dump({ account: "devstoreaccount1" });
      await sandtable.accounts.create("demo");
      await sandtable.reset({ account: "devstoreaccount1" });
      seen.push(await counts(), (await sandtable.accounts.list()).length);
      await sandtable.reset();
      seen.push(await counts(), (await sandtable.accounts.list()).length);
      const progress = [];
      const loaded = await sandtable.load(dump, { onProgress: ({ entities, bytes, totalBytes }) => progress.push([entities, bytes, totalBytes]) });
      seen.push(await counts());
      const again = await sandtable.load(await dump.text());
      seen.push(await counts());
      const entity = await new sdk.TableClient(sandtable.endpoint(), "Seeded").getEntity("p", "004999");
      const lines = (await dump.text()).split("\n");
      return { seen, loaded, again, steps: progress.length, last: progress.at(-1), size: dump.size, one: one.size, big: String(entity.Big?.value ?? entity.Big), lines: lines.length, ends: lines.at(-2) };
    });
    assert.deepEqual(result.seen, [[1, 5000], [0, 0], 2, [0, 0], 1, [1, 5000], [1, 5000]]);
    assert.equal(result.loaded.entities, 5000);
    assert.equal(result.again.entities, 5000);
    assert.ok(result.steps >= 2, `${result.steps} steps`);
    assert.deepEqual(result.last, [5000, result.size, result.size]);
    assert.equal(result.one, result.size);
    assert.equal(result.big, String(2n ** 60n));
    assert.match(result.ends, /"@sandtable":"end"/);
    await page.reload();
    assert.equal(await outcome(page), "started");
  });
}

test("an archive that is none is an error that says so, and what came before its damage is there", async () => {
  const { url } = await site("/", { "index.html": pageOf() });
  const page = await visitSite(browser, url);
  const load = (source) => page.evaluate((source) => sandtable.load(source).then(() => "loaded", ({ name, code, status, message }) => ({ name, code, status, message })), source);
  const cut = await load(archive.slice(0, 100).join("\n") + "\n");
  assert.deepEqual([cut.name, cut.code, cut.status], ["SandtableError", "Refused", 400], JSON.stringify(cut));
  assert.deepEqual([(await load("none.jsonl")).code, (await load("none.jsonl")).status], ["Archive", 404]);
  assert.equal((await load('{"@sandtable":"archive","version":99}\n')).code, "Refused");
  assert.equal((await page.evaluate(() => sandtable.status())).entities, 97);
});

for (const fallback of ["false", '"worker"']) {
  test(`a store of a newer version is an error that says so at once, and has a way out (fallback: ${fallback})`, async () => {
    const { url } = await site("/", { "index.html": pageOf(`{ fallback: ${fallback} }`), "newer.html": "<!doctype html>" });
    const page = await browser.newPage();
    await page.goto(url + "newer.html");
    await page.evaluate(
      (name) =>
        new Promise((resolve, reject) => {
          const request = indexedDB.open(name, 999);
          request.onsuccess = () => resolve(request.result.close());
          request.onerror = reject;
        }),
      "sandtable " + url,
    );
    await page.goto(url);
    assert.equal((await outcome(page)).code, "StoreFormat");
    const started = await page.evaluate(`Sandtable.start({ fallback: ${fallback} }).catch(async (error) => {
      await error.reset();
      globalThis.sandtable = await Sandtable.start({ fallback: ${fallback} });
      return error.code;
    })`);
    assert.equal(started, "StoreFormat");
    assert.deepEqual(await useSDK(page, "Anew", true), rows);
  });
}

for (const options of ["{}", '{ fallback: "worker" }']) {
  test(`a page can have its store looked at, and made smaller, with ${options}`, async () => {
    const { url } = await site("/", { "index.html": pageOf(options) });
    const page = await visitSite(browser, url);
    assert.deepEqual(await useSDK(page, "Kept", true), rows);
    const { verified, compacted } = await page.evaluate(async () => ({ compacted: await sandtable.compact(), verified: await sandtable.verify() }));
    assert.deepEqual([verified.entities, verified.problemCount, verified.problems], [2, 0, []]);
    assert.deepEqual([compacted.after.walRecords, compacted.after.bytes > 0], [0, true]);
  });
}

test("signatures are for what they say", async () => {
  const { url } = await site("/", { "index.html": pageOf('{ accounts: [{ name: "closed", access: "strict" }] }') });
  const page = await visitSite(browser, url);
  const result = await page.evaluate(async () => {
    const refused = (promise) => promise.then(() => "done", ({ statusCode, code }) => statusCode ?? code);
    const connection = await sandtable.connectionString("closed");
    const orders = sdk.TableClient.fromConnectionString(connection, "Orders");
    await orders.createTable();
    await orders.createEntity({ partitionKey: "p", rowKey: "r" });
    const address = await sandtable.sasUrl("closed", { table: "Orders", permissions: "r", expiresOn: new Date(Date.now() + 3600_000) });
    const [base, sas] = [new URL(address).origin, new URL(address).search.slice(1)];
    const reader = new sdk.TableClient(base, "Orders", new sdk.AzureSASCredential(sas), { httpClient: sandtable.httpClient });
    const outsider = new sdk.TableClient(sandtable.endpoint("closed"), "Orders");
    const late = await sandtable.sasUrl("closed", { table: "Orders", permissions: "r", startsOn: "2020-01-01", expiresOn: "2021-01-01T00:00:00Z" });
    const own = await sandtable.connectionString("closed", sas);
    const results = [
      await refused(reader.getEntity("p", "r")),
      await refused(reader.deleteEntity("p", "r")),
      await refused(outsider.getEntity("p", "r")),
      await refused(new sdk.TableClient(base, "Orders", new sdk.AzureSASCredential(new URL(late).search.slice(1))).getEntity("p", "r")),
      await refused(sdk.TableClient.fromConnectionString(own, "Orders").getEntity("p", "r")),
      await refused(sandtable.sasUrl("closed", { table: "Orders", permissions: "r", expiresOn: "soon" })),
      await refused(sandtable.sasUrl("none", { permissions: "r", expiresOn: new Date() })),
    ];
    await sandtable.accounts.setAccess("closed", "open");
    results.push(await refused(outsider.getEntity("p", "r")));
    await sandtable.accounts.delete("closed");
    results.push((await sandtable.accounts.list()).map(({ name }) => name));
    return results;
  });
  assert.deepEqual(result, ["done", 403, 404, 403, "done", "InvalidOption", "Refused", "done", ["devstoreaccount1"]]);
});

for (const options of ["{}", '{ fallback: "worker" }']) {
  test(`changes and requests of any page are told, also in the worker's next life, with ${options}`, async () => {
    const { url } = await site("/", { "index.html": pageOf(options) });
    const [page, other] = [await visitSite(browser, url), await visitSite(browser, url)];
    await page.evaluate(() => {
      globalThis.told = [];
      globalThis.off = sandtable.on("change", (change) => told.push(change));
      sandtable.on("request", ({ method, status, operation }) => told.push({ kind: "request", method, status, operation }));
    });
    const told = (kind, table) => page.waitForFunction((kind, table) => told.some((event) => event.kind === kind && (table === undefined || event.table === table)), { polling: 20 }, kind, table);
    await page.evaluate(() => new sdk.TableClient(sandtable.endpoint(), "Told").createTable());
    await told("tableCreated", "Told");
    await told("request");
    await other.evaluate(() => new sdk.TableClient(sandtable.endpoint(), "Told", { httpClient: sandtable.httpClient }).createEntity({ partitionKey: "p", rowKey: "r" }));
    await told("inserted", "Told");
    const { account, partitionKey, rowKey } = await page.evaluate(() => globalThis.told.find(({ kind }) => kind === "inserted"));
    assert.deepEqual([account, partitionKey, rowKey], ["devstoreaccount1", "p", "r"]);
    await page.evaluate(() => (told.length = 0));
    if (options === "{}") {
      await stopWorkers(page);
      await other.evaluate(() => sandtable.status());
      await told("lost"); // nobody knows what was written before this page was back
      await other.evaluate(() => new sdk.TableClient(sandtable.endpoint(), "Told").deleteEntity("p", "r"));
      await told("deleted", "Told");
    }
    await page.evaluate(() => {
      off();
      told.length = 0;
      return new sdk.TableClient(sandtable.endpoint(), "Told").createEntity({ partitionKey: "p", rowKey: "last" });
    });
    await told("request");
    assert.deepEqual(await page.evaluate(() => told.filter(({ kind }) => kind !== "request")), []);
  });
}

test("durability is what start was told", async () => {
  const { url } = await site("/", { "index.html": pageOf('{ durability: "strict" }') });
  const page = await visitSite(browser, url);
  assert.equal(page.outcome, "started");
  const { durability } = await page.evaluate(() => sandtable.status());
  assert.equal(durability, "strict");
});
