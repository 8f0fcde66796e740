import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const scope = "https://someone.github.io/demo/";
const tables = (account) => `https://${account}.table.core.windows.net/Tables`;

/** A worker whose engine knows the given accounts, and a network. */
function worker(accounts, { kept = null } = {}) {
  const listeners = [];
  const stored = new Map();
  if (kept !== null) stored.set(scope + "_sandtable/accounts", new Response(JSON.stringify(kept)));
  const seen = { starts: 0, engine: [], network: [] };
  const globals = {
    self: { addEventListener: (name, listener) => listeners.push([name, listener]) },
    caches: { open: async () => ({ match: async (url) => stored.get(url)?.clone(), put: async (url, response) => void stored.set(url, response) }) },
    fetch: async (request) => (seen.network.push(request.url), new Response("the network")),
    navigator: { locks: { request: async (name, options, hold) => hold() } },
    BroadcastChannel: class {
      postMessage() {}
    },
    WebAssembly: { instantiate: async () => ({ instance: {} }) },
    Go: class {},
  };
  const { Service, Program } = load(["address", "accounts", "answers", "program", "engine", "ownership", "service"], ["Service", "Program"], globals);
  Program.start = async () => {
    seen.starts++;
    return {
      ended: new Promise(() => {}),
      async serve(head) {
        seen.engine.push(head.split("\n")[0]);
        const control = head.includes("/_sandtable/accounts") && head.startsWith("GET");
        const text = control ? JSON.stringify({ accounts: accounts.map((name) => ({ name })) }) : "ours";
        return { status: 200, head: "", body: new TextEncoder().encode(text) };
      },
    };
  };
  const service = new Service({ scope, build: "1", file: async () => new Response(new Uint8Array()) });
  service.listen();
  /** What a page gets for a fetch; null if nobody claims it. */
  const fetched = (url, options) => {
    let answer = null;
    const request = new Request(url, options);
    for (const [name, listener] of listeners) name === "fetch" && listener({ request, respondWith: (response) => (answer = response) });
    return answer;
  };
  return { service, fetched, seen, accounts };
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
