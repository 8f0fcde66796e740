import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const scope = "https://someone.github.io/demo/";
const tables = (account) => `https://${account}.table.core.windows.net/Tables`;

/** A worker whose engine knows the given accounts, and a network. */
function worker(accounts, { kept = null, state = "activated", waiting = null, over = [], starts = () => {}, serves = null, loaded = Promise.resolve(), granted = Promise.resolve() } = {}) {
  const listeners = [];
  const pages = [{ url: scope + "page", heard: [] }, { url: "https://someone.github.io/other/", heard: [] }];
  for (const page of pages) page.postMessage = (message) => page.heard.push(message);
  const stored = new Map();
  if (kept !== null) stored.set(scope + "_sandtable/accounts", new Response(JSON.stringify(kept)));
  const seen = { starts: 0, engine: [], network: [], said: [], locks: [], released: 0, skipped: 0, deleted: [], pages, watched: [] };
  const request = async (name, ...rest) => {
    seen.locks.push(rest.length > 1 && rest[0].steal ? name + ", stolen" : name);
    await granted;
    return Promise.resolve(rest.pop()()).finally(() => seen.released++);
  };
  const globals = {
    self: {
      addEventListener: (name, listener) => listeners.push([name, listener]),
      serviceWorker: { state },
      skipWaiting: async () => void seen.skipped++,
      registration: { scope, waiting },
      clients: { matchAll: async () => pages },
    },
    indexedDB: {
      deleteDatabase(name) {
        seen.deleted.push(name);
        const request = {};
        queueMicrotask(() => request.onsuccess());
        return request;
      },
    },
    caches: { open: async () => ({ match: async (url) => stored.get(url)?.clone(), put: async (url, response) => void stored.set(url, response) }) },
    fetch: async (request) => (seen.network.push(request.url), new Response("the network")),
    navigator: { locks: { request, query: async () => ({ held: over.map((name) => ({ name })) }) } },
    BroadcastChannel: class {
      postMessage = (message) => seen.said.push(message);
    },
    WebAssembly: { instantiate: async () => ({ instance: {} }) },
    Go: class {},
  };
  const { Service, Program } = load(["address", "navigation", "accounts", "answers", "program", "engine", "ownership", "newlog", "service"], ["Service", "Program"], globals);
  Program.start = async (go, instance, script) => {
    starts(++seen.starts);
    seen.script = script;
    return {
      store: "store " + seen.starts,
      ended: new Promise((resolve) => (seen.end = resolve)),
      closing: false,
      watch: (wanted) => seen.watched.push(wanted),
      async close() {
        this.closing = true;
        seen.end();
      },
      async serve(head) {
        seen.engine.push(head.split("\n")[0]);
        if (serves !== null) return serves();
        const control = head.includes("/_sandtable/accounts") && head.startsWith("GET");
        const text = control ? JSON.stringify({ accounts: accounts.map((name) => ({ name })) }) : "ours";
        return { status: 200, head: "", body: new TextEncoder().encode(text) };
      },
    };
  };
  const service = new Service({ scope, build: "1", file: () => loaded.then(() => new Response(new Uint8Array())) });
  service.listen();
  /** What a page gets for a fetch; null if nobody claims it. */
  const fetched = (url, options) => {
    let answer = null;
    const request = typeof url === "string" ? new Request(url, options) : url;
    for (const [name, listener] of listeners) name === "fetch" && listener({ request, respondWith: (response) => (answer = response) });
    return answer;
  };
  /** Has the worker hear a message, and waits for what comes of it. */
  const hear = async (data) => {
    for (const [name, listener] of listeners) {
      if (name === "message") await new Promise((done) => {
        let waits = false;
        listener({ data, waitUntil: (work) => ((waits = true), work.then(done)) });
        if (!waits) done();
      });
    }
  };
  const activate = () => listeners.forEach(([name, listener]) => name === "activate" && listener({}));
  return { service, fetched, hear, activate, seen, accounts };
}

test("requests of accounts that live here are answered, and those of others left alone", async () => {
  const { fetched, seen } = worker(["mine"]);
  assert.equal(await (await fetched(tables("mine"))).text(), "ours");
  assert.equal(fetched(tables("theirs")), null);
  assert.equal(fetched(scope + "index.html"), null);
  assert.equal(await (await fetched(scope + "table/mine/Tables")).text(), "ours");
  assert.deepEqual(seen.network, []);
});

test("a foreign account's request that came before the list is known goes to the network", async () => {
  const { fetched, seen } = worker(["mine"]);
  assert.equal(await (await fetched(tables("theirs"))).text(), "the network");
  assert.deepEqual(seen.network, [tables("theirs")]);
});

