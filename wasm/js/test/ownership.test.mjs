import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

/** Web Locks, all of them exclusive. */
function locks() {
  const tails = new Map();
  const held = new Set();
  const thieves = new Map(); // what takes a lock from its holder
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

/** Workers of one scope, which hear each other. */
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
  return load(["program", "ownership"], ["Ownership"], { BroadcastChannel, navigator: { locks: locks() } }).Ownership;
}

const quiet = { giveUp: async () => {}, leave: async () => {} };

test("a store without an owner is taken at once", async () => {
  const Ownership = workers();
  const release = await new Ownership("s", quiet).take();
  assert.equal(typeof release, "function");
});

test("the owner is asked, and the next one has the store when it is released", async () => {
  const Ownership = workers();
  let release;
  const steps = [];
  const old = new Ownership("s", {
    ...quiet,
    giveUp: async () => {
      steps.push("given up");
      release();
    },
  });
  release = await old.take();
  await new Ownership("s", quiet).take();
  assert.deepEqual(steps, ["given up"]);
});

test("an owner that does not give up is not waited for without end", async () => {
  const Ownership = workers();
  await new Ownership("s", quiet).take();
  const awake = setTimeout(() => {}, 60_000); // Node.js does not wait for AbortSignal.timeout
  await assert.rejects(new Ownership("s", quiet).take({ patience: 20 }), { reason: "held", message: /does not give it up/ });
  clearTimeout(awake);
});

test("who takes over waits until the other one has left, and says so for as long as it takes", async () => {
  const Ownership = workers();
  const steps = [];
  let release, over;
  const old = new Ownership("s", {
    giveUp: async () => release(),
    async leave() {
      steps.push("leaving");
      over = old.settled().then(() => steps.push("over"));
      await new Promise(setImmediate);
      release();
      await new Promise(setImmediate);
      steps.push("left");
    },
  });
  release = await old.take();
  assert.equal(await old.succeeded(), false);
  await new Ownership("s", quiet).succeed(async () => {
    steps.push("taking over");
    assert.equal(await old.succeeded(), true);
  });
  await over;
  assert.deepEqual(steps, ["leaving", "left", "taking over", "over"]);
  assert.equal(await old.succeeded(), false);
});

test("who takes over from a worker that is no more need not wait", async () => {
  const Ownership = workers();
  await new Ownership("s", quiet).succeed(async () => {});
});

test("a lock is taken from an owner that does not answer, and that gives the store up when it wakes up", async () => {
  const Ownership = workers();
  let woken = 0;
  await new Ownership("s", { ...quiet, giveUp: async () => void woken++ }).take();
  const release = await new Ownership("s", quiet).take({ steal: true });
  assert.equal(typeof release, "function");
  await new Promise(setImmediate);
  assert.equal(woken, 2); // it was asked, and then it lost the lock
});
