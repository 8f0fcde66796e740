// An update: the host replaces the build while the app is in use.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { after, before, test } from "../lib/test.mjs";
import { dropProfile, launch, newProfile, stopWorkers, unobserved } from "../lib/browser.mjs";
import { anotherBuild } from "../lib/builds.mjs";
import { finishLoad, loadPage, moreLoad, startLoad } from "../lib/load-page.mjs";
import { open, request } from "../lib/page.mjs";
import { serveStatically } from "../lib/static-host.mjs";

const address = "https://devstoreaccount1.table.core.windows.net";
const headers = { "content-type": "application/json", accept: "application/json;odata=nometadata" };
const offer = '[data-testid="update"]';

let first, second, host, profile, browser, page;

before(async () => {
  [first, second] = await Promise.all([anotherBuild("first"), anotherBuild("second")]);
  // Browsers may cache files for ten minutes, as on GitHub Pages.
  host = await serveStatically("/some/folder/", { from: first.folder, pages: { "load.html": loadPage }, cacheControl: "max-age=600" });
  profile = await newProfile();
  browser = await launch(profile, unobserved);
  page = await open(browser, host.url);
  await page.evaluateOnNewDocument(() => {
    globalThis.streams = [];
    globalThis.EventSource = class extends EventSource {
      constructor(url) {
        super(url);
        streams.push(this);
      }
    };
  });
});

after(async () => {
  await browser?.close();
  host?.stop();
  await Promise.all([profile && dropProfile(profile), first?.drop(), second?.drop()]);
});

/** Has the browser check for an update; resolves to the new worker's state. */
function lookForUpdate(tab) {
  return tab.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration.update().catch(() => {}); // a failed installation shows in the state
    const worker = registration.installing ?? registration.waiting;
    while (worker?.state === "installing") {
      await new Promise((resolve) => worker.addEventListener("statechange", resolve, { once: true }));
    }
    return worker?.state ?? "none";
  });
}

/** The builds of a tab's page, programs and worker. */
function builds(tab) {
  return tab.evaluate(async () => {
    const worker = await (await fetch("_sandtable/worker")).json();
    const programs = performance.getEntriesByType("resource").flatMap(({ name }) => /(?:app|wasm_exec)\.\w+\.(?:js|wasm)$/.exec(name)?.[0] ?? []);
    return { page: document.querySelector('meta[name="sandtable-build"]').content, worker: worker.build, programs: [...new Set(programs)].sort() };
  });
}

test("an update, from a broken build to the new one", async (t) => {
  await t.test("a build with a file of another build is not installed, and no page is affected", async () => {
    host.deploy(second.folder);
    host.alter = (path, content) => (/^app\.\w+\.js$/.test(path) ? Buffer.concat([content, Buffer.from("\n")]) : content);
    assert.equal(await lookForUpdate(page), "redundant");
    assert.equal(await page.$(offer), null);
    assert.deepEqual(await page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith("sandtable-shell")).length), 1);
    assert.equal((await builds(page)).worker, first.version);
    host.alter = (path, content) => content;
  });

  await t.test("a new build is installed and waits; the page offers it and keeps running", async () => {
    assert.equal(await lookForUpdate(page), "installed");
    await page.waitForSelector(offer, { visible: true });
    await page.goto(host.url + "?account=devstoreaccount1", { waitUntil: "domcontentloaded" });
    await page.waitForSelector(offer, { visible: true });
    const { page: own, worker, programs } = await builds(page);
    assert.deepEqual([own, worker], [first.version, first.version]);
    assert.ok(programs.includes(`app.${first.version}.js`), programs.join(" "));
  });

  await t.test("updating all tabs under load from three loses no request", async (t) => {
    assert.equal((await request(page, `${address}/Tables`, { method: "POST", headers, body: '{"TableName":"Load"}' })).status, 201);
    const other = await open(browser, host.url);
    await other.waitForSelector(offer, { visible: true });
    const loads = await Promise.all([0, 1, 2].map(() => open(browser, host.url + "load.html")));
    for (const [i, tab] of loads.entries()) {
      await startLoad(tab, `${address}/Load`, `tab ${i}`, 4);
    }
    await Promise.all(loads.map(moreLoad));
    const visits = new Map([page, other].map((tab) => [tab, 0]));
    for (const tab of visits.keys()) {
      tab.on("framenavigated", (frame) => frame === tab.mainFrame() && visits.set(tab, visits.get(tab) + 1));
    }
    const changed = loads.map((tab) => tab.evaluate(() => new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", () => resolve(), { once: true }))));
    const reloaded = [...visits.keys()].map((tab) => tab.waitForNavigation({ waitUntil: "domcontentloaded" }));
    const begin = performance.now();
    await page.bringToFront();
    await page.focus(offer);
    await page.keyboard.press("Enter");
    // If a busy Chromium misses the moment without requests, it activates the worker half
    // a minute after the last one: the load ends after a minute.
    const all = Promise.all(changed).then(() => true);
    const underLoad = await Promise.race([all, pause(60_000, false, { ref: false })]);
    let results = underLoad ? [] : await Promise.all(loads.map(finishLoad));
    await all;
    t.diagnostic(`all tabs changed after ${Math.round(performance.now() - begin)} ms, under load: ${underLoad}`);
    await Promise.all(reloaded);
    if (underLoad) {
      await Promise.all(loads.map(moreLoad));
      results = await Promise.all(loads.map(finishLoad));
    }
    for (const tab of [page, other]) {
      await tab.bringToFront(); // a hidden tab does not render
      await tab.waitForSelector('[data-testid="new-table"]', { visible: true });
      const { page: own, worker, programs } = await builds(tab);
      assert.deepEqual([own, worker], [second.version, second.version]);
      assert.ok(programs.includes(`app.${second.version}.js`) && programs.length === 3, programs.join(" "));
      assert.equal(visits.get(tab), 1, "each tab is reloaded once");
      assert.equal(await tab.$('[data-testid="banner"]'), null);
    }
    for (const [i, { written, statuses, failures }] of results.entries()) {
      t.diagnostic(`tab ${i}: ${JSON.stringify(statuses)}`);
      assert.deepEqual(failures, [], "some requests failed");
      assert.deepEqual(Object.keys(statuses).filter((status) => status !== "204" && status !== "503"), []);
      assert.deepEqual((await rows(`tab ${i}`)).sort(), written.sort(), "entities were lost or duplicated");
    }
    assert.deepEqual([...page.problems, ...other.problems], []);
  });

  /** Reads the row keys of a partition, page by page. */
  function rows(partition) {
    return page.evaluate(
      async (address, headers, partition) => {
        const all = [];
        let next = "";
        do {
          const filter = encodeURIComponent(`PartitionKey eq '${partition}'`);
          const response = await fetch(`${address}/Load()?$select=RowKey&$filter=${filter}${next}`, { headers });
          all.push(...(await response.json()).value.map(({ RowKey }) => RowKey));
          const token = ["NextPartitionKey", "NextRowKey"].map((name) => [name, response.headers.get("x-ms-continuation-" + name)]);
          next = token[0][1] === null ? "" : token.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("");
        } while (next !== "");
        return all;
      },
      address,
      headers,
      partition,
    );
  }

  await t.test("only the new build's files stay cached, and the data survive a restart", async () => {
    const kept = await page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith("sandtable-shell")));
    assert.deepEqual(kept, [`sandtable-shell ${host.url} ${second.version}`]);
    const before = (await rows("tab 0")).length;
    await stopWorkers(page);
    assert.equal((await rows("tab 0")).length, before);
  });
});

