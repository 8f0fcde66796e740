// Code of strangers in the sandbox: what it can do, and attempts to break out.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "../lib/test.mjs";
import { serveApp } from "../lib/app.mjs";
import { dropProfile, newProfile } from "../lib/browser.mjs";
import { inBrowsers } from "../lib/browsers.mjs";
import { json, open, request } from "../lib/page.mjs";

const origin = "https://playground.table.core.windows.net";

inBrowsers(suite);

/** A server that every site may call; it counts who did. */
async function elsewhere() {
  const site = { requests: [] };
  const server = createServer(({ method, url }, response) => {
    site.requests.push(`${method} ${url}`);
    response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/javascript" }).end("self.loaded = true");
  });
  await once(server.listen(0, "localhost"), "listening");
  return Object.assign(site, { url: `http://localhost:${server.address().port}/`, stop: () => server.close().closeAllConnections() });
}

function suite(engine) {
  let app, profile, browser, page, other;

  before(async () => {
    app = await serveApp();
    other = await elsewhere();
    profile = await newProfile();
    browser = await engine.launch(profile);
    page = await open(browser, app.url);
    for (const name of ["playground1", "precious"]) {
      const { status } = await request(page, "_sandtable/accounts", json({ name }));
      assert.equal(status, 201);
    }
    await request(page, "table/precious/Tables", { method: "POST", headers: { "content-type": "application/json" }, body: '{"TableName":"Secret"}' });
    await page.evaluate(() => {
      document.cookie = "secret=1";
      localStorage.setItem("secret", "1");
    });
  });

  after(async () => {
    await browser?.close();
    await app?.stop();
    other?.stop();
    await dropProfile(profile);
  });

  /**
   * Runs code; returns how it ended and what it printed. With `raw` the code has
   * the worker's own functions in a variable of that name: it shows that not our
   * runtime, but the browser keeps it in.
   */
  function run(code, { limits = {}, raw = false, stopAfter } = {}) {
    return page.evaluate(async (code, limits, raw, stopAfter, origin) => {
      const here = document.baseURI;
      const { createSandbox, oneAccount } = await import(new URL("web/sandbox/host.js", here));
      const pageFetch = globalThis.fetch;
      if (raw) {
        globalThis.fetch = async (url, ...rest) => {
          const response = await pageFetch(url, ...rest);
          const own = "self.raw = { fetch: self.fetch.bind(self), XMLHttpRequest, WebSocket, importScripts: self.importScripts.bind(self), Worker, indexedDB, BroadcastChannel };\n";
          return String(url).endsWith("runtime.js") ? new Response(own + (await response.text())) : response;
        };
      }
      const printed = [];
      let opened = 0; // lines whose values can be opened
      let notify = () => {};
      const sandbox = createSandbox({ folder: new URL("web/sandbox/", here).href, answer: oneAccount({ endpoint: new URL("table/playground1/", here).href, origin }), limits });
      const running = sandbox.run(code, {
        log: (level, text, line, values) => (printed.push({ level, text, line }), opened += values !== null, notify(text)),
        table: (table) => printed.push({ table }),
        clear: () => printed.push({ cleared: true }),
      });
      if (stopAfter !== undefined) {
        notify = (text) => text === stopAfter && running.stop();
      }
      const end = await running.ended;
      globalThis.fetch = pageFetch;
      return { ...end, printed, opened, text: printed.map(({ text }) => text).join("\n"), frames: document.querySelectorAll("iframe").length };
    }, code, limits, raw, stopAfter, origin);
  }

  /** The text that an attempt printed, after a check that it ran to its end. */
  async function attempt(code, options) {
    const { outcome, failure, text } = await run(`const attempt = async (f) => { try { console.log("reached: " + await f()); } catch (error) { console.log("refused: " + error.name); } };\n${code}`, options);
    assert.deepEqual([outcome, failure], ["finished", null]);
    return text;
  }

  test("values are printed in order, as text, with their lines", async () => {
    const { printed, outcome, frames } = await run('console.log("<b>1</b>", { a: [1, "x"] });\nconsole.error(new TypeError("no"));\nawait 0;\nconsole.table([{ a: 1 }, { b: "<i>" }]);');
    assert.equal(outcome, "finished");
    assert.deepEqual(printed, [
      { level: "log", text: '<b>1</b> { a: [1, "x"] }', line: 1 },
      { level: "error", text: "TypeError: no", line: 2 },
      { table: { columns: ["(index)", "a", "b"], rows: [["0", "1", ""], ["1", "", "<i>"]] } },
    ]);
    assert.equal(frames, 0);
  });

  test("the limit of the text is one of the values, too", async () => {
    const print = 'for (let i = 0; i < 10; i++) console.log({ a: Array(90).fill({ b: 1 }) });';
    assert.equal((await run(print)).opened, 10);
    const { outcome, opened } = await run(print, { limits: { text: 10_000 } });
    assert.equal(outcome, "finished");
    assert.ok(opened > 0 && opened < 10, `${opened} of 10 lines have values`);
  });

  test("the unchanged SDK reaches the run's account, also when nothing waits for it", async () => {
    const { outcome, failure, text, requests } = await run(`
      import { TableClient, odata } from "@azure/data-tables";
      async function main() {
        const orders = new TableClient("${origin}", "Orders");
        await orders.createTable();
        await orders.submitTransaction([["create", { partitionKey: "p", rowKey: "1", n: 1 }], ["create", { partitionKey: "p", rowKey: "2", n: 2 }]]);
        for await (const { rowKey } of orders.listEntities({ queryOptions: { filter: odata\`n gt \${1}\` } })) console.log(rowKey);
        await orders.setAccessPolicy([]); // XML, which a worker cannot parse with a DOM
        console.log((await orders.getAccessPolicy()).length);
      }
      main();`);
    assert.deepEqual([outcome, failure, text, requests], ["finished", null, "2\n0", 5]);
    const { text: tables } = await request(page, "table/playground1/Tables", { headers: { accept: "application/json;odata=nometadata" } });
    assert.deepEqual(JSON.parse(tables), { value: [{ TableName: "Orders" }] });
  });

  test("errors name their line and the service's code", async () => {
    const { outcome, failure } = await run(`import { TableClient } from "@azure/data-tables";\n\nawait new TableClient("${origin}", "Missing").getEntity("p", "r");`);
    assert.equal(outcome, "failed");
    assert.deepEqual({ ...failure, message: "" }, { name: "RestError", message: "", code: "TableNotFound", status: 404, line: 3 });
    assert.match(failure.message, /^The table specified does not exist\.$/);
    const listed = await run(`import { TableClient } from "@azure/data-tables";\nconst all = new TableClient("${origin}", "Missing").listEntities();\n\nfor await (const e of all) {\n  console.log(e);\n}`);
    assert.deepEqual([listed.failure.code, listed.failure.line], ["TableNotFound", 4]);
    const thrown = (await run("const a = 1;\n\nfunction f() { throw new RangeError('no'); }\nf();")).failure;
    assert.deepEqual([thrown.name, thrown.message, thrown.line], ["RangeError", "no", 3]);
    const syntax = (await run("const a = 1;\nconst = 2;")).failure;
    assert.deepEqual([syntax.name, syntax.line, syntax.column], ["SyntaxError", 2, 7]);
    assert.match((await run('import x from "https://example.com/x.js";')).failure.message, /Only @azure\/data-tables can be imported/);
    assert.equal((await run("setTimeout(() => { throw new RangeError('late') }, 1)")).failure.name, "RangeError");
  });

  test("neither document nor parent nor a window is within reach", async () => {
    const { text } = await run('console.log(["document", "parent", "top", "opener", "frames", "open", "localStorage", "sessionStorage", "indexedDB", "caches", "XMLHttpRequest", "WebSocket", "Worker"].map((name) => typeof globalThis[name]).join());');
    assert.equal(text, Array(13).fill("undefined").join());
    assert.equal((await run("console.log(self.origin)")).text, "null");
  });

  test("storage is refused by the browser itself", async () => {
    const text = await attempt(`
      await attempt(() => new Promise((resolve, reject) => { const r = raw.indexedDB.open("sandtable"); r.onsuccess = resolve; r.onerror = () => reject(r.error); }));
      await attempt(() => navigator.storage.getDirectory());
      await attempt(() => navigator.locks.query());
      await attempt(() => navigator.serviceWorker.register("${app.url}app-worker.js"));`, { raw: true });
    assert.doesNotMatch(text, /reached/);
    assert.equal(text.split("\n").length, 4);
  });

  test("cookies are neither read nor written", async () => {
    const text = await attempt(`
      await attempt(() => document.cookie);
      await attempt(() => { document.cookie = "stolen=1"; });
      await attempt(() => self.cookieStore.getAll());
      await attempt(() => self.cookieStore.set("stolen", "1"));`);
    assert.doesNotMatch(text, /reached|secret/);
    assert.equal(text.split("\n").length, 4);
    assert.equal(await page.evaluate(() => document.cookie), "secret=1");
  });

  test("the network is refused by the browser itself", async () => {
    other.requests.length = 0;
    const text = await attempt(`
      const there = "${other.url}";
      await attempt(() => raw.fetch(there + "fetch"));
      await attempt(() => raw.fetch(there + "blind", { mode: "no-cors" }));
      await attempt(() => raw.fetch("${app.url}_sandtable/status"));
      await attempt(() => raw.importScripts(there + "import"));
      await attempt(() => new Promise((resolve, reject) => { const r = new raw.XMLHttpRequest(); r.onload = resolve; r.onerror = () => reject(new Error()); r.open("GET", there + "xhr"); r.send(); }));
      await attempt(() => new Promise((resolve, reject) => { const s = new raw.WebSocket(there.replace("http", "ws") + "socket"); s.onopen = resolve; s.onerror = () => reject(new Error()); }));
      await attempt(() => eval("1"));
      await attempt(() => new Function("return 1")());`, { raw: true });
    assert.match(text, /^(refused: \w+\n?){8}$/);
    // Once in about 50 runs Firefox does not return from new Worker. Then the run's time limit ends it.
    const worker = await run(`
      try {
        const worker = new raw.Worker("${other.url}worker");
        await new Promise((resolve) => { worker.onerror = resolve; worker.onmessage = () => console.log("reached"); });
      } catch {}`, { raw: true, limits: { time: engine.name === "Firefox" ? 3000 : 120_000 } });
    assert.match(worker.outcome, engine.name === "Firefox" ? /^(finished|time)$/ : /^finished$/);
    assert.equal(worker.text, "");
    assert.deepEqual(other.requests, []);
  });

  test("the bridge reaches one account, whatever the address", async () => {
    const { text: before } = await request(page, "table/precious/Tables");
    const text = await attempt(`
      for (const url of [
        "https://precious.table.core.windows.net/Tables", "${app.url}table/precious/Tables", "${app.url}_sandtable/accounts", "${other.url}",
        "http://playground.table.core.windows.net/Tables", "https://playground.table.core.windows.net:444/Tables",
        "https://playground.table.core.windows.net.example.com/", "https://playground@example.com/", "/table/precious/Tables",
      ]) await attempt(() => fetch(url));
      await attempt(() => fetch("${origin}/Tables", { method: "TRACE1" }));`);
    assert.equal(text, Array(10).fill("refused: TypeError").join("\n"));
    // These stay in their account, where there is no such table.
    const inside = await attempt(`for (const path of ["/../precious/Secret", "/%2e%2e/precious/Secret", "/..%2fprecious/Secret", "/..\\\\precious\\\\Secret", "//precious/Secret"]) {
      await attempt(async () => (await fetch("${origin}" + path)).status);
    }`);
    assert.match(inside, /^(reached: (4\d\d|501)\n?){5}$/);
    const batch = ["--b", "Content-Type: multipart/mixed; boundary=c", "", "--c", "Content-Type: application/http", "Content-Transfer-Encoding: binary", "", `POST https://precious.table.core.windows.net/Secret HTTP/1.1`, "Content-Type: application/json", "", '{"PartitionKey":"p","RowKey":"r"}', "--c--", "--b--", ""].join("\r\n");
    await attempt(`await attempt(async () => (await fetch("${origin}/$batch", { method: "POST", headers: { "content-type": "multipart/mixed; boundary=b" }, body: ${JSON.stringify(batch)} })).status);`);
    const { text: entities } = await request(page, "table/precious/Secret()", { headers: { accept: "application/json;odata=nometadata" } });
    assert.deepEqual(JSON.parse(entities), { value: [] });
    assert.equal((await request(page, "table/precious/Tables")).text, before);
  });

  test("forged messages change nothing", async () => {
    const { outcome, text } = await run(`
      const send = MessagePort.prototype.postMessage;
      let port;
      MessagePort.prototype.postMessage = function (...values) { port = this; return send.apply(this, values); };
      console.log("first");
      for (const message of [null, 7, "log", [], ["log"], ["log", "log", 7], ["fetch"], ["fetch", "x"], ["fetch", 1e9, 7], ["fetch", 1e9 + 1, ["GET", "https://precious.table.core.windows.net/Tables", [], null]], ["table", "{"], ["failed", 1]]) port.postMessage(message);
      self.postMessage(["log", "log", "to the frame", 1]);
      console.log("last");`);
    assert.deepEqual([outcome, text], ["finished", "first\n\nlast"]);
    const object = await run(`
      const send = MessagePort.prototype.postMessage;
      MessagePort.prototype.postMessage = function () { send.call(this, ["log", "log", { toString: 1 }, 1]); };
      console.log("");`);
    assert.deepEqual([object.outcome, object.text], ["limit", ""]);
  });

  test("an endless loop is stopped by its time limit and by hand, and the page stays responsive", async () => {
    const { outcome, milliseconds, frames } = await run("for (;;);", { limits: { time: 300 } });
    assert.equal(outcome, "time");
    assert.ok(milliseconds >= 299 && milliseconds < 5000, `stopped after ${milliseconds} ms`);
    assert.equal(frames, 0);
    assert.equal((await run('console.log("go");\nfor (;;);', { stopAfter: "go" })).outcome, "stopped");
    assert.equal((await run("setInterval(() => {}, 1)", { limits: { time: 200 } })).outcome, "time");
  });

  const limits = { time: 120_000 }; // on a busy machine a flood, too, is slow

  test("floods of output, messages and requests end the run", async () => {
    const flood = await run('for (;;) console.log("x".repeat(1e5));', { limits });
    assert.equal(flood.outcome, "limit");
    assert.ok(flood.text.length <= 1_010_000, `${flood.text.length} characters`);
    assert.equal((await run("for (let i = 0; ; i++) console.log(i);", { limits })).outcome, "limit");
    assert.equal((await run("for (;;) console.clear();", { limits })).outcome, "limit");
    const many = await run(`for (let i = 0; i < 30; i++) await fetch("${origin}/Tables");`, { limits: { ...limits, requests: 20 } });
    assert.deepEqual([many.outcome, many.requests], ["limit", 21]);
  });

  test("100 MB of console output is bounded, and the page stays responsive", async () => {
    await page.evaluate(() => {
      globalThis.longest = 0;
      let last = performance.now();
      globalThis.ticking = setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }, 10);
    });
    const long = await run('for (let i = 0; i < 50; i++) console.log("x".repeat(2e6));', { limits });
    assert.equal(long.outcome, "finished");
    assert.ok(long.printed.length === 50 && long.text.length <= 600_000, `${long.printed.length} values, ${long.text.length} characters`);
    const many = await run('for (let i = 0; i < 10_000; i++) console.log("x".repeat(1e4));', { limits });
    assert.equal(many.outcome, "limit");
    assert.ok(many.text.length <= 1_010_000, `${many.text.length} characters`);
    const longest = await page.evaluate(() => (clearInterval(ticking), globalThis.longest));
    assert.ok(longest < 2000, `the page was blocked for ${longest} ms`);
    assert.equal((await run("console.log(1)")).text, "1");
  });

  test("a message of 100 MB ends the run, and the page stays usable", async () => {
    const { outcome } = await run(`
      const send = MessagePort.prototype.postMessage;
      MessagePort.prototype.postMessage = function () { send.call(this, ["log", "log", "x".repeat(1e8), 1]); };
      console.log("");`, { limits: { time: 5000 } });
    assert.ok(outcome === "limit" || outcome === "time", outcome); // Firefox drops such a message
    assert.match(await attempt(`await attempt(() => fetch("${origin}/Tables", { method: "POST", body: new Uint8Array(9 << 20) }));`), /refused: TypeError/);
  });

  test("a program that only waits for a promise is told so when its time is over", async () => {
    const stopped = "The program was stopped after 0.5 seconds";
    for (const [code, message] of [
      ["await new Promise(() => {});", stopped + ": it waits for a promise, but no request and no timer is open."],
      ["await new Promise(() => setInterval(() => {}, 50));", stopped + "."],
      ["for (;;);", stopped + "."],
    ]) {
      const { outcome, message: end } = await run(code, { limits: { time: 500 } });
      assert.deepEqual([outcome, end], ["time", message], code);
    }
  });

  test("console.timeLog and crypto.randomUUID are there", async () => {
    const { text } = await run("console.time('a'); console.timeLog('a', 7); console.timeEnd('a'); console.log(crypto.randomUUID());");
    assert.match(text, /^a: [\d.]+ ms 7\na: [\d.]+ ms\n[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });
}
