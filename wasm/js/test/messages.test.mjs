import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

/** Web Locks as a process has them: each context's are released when it ends. */
function lockManager() {
  const held = new Map(); // name -> how to release it
  const waiting = [];
  const grant = () => {
    for (const entry of [...waiting]) {
      if (!held.has(entry.name)) {
        waiting.splice(waiting.indexOf(entry), 1);
        held.set(entry.name, entry.context);
        Promise.resolve(entry.hold()).then((value) => {
          held.delete(entry.name);
          entry.resolve(value);
          queueMicrotask(grant);
        });
      }
    }
  };
  return {
    of: (context) => ({
      request(name, ...rest) {
        const hold = rest.at(-1);
        return new Promise((resolve) => {
          waiting.push({ name, hold, resolve, context });
          grant();
        });
      },
    }),
    end(context) {
      for (const [name, owner] of held) if (owner === context) held.delete(name);
      grant();
    },
  };
}

/** Lives of a worker, one after another, and a page that knows how to reach the present one. */
function world(answer) {
  const locks = lockManager();
  let worker = null;
  const ports = [];
  const begin = () => {
    const context = {};
    const { Messages } = load(["protocol", "answers", "messages"], ["Messages"], { navigator: { locks: locks.of(context) } });
    const asked = [];
    const service = {
      serve: (head, body) => (asked.push(head), answer(head, body, asked.length)),
      watch: (listener, events) => Object.assign(made, { listener, events }),
      state: { engine: "running" },
    };
    const made = { context, asked, listener: null, events: false, messages: new Messages(service, "build") };
    return (worker = made);
  };
  const end = () => {
    ports.forEach((port) => port.close()); // the other side is told nothing
    locks.end(worker.context);
    worker = null;
  };
  const parts = ["protocol", "answers", "pulse", "client/errors", "client/abortable", "client/connection"];
  const page = {};
  const said = []; // to the worker, and on ports
  const { Connection } = load(parts, ["Connection"], { navigator: { locks: locks.of(page) } });
  const open = (port) => {
    ports.push(port);
    (worker ?? begin()).messages.connect(port);
    const { onmessage } = port;
    port.onmessage = (event) => {
      said.push(event.data);
      onmessage(event);
    };
  };
  const connection = new Connection(open, { stay: () => said.push("stay") });
  const close = () => {
    connection.close();
    ports.forEach((port) => port.close());
  };
  return { begin, end, connection, close, worker: () => worker, said, leave: () => locks.end(page) };
}

const text = (bytes) => new TextDecoder().decode(bytes);
const echo = async (head, body) => ({ status: 200, head: "x:1", body: new TextEncoder().encode(head + (body === null ? "" : " " + text(body))) });

test("requests are answered, each with its own answer", async (t) => {
  const { connection, close } = world(echo);
  t.after(close);
  const answers = await Promise.all(["GET a", "PUT b"].map((head) => connection.request(head, new Uint8Array([65]))));
  assert.deepEqual(answers.map(({ status, head, body }) => [status, head, text(body)]), [[200, "x:1", "GET a A"], [200, "x:1", "PUT b A"]]);
});

test("no body, and what is not ours, come through as they are", async (t) => {
  const { connection, close } = world(async (head) => (head === "GET ours" ? { status: 204, head: "", body: null } : null));
  t.after(close);
  const { status, body } = await connection.request("GET ours", null);
  assert.deepEqual([status, body], [204, null]);
  assert.equal(await connection.request("GET theirs", null), null);
});

test("a worker that has ended is woken up by the next request", async (t) => {
  const { connection, end, close, worker } = world(echo);
  t.after(close);
  await connection.request("PUT a", null);
  const first = worker();
  end();
  const { status } = await connection.request("PUT b", null);
  assert.equal(status, 200);
  assert.notEqual(worker(), first);
  assert.deepEqual(worker().asked, ["PUT b"]);
});

