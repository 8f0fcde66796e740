// A service worker with a fake engine.

import { Program } from "../program.js";
import { Service } from "../service.js";
import { setGlobals } from "./globals.mjs";

export const scope = "https://someone.github.io/demo/";
// The engine's program is empty and runs at once.
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (source, imports) => (source.byteLength === 0 ? { instance: {} } : instantiate(source, imports));

export const tables = (account) => `https://${account}.table.core.windows.net/Tables`;

/** A worker whose engine knows the given accounts, and a network. */
export function worker(accounts, { kept = null, state = "activated", waiting = null, over = [], starts = () => {}, serves = null, storing = async () => {}, loaded = Promise.resolve(), granted = Promise.resolve() } = {}) {
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
    caches: { open: async () => ({ match: async (url) => stored.get(url)?.clone(), put: async (url, response) => void (await storing(), stored.set(url, response)), delete: async (url) => stored.delete(url) }) },
    fetch: async (request) => (seen.network.push(request.url), new Response("the network")),
    navigator: { locks: { request, query: async () => ({ held: over.map((name) => ({ name })) }) } },
    BroadcastChannel: class {
      constructor() {
        seen.channel = this;
      }
      postMessage = (message) => seen.said.push(message);
    },
  };
  setGlobals(globals);
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
        if (seen.dies) seen.dies = seen.end(); // once, after this answer
        const status = control ? 200 : (seen.refuses ?? 200);
        const text = control ? JSON.stringify({ accounts: accounts.map((name) => ({ name })) }) : "ours";
        return { status, head: "", body: new TextEncoder().encode(text) };
      },
    };
  };
  const service = new Service({ scope, build: "1", file: () => loaded.then(() => new Response(new Uint8Array())), newGo: () => ({}) });
  service.listen();
  /** The response to a page's fetch; null if the worker does not claim it. */
  const fetched = (url, options) => {
    let answer = null;
    const request = typeof url === "string" ? new Request(url, options) : url;
    for (const [name, listener] of listeners) name === "fetch" && listener({ request, respondWith: (response) => (answer = response) });
    return answer;
  };
  /** Sends the worker a message and waits until it is handled. */
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
  /** Stores a list of accounts as another worker of the scope does. */
  const listElsewhere = (names) => {
    stored.set(scope + "_sandtable/accounts", new Response(JSON.stringify(names)));
    seen.channel.onmessage({ data: "listed" });
  };
  return { service, fetched, hear, activate, seen, accounts, listElsewhere };
}