test("the list of an earlier life decides without the engine", async () => {
  const { fetched, seen } = worker(["mine"], { kept: ["mine"] });
  assert.equal(await (await fetched(tables("theirs"))).text(), "the network");
  assert.equal(seen.starts, 0);
});

test("an account is answered once the control API has made it", async () => {
  const { fetched, accounts } = worker(["mine"]);
  await fetched(tables("mine"));
  accounts.push("fresh");
  assert.equal(fetched(tables("fresh")), null);
  await fetched(scope + "_sandtable/accounts", { method: "POST", body: "{}" });
  assert.equal(await (await fetched(tables("fresh"))).text(), "ours");
});

test("a page can ask for the worker's state without starting anything", async () => {
  const { fetched, seen } = worker(["mine"]);
  const state = async () => (await fetched(scope + "_sandtable/worker")).json();
  assert.deepEqual(await state(), { sandtable: 1, build: "1", full: null, engine: "stopped" });
  assert.equal(seen.starts, 0);
  await fetched(tables("mine"));
  assert.deepEqual(await state(), { sandtable: 1, build: "1", full: null, engine: "running", store: "store 1" });
});

test("a worker that waits takes over when a page says so, and only then", async () => {
  const { hear, activate, seen } = worker(["mine"], { state: "installed" });
  await hear({ sandtable: 1, type: "something else" });
  await hear("take over");
  assert.equal(seen.skipped, 0);
  const taken = hear({ sandtable: 1, type: "take over" });
  await new Promise(setImmediate);
  assert.equal(seen.skipped, 1);
  assert.equal(seen.said[0], "leave");
  activate();
  await taken;
});

test("a worker that is told again while it takes over does so once", async () => {
  const { hear, activate, seen } = worker(["mine"], { state: "installed" });
  const taken = [hear({ sandtable: 1, type: "take over" }), hear({ sandtable: 1, type: "take over" })];
  await new Promise(setImmediate);
  activate();
  await Promise.all(taken);
  assert.deepEqual([seen.skipped, seen.said.filter((said) => said === "leave").length], [1, 1]);
});

test("a worker that was started again while another one takes over stays out of its way", async () => {
  const name = "sandtable " + scope + " next";
  const { fetched, seen } = worker(["mine"], { kept: ["mine"], waiting: {}, over: [name] });
  const response = await fetched(tables("mine"));
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("x-ms-retry-after-ms"), "1000");
  assert.equal(seen.starts, 0);
});

test("a worker behind which another one merely waits serves on", async () => {
  const { fetched } = worker(["mine"], { waiting: {} });
  assert.equal(await (await fetched(tables("mine"))).text(), "ours");
});

test("a worker that serves already has nobody to take over from", async () => {
  const { hear, seen } = worker(["mine"]);
  await hear({ sandtable: 1, type: "take over" });
  assert.deepEqual([seen.skipped, seen.said], [0, []]);
});

test("pages of the scope hear that there is no room, and that there is again", async () => {
  const { fetched, seen } = worker(["mine"]);
  await fetched(tables("mine"));
  seen.script.full(true);
  seen.script.full(false);
  await null;
  const [page, other] = seen.pages;
  assert.deepEqual(page.heard.map(({ sandtable, type, full, store }) => [sandtable, type, full, store]), [
    [1, "state", true, "store 1"],
    [1, "state", false, "store 1"],
  ]);
  assert.deepEqual(other.heard, []);
});

test("a store that was deleted is replaced at once, and the pages are told", async () => {
  const { fetched, seen } = worker(["mine"]);
  await fetched(tables("mine"));
  seen.script.again();
  seen.end();
  await new Promise(setImmediate);
  assert.equal(seen.starts, 2);
  assert.deepEqual(seen.pages[0].heard.map(({ type, store }) => [type, store]), [["state", "store 2"]]);
});

/** A worker whose engine does not start. */
function broken(reason) {
  return worker(["mine"], {
    starts() {
      throw Object.assign(new Error("It does not start."), { reason });
    },
  });
}

test("a store that cannot be opened can be deleted, one that can is the engine's business", async () => {
  const reset = { method: "POST", body: '{"what":"all"}' };
  const fine = worker(["mine"]);
  assert.equal(await (await fine.fetched(scope + "_sandtable/reset", reset)).text(), "ours");
  assert.deepEqual(fine.seen.deleted, []);
  const newer = broken("format");
  assert.equal((await newer.fetched(tables("mine"))).status, 503);
  assert.equal((await newer.fetched(scope + "_sandtable/reset", reset)).status, 204);
  assert.deepEqual(newer.seen.deleted, ["sandtable " + scope]);
  const closed = broken("database");
  assert.equal((await closed.fetched(scope + "_sandtable/reset", reset)).status, 204);
  assert.deepEqual(closed.seen.deleted, ["sandtable " + scope]);
});