test("what a worker leaves unanswered is sent again if it reads, and refused as busy if it writes", async (t) => {
  let lives = 0;
  const { connection, end, close } = world((head) => (lives === 0 ? new Promise(() => {}) : echo(head, null)));
  t.after(close);
  const read = connection.request("GET a", null);
  const write = connection.request("POST b", null);
  await connection.line();
  await new Promise((resolve) => setImmediate(resolve));
  lives++;
  end();
  assert.equal((await read).status, 200);
  const { status, head, body } = await write;
  assert.equal(status, 503);
  assert.match(head, /Retry-After:1/);
  assert.match(text(body), /may or may not have been done/);
});

test("a request that makes no sense is answered", async (t) => {
  const { connection, close } = world(() => {
    throw new TypeError("Invalid URL");
  });
  t.after(close);
  assert.equal((await connection.request("GET", null)).status, 500);
});

test("a request that is given up ends at once", async (t) => {
  const { connection, close } = world(() => new Promise(() => {}));
  t.after(close);
  const controller = new AbortController();
  const asked = connection.request("GET a", null, controller.signal);
  await connection.line();
  controller.abort(new Error("enough"));
  await assert.rejects(asked, /enough/);
  await assert.rejects(connection.request("GET a", null, controller.signal), /enough/);
});

/** A body of pieces, with the number of those that were asked for. */
function long(pieces) {
  const seen = { pulled: 0, cancelled: false };
  const stream = new ReadableStream(
    {
      pull(controller) {
        const piece = pieces[seen.pulled++];
        piece === undefined ? controller.close() : piece instanceof Error ? controller.error(piece) : controller.enqueue(new TextEncoder().encode(piece));
      },
      cancel: () => void (seen.cancelled = true),
    },
    { highWaterMark: 0 },
  );
  return { seen, stream };
}

test("a long answer comes in pieces, when they are asked for", async (t) => {
  const { seen, stream } = long(["one", "two", "three"]);
  const { connection, close } = world(async () => ({ status: 200, head: "", body: stream }));
  t.after(close);
  const { body } = await connection.request("GET dump", null);
  const reader = body.getReader();
  assert.equal(text((await reader.read()).value), "one");
  assert.equal(seen.pulled, 1);
  assert.equal(text((await reader.read()).value), "two");
  assert.equal(text((await reader.read()).value), "three");
  assert.equal((await reader.read()).done, true);
});

test("a long answer that nobody reads to its end is cancelled", async (t) => {
  const { seen, stream } = long(["one", "two", "three"]);
  const { connection, close } = world((head) => (head === "GET dump" ? { status: 200, head: "", body: stream } : echo(head, null)));
  t.after(close);
  const { body } = await connection.request("GET dump", null);
  const reader = body.getReader();
  await reader.read();
  await reader.cancel();
  await connection.request("GET a", null); // behind the message that cancels
  assert.equal(seen.cancelled, true);
});

test("a long answer that breaks is one that fails, and so is one whose worker ends", async (t) => {
  const broken = long(["one", new Error("no more")]);
  const endless = long(Array(10).fill("x"));
  const bodies = [broken.stream, endless.stream];
  const { connection, end, close } = world(async () => ({ status: 200, head: "", body: bodies.shift() }));
  t.after(close);
  const first = (await connection.request("GET dump", null)).body.getReader();
  await first.read();
  await assert.rejects(first.read(), /no more/);
  const second = (await connection.request("GET dump", null)).body.getReader();
  await second.read();
  end();
  await assert.rejects(second.read(), /worker ended/);
});

