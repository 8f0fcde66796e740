import assert from "node:assert/strict";
import { test } from "node:test";
import { scope, tables, worker } from "./fake-worker.mjs";

test("requests to local accounts are answered, requests to others are not", async () => {
  const { fetched, seen } = worker(["mine"]);
  assert.equal(await (await fetched(tables("mine"))).text(), "ours");
  assert.equal(fetched(tables("theirs")), null);
  assert.equal(fetched(scope + "index.html"), null);
  assert.equal(await (await fetched(scope + "table/mine/Tables")).text(), "ours");
  assert.deepEqual(seen.network, []);
});

test("a foreign account's request from before the list is known goes to the network", async () => {
  const { fetched, seen } = worker(["mine"]);
  assert.equal(await (await fetched(tables("theirs"))).text(), "the network");
  assert.deepEqual(seen.network, [tables("theirs")]);
});

test("the list of an earlier instance decides without the engine", async () => {
  const { fetched, seen } = worker(["mine"], { kept: ["mine"] });
  assert.equal(await (await fetched(tables("theirs"))).text(), "the network");
  assert.equal(seen.starts, 0);
});

test("an account is answered for once the control API has created it", async () => {
  const { fetched, accounts } = worker(["mine"]);
  await fetched(tables("mine"));
  accounts.push("fresh");
  assert.equal(fetched(tables("fresh")), null);
  await fetched(scope + "_sandtable/accounts", { method: "POST", body: "{}" });
  assert.equal(await (await fetched(tables("fresh"))).text(), "ours");
});

test("an account of an archive that fails to load later is answered for", async () => {
  const { fetched, accounts, seen } = worker(["mine"]);
  await fetched(tables("mine"));
  accounts.push("fresh");
  seen.refuses = 400;
  assert.equal((await fetched(scope + "_sandtable/load", { method: "POST", body: "{}" })).status, 400);
  assert.equal(await (await fetched(tables("fresh"))).text(), "ours");
});

test("an account that is created while Cache Storage is full is answered for, not the network", async () => {
  let full = false;
  const storing = async () => {
    if (full) throw new DOMException("Quota exceeded.", "QuotaExceededError");
  };
  const { fetched, accounts, seen } = worker(["mine"], { storing });
  await fetched(tables("mine"));
  full = true;
  accounts.push("fresh");
  await fetched(scope + "_sandtable/accounts", { method: "POST", body: "{}" });
  assert.equal(await (await fetched(tables("fresh"))).text(), "ours");
  assert.deepEqual(seen.network, []);
});

test("without Cache Storage the engine starts, and accounts are still told apart", async () => {
  const { fetched, accounts, seen } = worker(["mine"]);
  caches.open = async () => {
    throw new DOMException("Unexpected internal error.", "UnknownError");
  };
  assert.equal(await (await fetched(tables("mine"))).text(), "ours");
  accounts.push("fresh");
  await fetched(scope + "_sandtable/accounts", { method: "POST", body: "{}" });
  assert.equal(await (await fetched(tables("fresh"))).text(), "ours");
  assert.equal(fetched(tables("theirs")), null);
  assert.deepEqual(seen.network, []);
});

test("an account whose creation ends the engine is answered for, not the network", async () => {
  const { fetched, accounts, seen } = worker(["mine"], {
    starts(count) {
      if (count === 2) throw new Error("It does not start yet.");
    },
  });
  await fetched(tables("mine"));
  accounts.push("fresh");
  seen.dies = true;
  await fetched(scope + "_sandtable/accounts", { method: "POST", body: "{}" });
  assert.equal(await (await fetched(tables("fresh"))).text(), "ours");
  assert.deepEqual(seen.network, []);
});

test("an account that another worker of the scope creates is answered for", async () => {
  const { fetched, accounts, listElsewhere } = worker(["mine"]);
  await fetched(tables("mine"));
  assert.equal(fetched(tables("fresh")), null);
  accounts.push("fresh");
  listElsewhere(accounts);
  assert.equal(await (await fetched(tables("fresh"))).text(), "ours");
});

test("other workers of the scope learn of a changed list", async () => {
  const { fetched, accounts, seen } = worker(["mine"]);
  await fetched(tables("mine"));
  const create = () => fetched(scope + "_sandtable/accounts", { method: "POST", body: "{}" });
  const count = () => seen.said.filter((said) => said === "listed").length;
  const before = count();
  await create();
  assert.equal(count(), before, "nothing has changed");
  accounts.push("fresh");
  await create();
  assert.equal(count(), before + 1);
});