test("a store that cannot be opened is not deleted for less than all of it", async () => {
  for (const body of [undefined, "{}", '{"what":"account","account":"mine"}', '{"account":"mine"}', '{"what":"all","account":"mine"}', '"all"', "null", "[]", "0", "{"]) {
    const { fetched, seen } = broken("format");
    const response = await fetched(scope + "_sandtable/reset", { method: "POST", body });
    assert.deepEqual([response.status, response.headers.get("x-sandtable-reason"), seen.deleted], [503, "format", []], body);
  }
  const { fetched, seen } = broken("format");
  assert.equal((await fetched(scope + "_sandtable/reset?account=mine", { method: "POST" })).status, 503);
  assert.deepEqual(seen.deleted, []);
});

test("navigations may read, unless another site causes them, and never write", async () => {
  const { fetched, seen } = worker(["mine"]);
  /** A navigation: Request takes no such mode. */
  const navigated = (path, { method = "GET", referrer = "", headers = {} } = {}) => {
    const request = { url: scope + path, method, mode: "navigate", referrer, headers: new Headers(headers), arrayBuffer: async () => new ArrayBuffer(0) };
    return fetched(request);
  };
  for (const path of ["_sandtable/reset", "_sandtable/load", "table/mine/Tables"]) {
    assert.equal((await navigated(path, { method: "POST" })).status, 403);
    assert.equal((await navigated(path, { method: "POST", referrer: scope + "page" })).status, 403);
  }
  for (const from of [{ referrer: "https://elsewhere.example/" }, { headers: { "Sec-Fetch-Site": "cross-site" } }, { headers: { "Sec-Fetch-Site": "same-site" } }]) {
    assert.equal((await navigated("table/mine/Tables", from)).status, 403);
  }
  assert.equal(seen.starts, 0);
  for (const from of [{}, { referrer: scope + "page" }, { headers: { "Sec-Fetch-Site": "none" } }]) {
    assert.equal(await (await navigated("table/mine/Tables", from)).text(), "ours");
  }
});

test("a store is not deleted because something else is in the way", async () => {
  for (const reason of ["program", "memory", undefined]) {
    const { fetched, seen } = broken(reason);
    const response = await fetched(scope + "_sandtable/reset", { method: "POST", body: '{"what":"all"}' });
    assert.deepEqual([response.status, response.headers.get("x-sandtable-reason"), seen.deleted], [503, reason ?? null, []]);
  }
});

test("a request that came as a message is answered, with the address that the engine knows", async () => {
  const { service, seen } = worker(["mine"]);
  const text = async (head) => {
    const answer = await service.serve(head, null);
    return answer && new TextDecoder().decode(answer.body);
  };
  assert.equal(await text("GET " + tables("mine") + "\naccept:*/*"), "ours");
  assert.equal(await text("PUT " + scope + "table/mine/T()"), "ours");
  assert.equal(await text("GET " + tables("theirs")), null);
  assert.equal(await text("GET " + scope + "index.html"), null);
  assert.deepEqual(seen.engine.slice(-2), ["GET " + tables("mine"), "PUT https://someone.github.io/table/mine/T()"]);
});

test("whoever listens to events hears of every program that runs, and nobody else costs it anything", async () => {
  const { service, fetched, seen } = worker(["mine"]);
  await fetched(tables("mine"));
  assert.deepEqual(seen.watched, []);
  const heard = [];
  service.watch((kind, detail) => kind === "state" || heard.push([kind, detail]), true);
  service.watch((kind, detail) => kind === "state" || heard.push([kind, detail]), true);
  seen.script.event("change", "{}");
  seen.end();
  await new Promise((resolve) => setImmediate(resolve));
  await fetched(tables("mine"));
  assert.equal(seen.starts, 2);
  seen.script.event("request", "[]");
  service.watch(null, false);
  seen.script.event("change", "{}");
  assert.deepEqual(heard, [["change", "{}"], ["request", "[]"]]);
  assert.deepEqual(seen.watched, [true, true, false]);
});

/** A worker of which somebody listens how it is, and what is heard. */
function listenedTo(options) {
  const here = worker(["mine"], options);
  const heard = [];
  here.service.watch((kind, detail) => heard.push([kind, JSON.parse(detail)]), false);
  return { ...here, heard };
}