/** Fulfilled when a condition holds: what goes through ports takes a few turns of the event loop. */
async function until(holds) {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

test("a long answer is cancelled when its page goes, or closes its client", async (t) => {
  for (const way of ["leave", "close"]) {
    const { seen, stream } = long(["one", "two", "three"]);
    const { connection, close, leave, said } = world(async () => ({ status: 200, head: "", body: stream }));
    t.after(close);
    const reader = (await connection.request("GET dump", null)).body.getReader();
    await reader.read();
    await until(() => said.some(({ page }) => page));
    way === "leave" ? leave() : connection.close();
    await until(() => seen.cancelled);
    await (way === "close" && assert.rejects(reader.read()));
  }
});

test("a long answer to a request that was given up before is cancelled", async (t) => {
  const { seen, stream } = long(["one"]);
  let answer;
  const { connection, close, worker } = world(() => new Promise((resolve) => (answer = resolve)));
  t.after(close);
  const controller = new AbortController();
  const asked = connection.request("GET dump", null, controller.signal);
  await connection.line();
  await until(() => worker().asked.length === 1);
  controller.abort(new Error("enough"));
  await assert.rejects(asked, /enough/);
  answer({ status: 200, head: "", body: stream });
  await until(() => seen.cancelled);
});

test("a long answer can be given up while it is read", async (t) => {
  const { seen, stream } = long(["one", "two", "three"]);
  const { connection, close } = world(async () => ({ status: 200, head: "", body: stream }));
  t.after(close);
  const controller = new AbortController();
  const reader = (await connection.request("GET dump", null, controller.signal)).body.getReader();
  await reader.read();
  controller.abort(new Error("enough"));
  await assert.rejects(reader.read(), /enough/);
  await until(() => seen.cancelled);
});

test("the worker hears that it is in use behind each request, and while a long answer is read", async (t) => {
  const { stream } = long(["one", "two"]);
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const { connection, close, said } = world(async (head) => (head === "GET dump" ? { status: 200, head: "", body: stream } : echo(head, null)));
  t.after(close);
  await connection.request("GET a", null);
  await until(() => said.some(({ head }) => head));
  const beats = () => said.filter((what) => what === "stay").length;
  assert.equal(beats(), 1);
  await connection.request("GET b", null);
  assert.equal(beats(), 1); // not more often than it is needed
  now += 11_000;
  const reader = (await connection.request("GET dump", null)).body.getReader();
  assert.equal(beats(), 2);
  now += 11_000;
  await reader.read();
  assert.equal(beats(), 3);
  await reader.cancel();
});

test("a worker that hears that it is in use stays until nobody waits, and not for pages that do not read on", async () => {
  const listeners = [];
  const self = { addEventListener: (_, listener) => listeners.push(listener) };
  const { Messages } = load(["protocol", "answers", "messages"], ["Messages"], { self, navigator: { locks: lockManager().of({}) } });
  const answers = new Map();
  const messages = new Messages({ scope: "x", serve: (head) => new Promise((resolve) => answers.set(head, resolve)) }, "build");
  messages.listen();
  const port = { postMessage() {}, close() {} };
  await messages.connect(port);
  const request = (id) => port.onmessage({ data: { id, head: String(id), body: null } });
  let over = false;
  request(1);
  listeners[0]({ data: { sandtable: 1, type: "stay" }, waitUntil: (work) => work.then(() => (over = true)) });
  request(2);
  answers.get("1")({ status: 204, head: "", body: null });
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(over, false);
  answers.get("2")({ status: 200, head: "", body: long(["one"]).stream });
  await until(() => over);
});

test("a page that has gone is told of nothing more, and a channel that is closed ends nothing", async () => {
  const { Messages } = load(["protocol", "answers", "messages"], ["Messages"], { navigator: { locks: lockManager().of({}) } });
  let listener;
  const service = { watch: (told) => (listener = told), serve: async () => ({ status: 200, head: "", body: long(["one"]).stream }) };
  const messages = new Messages(service, "build");
  let closed = false;
  const heard = [];
  const port = {
    postMessage(message) {
      if (closed) throw new DOMException("Channel is closed", "InvalidStateError");
      heard.push(message);
    },
    close: () => (closed = true),
  };
  await messages.connect(port);
  port.onmessage({ data: { watch: ["change"] } });
  listener("change", "{}");
  assert.equal(heard.at(-1).event, "change");
  closed = true;
  listener("change", "{}");
  assert.equal(listener, null);
  port.onmessage({ data: { id: 1, head: "GET dump", body: null } });
  await new Promise((resolve) => setImmediate(resolve)); // a rejection that nobody handles would fail this test
});

test("a page's client that is closed is told of nothing more", async (t) => {
  const { connection, close, worker } = world(echo);
  t.after(close);
  const told = [];
  connection.watch("scope", ["change"], (name) => told.push(name));
  await connection.request("GET a", null);
  await until(() => worker().listener !== null);
  worker().listener("change", "{}");
  await until(() => told.includes("change"));
  connection.close();
  await until(() => worker().listener === null);
});

test("page and worker of other versions do not talk", async (t) => {
  const { Connection } = load(["protocol", "answers", "pulse", "client/errors", "client/abortable", "client/connection"], ["Connection"], { navigator: { locks: lockManager().of({}) } });
  let other;
  const connection = new Connection((port) => {
    other = port;
    port.postMessage({ sandtable: 99, type: "connected", build: "new", life: "x" });
  });
  t.after(() => other.close());
  await assert.rejects(connection.line(), ({ code, message }) => code === "OtherVersion" && /build new/.test(message));
});

test("a closed connection says so", async (t) => {
  const { connection, close } = world(echo);
  t.after(close);
  await connection.request("GET a", null);
  connection.close();
  await assert.rejects(connection.request("GET a", null), ({ code }) => code === "Closed");
});

test("a connection that is closed while it is made is not made", async (t) => {
  const { connection, close, said } = world(echo);
  t.after(close);
  const line = connection.line();
  connection.close();
  await assert.rejects(line, ({ code }) => code === "Closed");
  await until(() => said.some(({ page }) => page !== undefined)); // nobody listens on its port
});

test("a worker hears which of a page's ports nobody listens on", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const { Connection } = load(["protocol", "answers", "pulse", "client/errors", "client/abortable", "client/connection"], ["Connection"], { navigator: { locks: lockManager().of({}) } });
  const ports = [];
  const connection = new Connection((port) => ports.push(port));
  const line = connection.line();
  t.mock.timers.tick(500);
  const heard = ports.map(() => []);
  ports.forEach((port, i) => (port.onmessage = ({ data }) => heard[i].push(Object.keys(data).join())));
  ports[1].postMessage({ sandtable: 1, type: "connected", build: "b", life: "life" });
  await line;
  connection.close();
  await until(() => heard[0].length > 0);
  assert.deepEqual([ports.length, heard[0]], [2, ["page"]]);
  ports.forEach((port) => port.close());
});

