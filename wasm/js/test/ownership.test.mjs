import assert from "node:assert/strict";
import { test } from "node:test";
import { resetFull } from "../discard.js";
import { Ownership } from "../ownership.js";
import { setGlobals } from "./globals.mjs";

/** Fake exclusive Web Locks. */
function locks() {
  const tails = new Map();
  const held = new Set();
  const thieves = new Map(); // steals a lock from its holder
  return {
    request(name, ...rest) {
      const hold = rest.pop();
      const { signal, steal } = rest.pop() ?? {};
      if (steal) {
        thieves.get(name)?.();
        tails.delete(name);
      }
      const granted = new Promise((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
        (tails.get(name) ?? Promise.resolve()).then(async () => {
          if (signal?.aborted) return;
          held.add(name);
          thieves.set(name, () => reject(new DOMException("Lock broken", "AbortError")));
          try {
            resolve(await hold());
          } finally {
            held.delete(name);
          }
        });
      });
      tails.set(name, granted.catch(() => {}));
      return granted;
    },
    query: async () => ({ held: [...held].map((name) => ({ name })) }),
  };
}

/** Connects the workers of one test. */
function workers() {
  const channels = [];
  class BroadcastChannel {
    constructor() {
      channels.push(this);
    }
    postMessage(data) {
      for (const channel of channels) channel !== this && queueMicrotask(() => channel.onmessage({ data }));
    }
  }
  setGlobals({ BroadcastChannel, navigator: { locks: locks() } });
}

const quiet = { release: async () => {}, shutDown: async () => {} };

test("a store without an owner is acquired at once", async () => {
  workers();
  const release = await new Ownership("s", quiet).acquire();
  assert.equal(typeof release, "function");
});

test("the owner is asked to release the store, and the next worker acquires it", async () => {
  workers();
  let release;
  const steps = [];
  const old = new Ownership("s", {
    ...quiet,
    release: async () => {
      steps.push("released");
      release();
    },
  });
  release = await old.acquire();
  await new Ownership("s", quiet).acquire();
  assert.deepEqual(steps, ["released"]);
});

test("the wait for an owner that does not release the store is bounded", async () => {
  workers();
  await new Ownership("s", quiet).acquire();
  const awake = setTimeout(() => {}, 60_000); // AbortSignal.timeout does not keep Node.js running
  await assert.rejects(new Ownership("s", quiet).acquire({ timeout: 20 }), { reason: "held", message: /does not release it/ });
  clearTimeout(awake);
});

test("a replacing worker waits until the other one has shut down, and shows it", async () => {
  workers();
  const steps = [];
  let release, over;
  const old = new Ownership("s", {
    release: async () => release(),
    async shutDown() {
      steps.push("shutting down");
      over = old.settled().then(() => steps.push("over"));
      await new Promise(setImmediate);
      release();
      await new Promise(setImmediate);
      steps.push("shut down");
    },
  });
  release = await old.acquire();
  assert.equal(await old.replaced(), false);
  await new Ownership("s", quiet).replace(async () => {
    steps.push("replacing");
    assert.equal(await old.replaced(), true);
  });
  await over;
  assert.deepEqual(steps, ["shutting down", "shut down", "replacing", "over"]);
  assert.equal(await old.replaced(), false);
});

test("a worker that replaces an ended one does not wait", async () => {
  workers();
  await new Ownership("s", quiet).replace(async () => {});
});

test("a lock is stolen from a suspended owner, which releases the store when it resumes", async () => {
  workers();
  let releases = 0;
  await new Ownership("s", { ...quiet, release: async () => void releases++ }).acquire();
  const release = await new Ownership("s", quiet).acquire({ steal: true });
  assert.equal(typeof release, "function");
  await new Promise(setImmediate);
  assert.equal(releases, 2); // it was asked, then lost the lock
});

test("a full store is deleted before a request that comes meanwhile starts the engine again", async () => {
  workers();
  const done = [];
  const request = {};
  const deleteDatabase = () => (done.push("deleted"), queueMicrotask(() => request.onsuccess()), request);
  setGlobals({ indexedDB: { deleteDatabase } });
  const worker = new Ownership("s", quiet);
  const close = await worker.acquire();
  let restarted;
  const release = async () => {
    restarted = worker.acquire({ timeout: 1000 }).then(() => done.push("restarted"));
    close();
  };
  const body = new TextEncoder().encode('{"what":"all"}');
  assert.equal((await resetFull({ status: 507, head: "", body: null }, "", body, "s", worker, release)).status, 204);
  await restarted;
  assert.deepEqual(done, ["deleted", "restarted"]);
});