test("a page can read the worker's state without starting the engine", async () => {
  const { fetched, seen } = worker(["mine"]);
  const state = async () => (await fetched(scope + "_sandtable/worker")).json();
  assert.deepEqual(await state(), { sandtable: 1, build: "1", full: null, engine: "stopped" });
  assert.equal(seen.starts, 0);
  await fetched(tables("mine"));
  assert.deepEqual(await state(), { sandtable: 1, build: "1", full: null, engine: "running", store: "store 1" });
});

test("a waiting worker is activated only by a page", async () => {
  const { hear, activate, seen } = worker(["mine"], { state: "installed" });
  await hear({ sandtable: 1, type: "something else" });
  await hear("activate");
  assert.equal(seen.skipped, 0);
  assert.deepEqual(seen.pages[0].heard, []);
  const taken = hear({ sandtable: 1, type: "activate" });
  await new Promise(setImmediate);
  assert.equal(seen.skipped, 1);
  assert.equal(seen.said[0], "shutDown");
  assert.deepEqual(seen.pages.map(({ heard }) => heard), [[{ sandtable: 1, type: "taking over" }], []], "pages of other scopes hear nothing");
  activate();
  await taken;
});

test("repeated orders activate a worker once", async () => {
  const { hear, activate, seen } = worker(["mine"], { state: "installed" });
  const taken = [hear({ sandtable: 1, type: "activate" }), hear({ sandtable: 1, type: "activate" })];
  await new Promise(setImmediate);
  activate();
  await Promise.all(taken);
  assert.deepEqual([seen.skipped, seen.said.filter((said) => said === "shutDown").length], [1, 1]);
});

test("a worker that the browser does not activate at once asks only once, and leaves the store to the other one", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { hear, seen } = worker(["mine"], { state: "installed" });
  const taken = hear({ sandtable: 1, type: "activate" });
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
  t.mock.timers.tick(5000);
  await taken;
  await hear({ sandtable: 1, type: "activate" });
  assert.deepEqual([seen.skipped, seen.said.filter((said) => said === "shutDown").length], [1, 1]);
});

test("a worker that is restarted during its replacement does not acquire the store", async () => {
  const name = "sandtable " + scope + " replacing";
  const { fetched, seen } = worker(["mine"], { kept: ["mine"], waiting: {}, over: [name] });
  const response = await fetched(tables("mine"));
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("x-ms-retry-after-ms"), "1000");
  assert.equal(seen.starts, 0);
});

test("a worker serves while another one waits", async () => {
  const { fetched } = worker(["mine"], { waiting: {} });
  assert.equal(await (await fetched(tables("mine"))).text(), "ours");
});

test("activating an active worker does nothing", async () => {
  const { hear, seen } = worker(["mine"]);
  await hear({ sandtable: 1, type: "activate" });
  assert.deepEqual([seen.skipped, seen.said], [0, []]);
});