test("an answer that a worker hears on a channel is no request", async () => {
  const { Messages } = load(["protocol", "answers", "messages"], ["Messages"], { navigator: { locks: lockManager().of({}) } });
  const messages = new Messages({ serve: () => assert.fail("served") }, "build");
  const port = { said: [], postMessage: (message) => port.said.push(message) };
  await messages.connect(port);
  port.onmessage({ data: { id: 1, status: 200, head: "", body: null } });
  assert.deepEqual(port.said.map(({ type }) => type), ["connected"]);
});

test("a site's own messages are left alone", () => {
  const listeners = [];
  const self = { addEventListener: (_, listener) => listeners.push(listener), clients: { claim: () => assert.fail("claimed") }, skipWaiting: () => assert.fail("skipped") };
  const { Messages } = load(["protocol", "messages"], ["Messages"], { self, navigator: {} });
  new Messages({ serve: () => assert.fail("served") }, "build").listen();
  for (const data of [undefined, null, "claim", 1, { type: "claim" }, { type: "connect" }, { sandtable: "1", type: "take over" }, { sandtable: 1 }, { sandtable: 1, type: "hello" }]) {
    listeners.forEach((listener) => listener({ data, ports: [], waitUntil: () => assert.fail("waited") }));
  }
});

test("who asks for the state hears it at once and when it changes, and changes only if it asks for them", async (t) => {
  const { connection, close, worker } = world(echo);
  t.after(close);
  const told = [];
  const tell = (name, detail) => told.push([name, detail]);
  connection.watch("scope", ["state"], tell);
  await until(() => told.length === 1);
  assert.deepEqual(told, [["state", { engine: "running" }]]);
  assert.equal(worker().events, false);
  worker().listener("change", "{}");
  worker().listener("state", '{"full":true}');
  await until(() => told.length === 2);
  assert.deepEqual(told[1], ["state", { full: true }]);
  connection.watch("scope", ["change", "state"], tell);
  await until(() => worker().events);
  worker().listener("change", '{"kind":"inserted"}');
  await until(() => told.some(([, detail]) => detail?.kind === "inserted"));
  assert.deepEqual(told.slice(2).map(([name]) => name), ["lost", "change"]);
  connection.watch("scope", [], tell);
  await until(() => worker().listener === null);
});

