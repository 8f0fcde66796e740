import assert from "node:assert/strict";
import { test } from "node:test";
import { Relay } from "../relay.js";
import { setGlobals } from "./globals.mjs";

/**
 * The workers of some tabs of a site, and their locks and channels.
 *
 * @param {Promise<void>} [named] when a worker's instance gets its name
 */
function tabs(t, named = Promise.resolve()) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  t.mock.method(performance, "now", () => now);
  let holder = null; // of the only lock
  const queue = [];
  const grant = () => {
    if (holder === null && queue.length > 0) {
      holder = queue.shift();
      holder.hold();
    }
  };
  const request = (tab, ...rest) =>
    new Promise((_, reject) => {
      const wish = { tab, hold: rest.at(-1), reject };
      if (rest[0].steal) {
        holder?.reject(new DOMException("Lock broken", "AbortError"));
        holder = wish;
        queueMicrotask(wish.hold);
      } else {
        queue.push(wish);
        queueMicrotask(grant);
      }
    });
  const channels = [];
  /** A tab's worker. A suspended one receives its messages when it resumes. */
  const open = () => {
    const tab = { suspended: false, later: [], steals: 0, lost: 0, served: [] };
    const wake = (f) => (tab.suspended ? tab.later.push(f) : queueMicrotask(f));
    class BroadcastChannel {
      constructor(name) {
        channels.push(Object.assign(this, { name, wake }));
      }
      postMessage(data) {
        for (const channel of channels) {
          if (channel !== this && channel.name === this.name) channel.wake(() => channel.onmessage({ data }));
        }
      }
      close() {}
    }
    const locks = { request: (name, ...rest) => request(tab, ...rest).catch((reason) => new Promise((_, reject) => wake(() => reject(reason)))) };
    setGlobals({ BroadcastChannel }); // channels that a relay opens later carry nothing here
    const messages = {
      instance: () => named.then(() => "instance"),
      announce() {},
      shutDown: () => tab.lost++,
      connect: (port) => {
        tab.served.push(port);
        port.postMessage({ sandtable: 1, type: "connected", build: "b", instance: "instance" });
      },
    };
    const acquire = ({ steal = false } = {}) => {
      tab.shutDown = false;
      if (steal) tab.steals++;
    };
    tab.relay = new Relay("s", { acquire, shutDown: () => (tab.shutDown = true) }, messages, locks);
    /** The messages that the tab's page receives when it connects. */
    tab.connect = () => {
      const heard = [];
      tab.relay.connect({ postMessage: ({ type, channel }) => heard.push(type + (channel === undefined ? "" : " elsewhere")) });
      return heard;
    };
    tab.resume = () => {
      tab.suspended = false;
      tab.later.splice(0).forEach((f) => queueMicrotask(f));
    };
    return tab;
  };
  const turn = async () => {
    for (let i = 0; i < 20; i++) await null;
  };
  const pass = async (milliseconds) => {
    now += milliseconds;
    t.mock.timers.tick(milliseconds);
    await turn();
  };
  const close = (tab) => {
    tab.suspended = true;
    queue.splice(0, queue.length, ...queue.filter((wish) => wish.tab !== tab));
    holder = null;
    grant();
    return turn();
  };
  return { open, turn, pass, close };
}

test("the first tab runs the engine for all, and the next one takes over when it closes", async (t) => {
  const { open, turn, close } = tabs(t);
  const [first, second] = [open(), open()];
  await turn();
  const [own, other] = [first.connect(), second.connect()];
  await turn();
  assert.deepEqual([own, other], [["connected"], ["waiting", "connected elsewhere"]]);
  await close(first);
  const again = second.connect();
  await turn();
  assert.deepEqual(again, ["connected"]);
  assert.deepEqual([first.lost, second.lost, second.steals], [0, 0, 0]);
});

test("a suspended tab loses the engine to a waiting tab, and uses it there after it resumes", async (t) => {
  const { open, turn, pass, close } = tabs(t);
  const [first, second, third] = [open(), open(), open()];
  await turn();
  first.suspended = true;
  const heard = second.connect();
  await pass(5000);
  assert.deepEqual([heard, second.steals], [["waiting"], 0]);
  await pass(5000);
  assert.deepEqual([heard, second.steals], [["waiting", "connected"], 1]);
  assert.equal(first.lost, 0); // it is suspended
  const other = third.connect();
  await turn();
  assert.deepEqual(other, ["waiting", "connected elsewhere"]);
  first.resume();
  await turn();
  assert.deepEqual([first.lost, first.shutDown], [1, true]);
  const resumed = first.connect();
  await turn();
  assert.deepEqual(resumed, ["waiting", "connected elsewhere"]);
  await close(second);
  for (const tab of [first, third]) tab.answer = tab.connect();
  await turn();
  assert.deepEqual([first.answer, third.answer].map((heard) => heard.at(-1)).sort(), ["connected", "connected elsewhere"]);
  assert.equal(first.shutDown, first.answer.at(-1) !== "connected");
});

test("a slow owner keeps the engine", async (t) => {
  const { open, turn, pass } = tabs(t);
  const [first, second] = [open(), open()];
  await turn();
  first.suspended = true;
  const heard = second.connect();
  await pass(5000);
  first.resume();
  await turn();
  assert.equal(heard.at(-1), "connected elsewhere");
  assert.equal(first.served.length, 1); // one channel was requested twice
  await pass(60_000);
  assert.deepEqual([second.steals, first.lost], [0, 0]);
});

test("a channel that is requested while the owner starts is served once", async (t) => {
  let name;
  const { open, turn } = tabs(t, new Promise((resolve) => (name = resolve)));
  const [first, second] = [open(), open()];
  await turn();
  const [own, other] = [first.connect(), second.connect()];
  await turn();
  assert.deepEqual([own, other], [["waiting"], ["waiting"]]);
  name();
  await turn();
  assert.deepEqual([own, other], [["waiting", "connected"], ["waiting", "connected elsewhere"]]);
  assert.equal(first.served.length, 2);
});

test("of two tabs waiting for a suspended owner one steals the engine, and the other uses it there", async (t) => {
  const { open, turn, pass } = tabs(t);
  const [first, second, third] = [open(), open(), open()];
  await turn();
  first.suspended = true;
  const one = second.connect();
  await pass(1000);
  const other = third.connect();
  await pass(4000);
  await pass(1000);
  await pass(4000);
  await pass(1000);
  assert.deepEqual([one.at(-1), other.at(-1)], ["connected", "connected elsewhere"]);
  assert.deepEqual([second.steals, third.steals, second.lost], [1, 0, 0]);
});

test("of two tabs that steal the engine at once one gets it, and the other's page still reaches a worker", async (t) => {
  let name;
  const { open, turn, pass } = tabs(t, new Promise((resolve) => (name = resolve)));
  const [first, second, third] = [open(), open(), open()];
  await turn();
  first.suspended = true;
  const [one, other] = [second.connect(), third.connect()];
  await pass(5000);
  await pass(5000);
  name();
  await turn();
  assert.deepEqual([second.steals, third.steals, second.shutDown, third.shutDown], [1, 1, true, false]);
  assert.deepEqual([one.at(-1), other.at(-1)], ["connected elsewhere", "connected"]);
  assert.deepEqual([second.served.length, third.served.length], [0, 2]);
  await pass(60_000);
  assert.deepEqual([second.steals, third.steals, third.lost], [1, 1, 0]);
});
