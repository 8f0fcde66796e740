// The app and the SDK: one suite, run in every browser engine.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, describe, test } from "../lib/test.mjs";
import { serveApp } from "../lib/app.mjs";
import { kill } from "../lib/browser.mjs";
import { inBrowsers } from "../lib/browsers.mjs";
import { everyMethod, pageOf, reads, serveSite, visitSite, writes } from "../lib/embed-site.mjs";
import { addSDK, byHand, connection, controlled, json, request } from "../lib/page.mjs";
import { cases, context } from "../lib/sdk-cases.mjs";
import { visit } from "../lib/visit.mjs";

const address = "https://devstoreaccount1.table.core.windows.net";

inBrowsers(suite);

function suite(engine) {
  const here = visit(async () => {}, engine);
  const elsewhere = engine.name === "Chromium" && "sdk-methods.test.mjs and embed-sdk.test.mjs call every method in Chromium";

  /** Reads all tables and entities of the account, with their ETags. */
  async function stored() {
    const tables = await request(here.page, `${address}/Tables`);
    assert.equal(tables.status, 200, tables.text);
    const all = {};
    for (const { TableName } of JSON.parse(tables.text).value) {
      const entities = await request(here.page, `${address}/${TableName}()`, { headers: { accept: "application/json;odata=fullmetadata" } });
      assert.equal(entities.status, 200, entities.text);
      all[TableName] = JSON.parse(entities.text).value;
    }
    return all;
  }

  describe("start", () => {
    test("the worker controls the page on the first visit", async () => {
      const state = await here.page.evaluate(async () => ({
        secure: isSecureContext,
        script: navigator.serviceWorker.controller.scriptURL,
        registrations: (await navigator.serviceWorker.getRegistrations()).length,
      }));
      assert.deepEqual(state, { secure: true, script: new URL("app-worker.js", here.app.url).href, registrations: 1 });
    });

    test("the worker stores in IndexedDB and is of the page's build", async () => {
      const status = JSON.parse((await request(here.page, "_sandtable/status")).text);
      assert.equal(status.store, "indexeddb");
      assert.equal(status.build, await here.page.evaluate(() => goappGetenv("GOAPP_VERSION")));
      assert.deepEqual(status.corruption, []);
    });
  });

  describe("interception", () => {
    const addresses = [
      ["the cloud's address", `${address}/Tables`],
      ["its secondary", "https://devstoreaccount1-secondary.table.core.windows.net/Tables"],
      ["Cosmos DB's", "https://devstoreaccount1.table.cosmosdb.azure.com/Tables"],
      ["the emulator's", "http://127.0.0.1:10002/devstoreaccount1/Tables"],
      ["one of the page's own", "table/devstoreaccount1/Tables"],
    ];
    for (const [name, address] of addresses) {
      test(`${name} is answered by the worker`, async () => {
        const { status, text } = await request(here.page, address, { headers: { accept: "application/json" } });
        assert.equal(status, 200, text);
        assert.deepEqual(JSON.parse(text).value, []);
      });
    }

    test("a request to another site goes to the network", async (t) => {
      const site = createServer((_, response) => response.writeHead(200, { "access-control-allow-origin": "*" }).end("the network"));
      t.after(() => site.close().closeAllConnections());
      await once(site.listen(0, "127.0.0.1"), "listening");
      assert.equal((await request(here.page, `http://127.0.0.1:${site.address().port}/devstoreaccount1/Tables`)).text, "the network");
    });

    test("the page can read every response header", async () => {
      const { headers } = await request(here.page, `${address}/Tables`, { headers: { "x-ms-version": "2019-02-02", "x-ms-client-request-id": "of the page" } });
      assert.equal(headers["x-ms-version"], "2019-02-02");
      assert.equal(headers["x-ms-client-request-id"], "of the page");
      assert.match(headers["content-type"], /^application\/json;odata=minimalmetadata/);
      assert.match(headers["x-ms-request-id"], /^[0-9a-f-]{36}$/);
      assert.match(headers["date"], / GMT$/);
    });

    // SDKs send none of these, and the engines differ in them (docs/compatibility.md, "Browsers").
    const own = "table/devstoreaccount1/Tables"; // the site's server answers it with 404
    const frame = async (address, content) => {
      const frame = document.createElement("iframe");
      if (content === "blob") frame.src = URL.createObjectURL(new Blob(["<p>"], { type: "text/html" }));
      if (content === "srcdoc") frame.srcdoc = "<p>";
      if (content === "site") frame.src = "web/none";
      const loaded = new Promise((resolve) => (frame.onload = resolve));
      document.body.append(frame);
      await loaded;
      const { status } = await frame.contentWindow.fetch(address);
      frame.remove();
      return status;
    };
    const cases = [
      ["XMLHttpRequest", (address) => new Promise((resolve) => {
        const xhr = new XMLHttpRequest();
        xhr.open("GET", address);
        xhr.onloadend = () => resolve(xhr.status);
        xhr.send();
      })],
      ["XMLHttpRequest that blocks", (address) => {
        const xhr = new XMLHttpRequest();
        xhr.open("GET", address, false);
        xhr.send();
        return xhr.status;
      }, { Chromium: 404, WebKit: 404 }],
      ["fetch that outlives its page", async (address) => (await fetch(address, { keepalive: true })).status, { Firefox: 404 }],
      ["fetch in a frame of the site", frame, {}, "site"],
      ["fetch in a frame of a text", frame, {}, "srcdoc"],
      ["fetch in a frame of a blob", frame, { Chromium: 404 }, "blob"],
      ["fetch in an empty frame", frame, { Chromium: 404 }],
      ["fetch in a Web Worker of a blob", (address) => new Promise((resolve, reject) => {
        const script = `fetch(${JSON.stringify(address)}).then(({ status }) => postMessage(status));`;
        const worker = new Worker(URL.createObjectURL(new Blob([script])));
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = reject;
      })],
    ];
    for (const [name, work, others = {}, ...args] of cases) {
      const want = others[engine.name] ?? 200;
      test(`${name} ${want === 200 ? "is answered by the worker" : "goes to the network"}`, async () => {
        assert.equal(await here.page.evaluate(work, new URL(own, here.app.url).href, ...args), want);
      });
    }

    test("a beacon's body is stored", async () => {
      const created = await here.page.evaluate(async (address) => {
        navigator.sendBeacon(address, new Blob([`{"TableName":"Beacon"}`], { type: "application/json" }));
        for (;;) {
          const { value } = await (await fetch(address)).json();
          if (value.length > 0) return value;
        }
      }, own);
      assert.deepEqual(created, [{ TableName: "Beacon" }]);
      assert.equal((await request(here.page, `${own}('Beacon')`, { method: "DELETE" })).status, 204);
    });

    test("the worker answers for an account as soon as it exists", async () => {
      const created = await request(here.page, "_sandtable/accounts", json({ name: "classroom" }));
      assert.equal(created.status, 201, created.text);
      assert.equal((await request(here.page, "https://classroom.table.core.windows.net/Tables")).status, 200);
    });
  });

  describe("the SDK", () => {
    test("every SDK method works with a SAS", { skip: elsewhere }, async (t) => {
      const { status } = await request(here.page, "_sandtable/accounts", json({ name: "methods" }));
      assert.equal(status, 201);
      const { endpoint, sas } = await connection(here.page, "methods");
      await here.page.evaluate(`(globalThis.tested = (${context})(sdk, ${JSON.stringify({ address: endpoint, sas })}), 0)`);
      for (const { name, run, want, wantWithSAS } of cases) {
        await t.test(name, async () => {
          const got = await here.page.evaluate(`(async () => JSON.stringify(await ({ ${run} }).run(tested)))()`);
          assert.deepEqual(JSON.parse(got), wantWithSAS ?? want);
        });
      }
    });

    test("large bodies arrive complete in both directions", async () => {
      const { sent, got } = await here.page.evaluate(async (address) => {
        const client = new sdk.TableClient(address, "Large");
        await client.createTable();
        const bytes = Uint8Array.from({ length: 1 << 16 }, (_, i) => i * 7);
        const text = "é".repeat(1 << 15);
        const entity = (i) => ({ partitionKey: "p", rowKey: String(i), bytes, text, again: text, third: text });
        await client.submitTransaction(Array.from({ length: 8 }, (_, i) => ["create", entity(i)]));
        let got = 0;
        for await (const found of client.listEntities()) {
          got += Number(found.bytes.length === bytes.length && found.bytes.every((byte, i) => byte === bytes[i]) && found.text === text);
        }
        await client.deleteTable();
        return { sent: 8, got };
      }, address);
      assert.equal(got, sent);
    });
  });

  describe("the page", () => {
    const { hook, click, type, shows } = byHand(() => here.page);

    test("a table and an entity are created by clicking and typing", async () => {
      const button = `${hook("new-table")}[data-account="devstoreaccount1"]`; // each account has such a button
      await here.page.waitForSelector(button, { visible: true });
      await here.page.click(button);
      await type("table-name", "Clicked");
      await click("create-table");
      await shows("table-item", "Clicked");
      await click("table-item");
      await click("new-entity");
      await type("entity-pk", "north");
      await type("entity-rk", "0001");
      await click("save-entity");
      await shows("grid-row", "0001");
      const { status, text } = await request(here.page, `${address}/Clicked(PartitionKey='north',RowKey='0001')`);
      assert.equal(status, 200, text);
    });

    test("both survive a reload, and the page reported no error", async () => {
      await here.page.reload({ waitUntil: "domcontentloaded" });
      await controlled(here.page);
      await shows("table-item", "Clicked");
      assert.deepEqual(here.page.problems, []);
      assert.equal((await request(here.page, `${address}/Tables('Clicked')`, { method: "DELETE" })).status, 204);
    });
  });

  describe("an embedding page", () => {
    const plain = pageOf('{ fallback: "worker", scope: "./" }', "../sandtable.js").replace("sdk.js", "../sdk.js");
    const worker = 'importScripts("../sandtable-worker.js"); addEventListener("install", () => self.skipWaiting());';
    let site;
    before(async () => {
      site = await serveSite("/demo/", {
        "index.html": pageOf("{ fallback: false }"),
        "plain/index.html": plain,
        "own/index.html": pageOf('{ worker: "worker.js", fallback: false }', "../sandtable.js").replace("sdk.js", "../sdk.js"),
        "own/worker.js": worker,
      });
    });
    after(() => site.stop());

    test("the first visit is answered, by fetch and by messages", async (t) => {
      const page = await visitSite(here.browser, site.url);
      assert.equal(page.outcome, "started");
      assert.equal(await page.evaluate(() => loads), 1);
      const status = await page.evaluate(() => sandtable.status());
      assert.deepEqual([status.mode, status.store, status.lost], ["service worker", "indexeddb", []]);
      if (!elsewhere) await everyMethod(t, page, "bymessage", true);
      assert.deepEqual(page.problems, []);
    });

    const skip = engine.name === "WebKit" && "WebKit keeps a worker as long as it has a page";
    test("a message restarts a stopped worker", { skip }, async () => {
      const page = await visitSite(here.browser, site.url);
      assert.equal(await writes(page, "Stopped"), 1);
      await engine.stopWorkers(page);
      assert.equal(await writes(page, "Stopped"), 1);
      await engine.stopWorkers(page);
      assert.equal(await reads(page, "Stopped"), 1);
      assert.deepEqual(page.problems, []);
    });

    test("a site's own worker can import Sandtable", async () => {
      const page = await visitSite(here.browser, site.url + "own/index.html");
      assert.equal(page.outcome, "started");
      assert.equal(await writes(page, "Imported"), 1);
      assert.equal(await reads(page, "Imported"), 1);
      assert.deepEqual(page.problems, []);
    });

    test("without a service worker, one tab's plain worker answers for all tabs", async (t) => {
      const page = await visitSite(here.browser, site.url + "plain/index.html");
      assert.equal(page.outcome, "started");
      const status = await page.evaluate(() => sandtable.status());
      assert.deepEqual([status.mode, status.store], ["worker", "indexeddb"]);
      if (!elsewhere) await everyMethod(t, page, "byplain", false);
      const second = await visitSite(here.browser, site.url + "plain/index.html");
      assert.equal(second.outcome, "started");
      assert.equal(await writes(page, "OfFirst"), 1);
      assert.equal(await writes(second, "OfSecond"), 1);
      assert.equal(await reads(second, "OfFirst"), 1);
      assert.equal(await reads(page, "OfSecond"), 1);
      await page.close(); // it ran the engine
      assert.equal(await reads(second, "OfFirst"), 1);
      assert.equal(await writes(second, "Later"), 1);
      assert.deepEqual([...page.problems, ...second.problems], []);
    });
  });

  describe("an acknowledged write survives", () => {
    let kept;

    test("a reload", async () => {
      await addSDK(here.page);
      await here.page.evaluate(async (address) => {
        const client = new sdk.TableClient(address, "Kept");
        await client.createTable();
        for (let i = 0; i < 20; i++) {
          await client.createEntity({ partitionKey: "one", rowKey: `é ${i}`, i, big: { type: "Int64", value: String(2n ** 60n + BigInt(i)) } });
        }
        await client.submitTransaction(Array.from({ length: 100 }, (_, i) => ["create", { partitionKey: "many", rowKey: String(i), i }]));
        await client.updateEntity({ partitionKey: "one", rowKey: "é 1", merged: true }, "Merge");
        await client.deleteEntity("one", "é 2");
      }, address);
      kept = await stored();
      assert.equal(kept.Kept.length, 119);
      await here.page.reload({ waitUntil: "domcontentloaded" });
      await controlled(here.page);
      assert.deepEqual(await stored(), kept);
    });

    test("a stopped worker, and requests in flight are answered", async () => {
      await engine.stopWorkers(here.page);
      const statuses = await here.page.evaluate(
        (address) => Promise.all(Array.from({ length: 20 }, async (_, i) => (await fetch(`${address}/Kept(PartitionKey='many',RowKey='${i}')`)).status)),
        address,
      );
      assert.deepEqual(statuses, Array(20).fill(200));
      assert.deepEqual(await stored(), kept);
    });

    test("closing the browser", async () => {
      await here.browser.close();
      await here.reopen();
      assert.deepEqual(await stored(), kept);
    });

    test("killing the browser, with every transaction whole or absent", async (t) => {
      const acknowledged = await killedWhileWriting(t);
      await here.reopen();
      const { Killed, ...rest } = await stored();
      assert.deepEqual(rest, kept);
      const count = (partition) => Killed.filter(({ PartitionKey }) => PartitionKey === partition).length;
      for (const [kind, i] of acknowledged) {
        const there = kind === "entity" ? Killed.some(({ PartitionKey, RowKey }) => PartitionKey === "one" && RowKey === String(i)) : count(`batch ${i}`) === 10;
        assert.ok(there, `${kind} ${i}`);
      }
      for (const partition of new Set(Killed.map(({ PartitionKey }) => PartitionKey))) {
        assert.ok(partition === "one" || count(partition) === 10, `${partition} has ${count(partition)} entities`);
      }
      assert.equal((await request(here.page, `${address}/Tables('Killed')`, { method: "DELETE" })).status, 204);
    });

    /** Kills the browser with SIGKILL while a page writes; returns the acknowledged writes. */
    async function killedWhileWriting(t) {
      const acknowledged = [];
      let enough;
      const killed = new Promise((resolve) => (enough = () => resolve(kill(here.browser))));
      // The page reports each response to a server without waiting: the next write is already in flight.
      const listener = createServer(async (incoming, response) => {
        const chunks = [];
        for await (const chunk of incoming) chunks.push(chunk);
        response.end();
        acknowledged.push(JSON.parse(Buffer.concat(chunks)));
        if (acknowledged.length === 40) enough();
      });
      t.after(() => listener.close().closeAllConnections());
      await once(listener.listen(0, "127.0.0.1"), "listening");
      const writing = here.page.evaluate(
        async (address, listener) => {
          const acknowledge = (...what) => fetch(listener, { method: "POST", mode: "no-cors", body: JSON.stringify(what) });
          const client = new sdk.TableClient(address, "Killed");
          await client.createTable();
          for (let i = 0; ; i++) {
            await client.createEntity({ partitionKey: "one", rowKey: String(i) });
            acknowledge("entity", i);
            await client.submitTransaction(Array.from({ length: 10 }, (_, n) => ["create", { partitionKey: `batch ${i}`, rowKey: String(n) }]));
            acknowledge("batch", i);
          }
        },
        address,
        `http://127.0.0.1:${listener.address().port}/`,
      );
      await Promise.all([killed, assert.rejects(writing)]);
      return acknowledged;
    }

    test("losing the network: the app opens and writes offline", async () => {
      const { port } = here.app;
      await here.app.stop();
      await here.browser.close();
      await here.reopen();
      assert.equal(await here.page.title(), "Sandtable");
      assert.deepEqual(await stored(), kept);
      const written = await here.page.evaluate(async (address) => {
        const client = new sdk.TableClient(address, "Offline");
        await client.createTable();
        await client.createEntity({ partitionKey: "p", rowKey: "r", text: "written offline" });
        return (await client.getEntity("p", "r")).text;
      }, address);
      assert.equal(written, "written offline");
      here.app = await serveApp(port);
    });
  });
}