test("a worker that leaves tells who waits, and serves again in another life", async (t) => {
  const { connection, close, worker } = world((head) => (head === "GET never" ? new Promise(() => {}) : echo(head, null)));
  t.after(close);
  await connection.request("GET a", null);
  const { messages } = worker();
  const waits = connection.request("GET never", null).catch(() => {});
  await until(() => worker().asked.includes("GET never"));
  const before = await messages.life();
  messages.leave();
  await until(() => worker().asked.filter((head) => head === "GET never").length === 2); // it reads, and is sent again
  assert.notEqual(await messages.life(), before);
  connection.close();
  await waits;
});

/** A page whose engine is in another tab, and that tab: it answers on a channel, or says nothing. */
function elsewhere(t, { pings = true } = {}) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const seen = { said: [], asked: [], answers: true, health: [], connects: 0, deaf: false };
  const channels = [];
  class BroadcastChannel {
    constructor() {
      channels.push(this);
    }
    postMessage(message) {
      if (message.ping) seen.said.push("ping");
      if (message.head) seen.asked.push(message.head);
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
  locks.request("life", () => new Promise(() => {})); // the other tab's, which it keeps
  const { Connection } = load(["protocol", "answers", "pulse", "client/errors", "client/abortable", "client/connection"], ["Connection"], { navigator: { locks }, BroadcastChannel, MessageChannel: FakeChannel });
  const open = (port) => {
    seen.connects++;
    if (seen.deaf) return;
    port.postMessage({ sandtable: 1, type: "connected", build: "b", life: "life", line: "line", pings });
  };
  const health = { begins: (about, { code }) => seen.health.push(`${about} ${code}`), ends: (about) => seen.health.push(`${about} is well`) };
  const connection = new Connection(open, { plain: true, health });
  t.after(() => connection.close());
  const pass = async (milliseconds) => {
    now += milliseconds;
    t.mock.timers.tick(milliseconds);
    for (let i = 0; i < 10; i++) await null;
  };
  return { connection, seen, pass, channels };
}

/** A channel whose messages come at once: with a clock of its own nothing else may take time. */
class FakeChannel {
  port1 = { close() {}, postMessage() {} };
  port2 = { postMessage: (data) => queueMicrotask(() => this.port1.onmessage({ data })) };
}

test("another tab that falls silent is given up: what reads is asked again, what writes is refused as busy", async (t) => {
  const { connection, seen, pass, channels } = elsewhere(t);
  assert.equal((await connection.request("GET a", null)).status, 200);
  seen.answers = false;
  const read = connection.request("GET b", null);
  const write = connection.request("POST c", null);
  await pass(5000);
  assert.deepEqual(seen.said, ["ping"]);
  assert.equal(channels[0].closed, undefined);
  seen.answers = true; // whoever has the engine now
  await pass(5000);
  assert.equal((await read).status, 200);
  assert.deepEqual([(await write).status, (await write).lost], [503, true]);
  assert.deepEqual([channels[0].closed, seen.connects], [true, 2]);
  assert.deepEqual(seen.health, ["worker is well", "worker Suspended", "worker is well"]);
});

test("another tab that is only slow is waited for", async (t) => {
  const { connection, seen, pass, channels } = elsewhere(t);
  await connection.line();
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
  await pass(60_000); // nothing is waited for
  assert.equal(seen.said.length, 10);
  assert.deepEqual(seen.health, ["worker is well"]);
});

test("another tab of a version that does not know the question is not asked", async (t) => {
  const { connection, seen, pass } = elsewhere(t, { pings: false });
  await connection.line();
  seen.answers = false;
  const read = connection.request("GET b", null).catch(() => {});
  await pass(60_000);
  assert.deepEqual([seen.said, seen.health], [[], ["worker is well"]]);
  connection.close();
  await read;
});

test("a page can look whether another tab still answers, without asking for anything", async (t) => {
  const { connection, seen, pass } = elsewhere(t);
  await connection.line();
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

test("a worker that does not answer is told of, and so is that it answers again", async (t) => {
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

test("a page that listens connects again with its own tab's worker, and hears that it does not answer", async (t) => {
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