test("the scope's pages are notified when space runs out and when there is space again", async () => {
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

test("a deleted store is replaced at once, and the pages are notified", async () => {
  const { fetched, seen } = worker(["mine"]);
  await fetched(tables("mine"));
  seen.script.deleted();
  seen.end();
  await new Promise(setImmediate);
  assert.equal(seen.starts, 2);
  assert.deepEqual(seen.pages[0].heard.map(({ type, store }) => [type, store]), [["state", "store 2"]]);
});

test("a request sent as a message reaches the engine with its whole URL", async () => {
  const { service, seen } = worker(["mine"]);
  const text = async (head) => {
    const answer = await service.serve(head, null);
    return answer && new TextDecoder().decode(answer.body);
  };
  assert.equal(await text("GET " + tables("mine") + "\naccept:*/*"), "ours");
  assert.equal(await text("PUT " + scope + "table/mine/T()"), "ours");
  assert.equal(await text("GET " + tables("theirs")), null);
  assert.equal(await text("GET " + scope + "index.html"), null);
  assert.deepEqual(seen.engine.slice(-2), ["GET " + tables("mine"), "PUT https://someone.github.io/demo/table/mine/T()"]);
});

test("an event listener gets the events of every program, learns that it may have missed some in between, and starts none", async () => {
  const { service, fetched, seen } = worker(["mine"]);
  await fetched(tables("mine"));
  assert.deepEqual(seen.watched, []);
  const heard = [];
  service.watch((kind, detail) => kind === "state" || heard.push([kind, detail]), "events");
  service.watch((kind, detail) => kind === "state" || heard.push([kind, detail]), "events");
  seen.script.event("change", "{}");
  seen.end();
  await new Promise((resolve) => setImmediate(resolve));
  await fetched(tables("mine"));
  assert.equal(seen.starts, 2);
  seen.script.event("request", "[]");
  service.watch(null, "nothing");
  seen.script.event("change", "{}");
  assert.deepEqual(heard, [["change", "{}"], ["lost", "{}"], ["request", "[]"]]);
  assert.deepEqual(seen.watched, ["events", "events", "nothing"]);
});

/** A worker with a state listener, and the states that it got. */
function listenedTo(options) {
  const here = worker(["mine"], options);
  const heard = [];
  here.service.watch((kind, detail) => heard.push([kind, JSON.parse(detail)]), "nothing");
  return { ...here, heard };
}

const turns = () => new Promise((resolve) => setImmediate(resolve));

test("a program that has ended is not kept", async () => {
  const { fetched, service, seen } = worker(["mine"]);
  await fetched(tables("mine"));
  service.shutDown();
  await new Promise(setImmediate);
  service.watch(() => {}, "events");
  assert.deepEqual(seen.watched, []);
});

test("a state listener is notified of start, crash and restart", async () => {
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

test("an engine that lost its store to another worker reports that; a deleted or released store is no crash", async () => {
  const { fetched, seen, heard, service } = listenedTo();
  await fetched(tables("mine"));
  seen.script.fenced();
  seen.end();
  await turns();
  await fetched(tables("mine"));
  seen.script.deleted();
  seen.end();
  await turns();
  await service.activate(); // already serving: nothing happens
  assert.deepEqual(heard.map(([, { engine, happened }]) => [engine, happened]), [
    ["running", undefined],
    ["stopped", "superseded"],
    ["running", undefined],
    ["running", undefined],
  ]);
});

test("a state listener is notified why the engine does not start, and of missing space", async () => {
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

test("a crash during the start has a reason; a superseded engine or a deleted store has none", async () => {
  for (const [ends, reason] of [
    [() => {}, "crashed"],
    [({ script }) => script.fenced(), undefined],
    [({ script }) => script.deleted(), undefined],
  ]) {
    const { fetched, seen, heard } = listenedTo({
      serves() {
        ends(seen);
        seen.end(); // during the request for the accounts
        return { status: 500, head: "", body: new TextEncoder().encode("{}") };
      },
    });
    assert.equal((await fetched(tables("mine"))).status, 503);
    const failed = heard.map(([, state]) => state).find(({ engine }) => engine === "failed");
    assert.deepEqual([failed.reason, failed.message], [reason, "The engine stopped while it started."]);
  }
});

test("a suspended owner's store is stolen once", async () => {
  const { service, fetched, seen } = worker(["mine"]);
  service.acquire({ steal: true });
  await fetched(tables("mine"));
  seen.end();
  await turns();
  await fetched(tables("mine"));
  const store = "sandtable " + scope;
  assert.deepEqual(seen.locks, [store + ", stolen", store]);
});

test("a worker that was shut down starts nothing until it may acquire the store again", async () => {
  const { service, fetched, seen } = worker(["mine"]);
  await fetched(tables("mine"));
  service.shutDown();
  await turns();
  const refused = await fetched(tables("mine"));
  assert.equal(refused.status, 503);
  assert.match(await refused.text(), /Another tab has the engine/);
  assert.equal(seen.starts, 1);
  service.acquire();
  assert.equal(await (await fetched(tables("mine"))).text(), "ours");
});

test("a worker that is shut down while it loads leaves the store alone", async () => {
  let load;
  const { service, fetched, seen } = worker(["mine"], { loaded: new Promise((resolve) => (load = resolve)) });
  service.acquire({ steal: true });
  const refused = fetched(tables("mine"));
  await turns();
  service.shutDown();
  load();
  assert.equal((await refused).status, 503);
  assert.deepEqual([seen.locks, seen.starts], [[], 0]);
  service.acquire();
  assert.equal(await (await fetched(tables("mine"))).text(), "ours");
  assert.deepEqual(seen.locks, ["sandtable " + scope]); // stealing applied to the earlier attempt
});

test("a worker that is shut down while it waits for the store releases it", async () => {
  let grant;
  const { service, fetched, seen } = worker(["mine"], { granted: new Promise((resolve) => (grant = resolve)) });
  const refused = fetched(tables("mine"));
  await turns();
  assert.equal(seen.locks.length, 1);
  service.shutDown();
  grant();
  assert.equal((await refused).status, 503);
  await turns();
  assert.deepEqual([seen.released, seen.starts], [1, 0]);
});
