import assert from "node:assert/strict";
import { test } from "node:test";
import { Connection } from "../client/connection.js";
import { lockManager } from "./fake-connection.mjs";
import { setGlobals } from "./globals.mjs";

/** A page whose engine is in another tab, which answers on a channel or is silent. */
function elsewhere(t) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const seen = { said: [], requests: [], answers: true, health: [], connects: 0, deaf: false };
  const channels = [];
  class BroadcastChannel {
    constructor() {
      channels.push(this);
    }
    postMessage(message) {
      if (message.ping) seen.said.push("ping");
      if (message.head) seen.requests.push(message.head);
      if (seen.answers && (message.ping || message.head)) {
        const answer = message.ping ? { pong: true, id: message.id } : { id: message.id, status: 200, head: "", body: null };
        queueMicrotask(() => this.onmessage({ data: answer }));
      }
    }
    close() {
      this.closed = true;
    }
  }
  const locks = lockManager().of({});
  locks.request("instance", () => new Promise(() => {})); // held by the other tab
  setGlobals({ BroadcastChannel, MessageChannel: FakeChannel });
  const open = (port) => {
    seen.connects++;
    if (seen.deaf) return;
    port.postMessage({ sandtable: 1, type: "connected", build: "b", instance: "instance", channel: "channel" });
  };
  const health = { report: (subject, { code }) => seen.health.push(`${subject} ${code}`), clear: (subject) => seen.health.push(`${subject} is well`) };
  const connection = new Connection(open, { plain: true, health, locks });
  t.after(() => connection.close());
  const pass = async (milliseconds) => {
    now += milliseconds;
    t.mock.timers.tick(milliseconds);
    for (let i = 0; i < 10; i++) await null;
  };
  return { connection, seen, pass, channels };
}

/** A channel with immediate delivery, because the test's clock is fake. */
class FakeChannel {
  port1 = { close() {}, postMessage() {} };
  port2 = { postMessage: (data) => queueMicrotask(() => this.port1.onmessage({ data })) };
}

test("if the other tab falls silent, reads are retried and writes refused as busy", async (t) => {
  const { connection, seen, pass, channels } = elsewhere(t);
  assert.equal((await connection.request("GET a", null)).status, 200);
  seen.answers = false;
  const read = connection.request("GET b", null);
  const write = connection.request("POST c", null);
  await pass(5000);
  assert.deepEqual(seen.said, ["ping"]);
  assert.equal(channels[0].closed, undefined);
  seen.answers = true; // the tab that runs the engine now
  await pass(5000);
  assert.equal((await read).status, 200);
  assert.deepEqual([(await write).status, (await write).lost], [503, true]);
  assert.deepEqual([channels[0].closed, seen.connects], [true, 2]);
  assert.deepEqual(seen.health, ["worker is well", "worker Suspended", "worker is well"]);
});

test("a slow tab is waited for", async (t) => {
  const { connection, seen, pass, channels } = elsewhere(t);
  await connection.session();
  seen.answers = false;
  const read = connection.request("GET b", null);
  await pass(0);
  for (let i = 0; i < 10; i++) {
    await pass(5000);
    channels[0].onmessage({ data: { pong: true } });
  }
  assert.equal(seen.said.length, 10);
  channels[0].onmessage({ data: { id: 1, status: 200, head: "", body: null } });
  assert.equal((await read).status, 200);
  await pass(60_000); // no pending response
  assert.equal(seen.said.length, 10);
  assert.deepEqual(seen.health, ["worker is well"]);
});

test("a page can check whether the other tab still answers without a request", async (t) => {
  const { connection, seen, pass } = elsewhere(t);
  await connection.session();
  connection.check();
  await pass(0);
  await pass(20_000);
  assert.deepEqual(seen.said, ["ping"]);
  seen.answers = false;
  connection.check();
  await pass(5000);
  await pass(5000);
  assert.deepEqual(seen.health, ["worker is well", "worker Suspended"]);
});

test("a silent worker is reported, and so is its recovery", async (t) => {
  const { connection, seen, pass } = elsewhere(t);
  seen.deaf = true;
  for (let i = 0; i < 2; i++) {
    const asked = connection.request("GET a", null);
    await pass(5000);
    assert.equal((await asked).status, 503);
  }
  seen.deaf = false;
  assert.equal((await connection.request("GET a", null)).status, 200);
  assert.deepEqual(seen.health, ["worker NotConnected", "worker NotConnected", "worker is well"]);
});

test("a watching page reconnects to its own tab's worker and learns that it does not answer", async (t) => {
  const { connection, seen, pass, channels } = elsewhere(t);
  connection.watch("scope", ["state"], () => {});
  await pass(0);
  assert.equal(seen.connects, 1);
  seen.deaf = true;
  seen.answers = false;
  connection.check();
  await pass(5000);
  await pass(5000);
  assert.deepEqual([channels.at(-1).closed, seen.connects], [true, 2]);
  await pass(5000);
  assert.deepEqual(seen.health, ["worker is well", "worker Suspended", "worker NotConnected"]);
});
