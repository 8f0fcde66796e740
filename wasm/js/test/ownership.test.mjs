import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

/** Web Locks, as far as one name of them is needed. */
function locks() {
  let tail = Promise.resolve();
  return {
    request(name, { signal }, hold) {
      const turn = tail;
      const granted = new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        turn.then(() => !signal.aborted && resolve(hold()));
      });
      tail = granted.catch(() => {});
      return granted;
    },
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
  return load(["ownership"], ["Ownership"], { BroadcastChannel, navigator: { locks: locks() } }).Ownership;
}

test("a store without an owner is taken at once", async () => {
  const Ownership = workers();
  const release = await new Ownership("s", async () => {}).take();
  assert.equal(typeof release, "function");
});

test("the owner is asked, and the next one has the store when it is released", async () => {
  const Ownership = workers();
  let release;
  const steps = [];
  const old = new Ownership("s", async () => {
    steps.push("given up");
    release();
  });
  release = await old.take();
  await new Ownership("s", async () => {}).take();
  assert.deepEqual(steps, ["given up"]);
});

test("an owner that does not give up is not waited for without end", async () => {
  const Ownership = workers();
  await new Ownership("s", async () => {}).take();
  const awake = setTimeout(() => {}, 60_000); // Node.js does not wait for AbortSignal.timeout
  await assert.rejects(new Ownership("s", async () => {}).take(20), /does not give its store up/);
  clearTimeout(awake);
});