test("pages stop listening to the old version; one that replaces the accepted one before that is active takes over", async () => {
  await page.bringToFront(); // a hidden tab does not render
  // As long as this lock is held, no version takes over.
  await page.evaluate(async (name) => {
    const released = new Promise((resolve) => (globalThis.release = resolve));
    await new Promise((held) => navigator.locks.request(name, () => (held(), released)));
  }, `sandtable ${host.url} replacing`);
  host.deploy(first.folder);
  assert.equal(await lookForUpdate(page), "installed");
  await page.waitForSelector(offer, { visible: true });
  await page.focus(offer);
  await page.waitForFunction(() => streams.some(({ readyState }) => readyState === EventSource.OPEN));
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => streams.every(({ readyState }) => readyState === EventSource.CLOSED));
  host.alter = (path, content) => (path === "app-worker.js" ? Buffer.concat([content, Buffer.from("\n")]) : content);
  assert.equal(await lookForUpdate(page), "installed");
  const reloaded = page.waitForNavigation({ waitUntil: "domcontentloaded" });
  await page.evaluate(() => void release());
  await reloaded;
  await page.waitForSelector('[data-testid="new-table"]', { visible: true });
  const { page: own, worker } = await builds(page);
  assert.deepEqual([own, worker], [first.version, first.version]);
  host.alter = (path, content) => content;
});

test("a version that is being installed while another one is activated keeps its files", async () => {
  const newest = await anotherBuild("newest");
  const tab = await open(browser, host.url + "load.html");
  host.deploy(second.folder);
  assert.equal(await lookForUpdate(tab), "installed");
  host.deploy(newest.folder);
  let load;
  const loading = new Promise((resolve) => (load = resolve));
  host.alter = (path, content) => (path === "app-worker.js" ? content : loading.then(() => content));
  const activating = tab.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    const { waiting } = registration;
    const found = new Promise((resolve) => registration.addEventListener("updatefound", resolve, { once: true }));
    registration.update();
    await found;
    const begun = new Promise((resolve) => waiting.addEventListener("statechange", resolve, { once: true }));
    waiting.postMessage({ sandtable: 1, type: "activate" });
    await begun;
    return waiting.state;
  });
  assert.equal(await activating, "activating");
  load();
  const kept = await tab.evaluate(async (name) => {
    const registration = await navigator.serviceWorker.getRegistration();
    while (registration.installing || registration.active.state === "activating") {
      await new Promise((resolve) => (registration.installing ?? registration.active).addEventListener("statechange", resolve, { once: true }));
    }
    return [registration.waiting?.state, await caches.has(name)];
  }, `sandtable-shell ${host.url} ${newest.version}`);
  host.alter = (path, content) => content;
  await newest.drop();
  assert.deepEqual(kept, ["installed", true]);
});