const turns = () => new Promise((resolve) => setImmediate(resolve));

test("whoever listens hears that the engine runs, crashed, and runs again; and that costs the program nothing", async () => {
  const { fetched, seen, heard } = listenedTo();
  await fetched(tables("mine"));
  seen.end();
  await turns();
  await fetched(tables("mine"));
  assert.deepEqual(heard.map(([kind, { engine, store, happened }]) => [kind, engine, store, happened]), [
    ["state", "running", "store 1", undefined],
    ["state", "stopped", undefined, "crashed"],
    ["state", "running", "store 2", undefined],
  ]);
  assert.deepEqual(seen.watched, []);
});

test("an engine whose store another worker has taken says so, and one whose store was deleted or is given up has not crashed", async () => {
  const { fetched, seen, heard, service } = listenedTo();
  await fetched(tables("mine"));
  seen.script.fenced();
  seen.end();
  await turns();
  await fetched(tables("mine"));
  seen.script.again();
  seen.end();
  await turns();
  await service.takeOver(); // it serves: nothing happens
  assert.deepEqual(heard.map(([, { engine, happened }]) => [engine, happened]), [
    ["running", undefined],
    ["stopped", "superseded"],
    ["running", undefined],
    ["running", undefined],
  ]);
});

test("whoever listens hears why the engine does not start, and of room", async () => {
  const { fetched, heard } = listenedTo({
    starts() {
      throw Object.assign(new Error("It does not start."), { reason: "format" });
    },
  });
  await fetched(tables("mine"));
  assert.deepEqual(heard.at(-1), ["state", { sandtable: 1, build: "1", full: null, engine: "failed", reason: "format", message: "It does not start." }]);
  const other = listenedTo();
  await other.fetched(tables("mine"));
  for (const full of [false, true, false]) other.seen.script.full(full);
  assert.deepEqual(other.heard.map(([, { full }]) => full), [null, false, true, false]);
});

test("an engine that crashes while it starts is a reason, and one that was superseded or whose store was deleted is none", async () => {
  for (const [ends, reason] of [
    [() => {}, "crashed"],
    [({ script }) => script.fenced(), undefined],
    [({ script }) => script.again(), undefined],
  ]) {
    const { fetched, seen, heard } = listenedTo({
      serves() {
        ends(seen);
        seen.end(); // while it is asked for the accounts
        return { status: 500, head: "", body: new TextEncoder().encode("{}") };
      },
    });
    assert.equal((await fetched(tables("mine"))).status, 503);
    const failed = heard.map(([, state]) => state).find(({ engine }) => engine === "failed");
    assert.deepEqual([failed.reason, failed.message], [reason, "The engine stopped while it started."]);
  }
});

test("the store of an owner that is suspended is taken from it, once", async () => {
  const { service, fetched, seen } = worker(["mine"]);
  service.seize();
  await fetched(tables("mine"));
  seen.end();
  await turns();
  await fetched(tables("mine"));
  const store = "sandtable " + scope;
  assert.deepEqual(seen.locks, [store + ", stolen", store]);
});

test("a worker that has retired starts nothing, until it is its turn again", async () => {
  const { service, fetched, seen } = worker(["mine"]);
  await fetched(tables("mine"));
  service.retire();
  await turns();
  const refused = await fetched(tables("mine"));
  assert.equal(refused.status, 503);
  assert.match(await refused.text(), /Another tab has the engine/);
  assert.equal(seen.starts, 1);
  service.resume();
  assert.equal(await (await fetched(tables("mine"))).text(), "ours");
});

test("a worker that loses its turn while it loads leaves the store alone", async () => {
  let load;
  const { service, fetched, seen } = worker(["mine"], { loaded: new Promise((resolve) => (load = resolve)) });
  service.seize();
  const refused = fetched(tables("mine"));
  await turns();
  service.retire();
  load();
  assert.equal((await refused).status, 503);
  assert.deepEqual([seen.locks, seen.starts], [[], 0]);
  service.resume();
  assert.equal(await (await fetched(tables("mine"))).text(), "ours");
  assert.deepEqual(seen.locks, ["sandtable " + scope]); // it was to be taken in the turn that is over
});

test("a worker that loses its turn while it waits for the store releases it", async () => {
  let grant;
  const { service, fetched, seen } = worker(["mine"], { granted: new Promise((resolve) => (grant = resolve)) });
  const refused = fetched(tables("mine"));
  await turns();
  assert.equal(seen.locks.length, 1);
  service.retire();
  grant();
  assert.equal((await refused).status, 503);
  await turns();
  assert.deepEqual([seen.released, seen.starts], [1, 0]);
});
