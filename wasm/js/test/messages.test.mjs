import assert from "node:assert/strict";
import { test } from "node:test";
import { Connection } from "../client/connection.js";
import { Messages } from "../messages.js";
import { echo, lockManager, long, text, until, world } from "./fake-connection.mjs";
import { setGlobals } from "./globals.mjs";

test("each request gets its own response", async (t) => {
  const { connection, close } = world(echo);
  t.after(close);
  const answers = await Promise.all(["GET a", "PUT b"].map((head) => connection.request(head, new Uint8Array([65]))));
  assert.deepEqual(answers.map(({ status, head, body }) => [status, head, text(body)]), [[200, "x:1", "GET a A"], [200, "x:1", "PUT b A"]]);
});

test("absent bodies and foreign requests pass through unchanged", async (t) => {
  const { connection, close } = world(async (head) => (head === "GET ours" ? { status: 204, head: "", body: null } : null));
  t.after(close);
  const { status, body } = await connection.request("GET ours", null);
  assert.deepEqual([status, body], [204, null]);
  assert.equal(await connection.request("GET theirs", null), null);
});

test("the next request starts a worker that has ended", async (t) => {
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

test("unanswered requests are retried if they read and refused as busy if they write", async (t) => {
  let lives = 0;
  const { connection, end, close } = world((head) => (lives === 0 ? new Promise(() => {}) : echo(head, null)));
  t.after(close);
  const read = connection.request("GET a", null);
  const write = connection.request("POST b", null);
  await connection.session();
  await new Promise((resolve) => setImmediate(resolve));
  lives++;
  end();
  assert.equal((await read).status, 200);
  const { status, head, body } = await write;
  assert.equal(status, 503);
  assert.match(head, /Retry-After:1/);
  assert.match(text(body), /may or may not have been done/);
});

test("an invalid request is answered", async (t) => {
  const { connection, close } = world(() => {
    throw new TypeError("Invalid URL");
  });
  t.after(close);
  assert.equal((await connection.request("GET", null)).status, 500);
});

test("an aborted request ends at once", async (t) => {
  const { connection, close } = world(() => new Promise(() => {}));
  t.after(close);
  const controller = new AbortController();
  const asked = connection.request("GET a", null, controller.signal);
  await connection.session();
  controller.abort(new Error("enough"));
  await assert.rejects(asked, /enough/);
  await assert.rejects(connection.request("GET a", null, controller.signal), /enough/);
});

test("a long response arrives in chunks on demand", async (t) => {
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

test("a long response that is not read to its end is cancelled", async (t) => {
  const { seen, stream } = long(["one", "two", "three"]);
  const { connection, close } = world((head) => (head === "GET dump" ? { status: 200, head: "", body: stream } : echo(head, null)));
  t.after(close);
  const { body } = await connection.request("GET dump", null);
  const reader = body.getReader();
  await reader.read();
  await reader.cancel();
  await connection.request("GET a", null); // after the cancel message
  assert.equal(seen.cancelled, true);
});

test("a long response fails if its body fails or the worker ends", async (t) => {
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

test("a long response is cancelled when its page or client closes", async (t) => {
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

test("a long response to an aborted request is cancelled", async (t) => {
  const { seen, stream } = long(["one"]);
  let answer;
  const { connection, close, worker } = world(() => new Promise((resolve) => (answer = resolve)));
  t.after(close);
  const controller = new AbortController();
  const asked = connection.request("GET dump", null, controller.signal);
  await connection.session();
  await until(() => worker().asked.length === 1);
  controller.abort(new Error("enough"));
  await assert.rejects(asked, /enough/);
  answer({ status: 200, head: "", body: stream });
  await until(() => seen.cancelled);
});

test("a long response can be aborted while it is read", async (t) => {
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

test("the page sends keep-alives after requests and while a long response is read", async (t) => {
  const { stream } = long(["one", "two"]);
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const { connection, close, said } = world(async (head) => (head === "GET dump" ? { status: 200, head: "", body: stream } : echo(head, null)));
  t.after(close);
  await connection.request("GET a", null);
  await until(() => said.some(({ head }) => head));
  const beats = () => said.filter((what) => what === "keepAlive").length;
  assert.equal(beats(), 1);
  await connection.request("GET b", null);
  assert.equal(beats(), 1); // no more often than necessary
  now += 11_000;
  const reader = (await connection.request("GET dump", null)).body.getReader();
  assert.equal(beats(), 2);
  now += 11_000;
  await reader.read();
  assert.equal(beats(), 3);
  await reader.cancel();
});

test("a worker is kept running while pages wait, but not for pages that stopped reading", async () => {
  const listeners = [];
  const self = { addEventListener: (_, listener) => listeners.push(listener) };
  setGlobals({ self });
  const answers = new Map();
  const messages = new Messages({ scope: "x", serve: (head) => new Promise((resolve) => answers.set(head, resolve)) }, "build", lockManager().of({}));
  messages.listen();
  const port = { postMessage() {}, close() {} };
  await messages.connect(port);
  const request = (id) => port.onmessage({ data: { id, head: String(id), body: null } });
  let over = false;
  request(1);
  listeners[0]({ data: { sandtable: 1, type: "keepAlive" }, waitUntil: (work) => work.then(() => (over = true)) });
  request(2);
  answers.get("1")({ status: 204, head: "", body: null });
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(over, false);
  answers.get("2")({ status: 200, head: "", body: long(["one"]).stream });
  await until(() => over);
});

test("a closed page is not notified any more, and its closed channel causes no error", async () => {
  let listener;
  const service = { watch: (callback) => (listener = callback), serve: async () => ({ status: 200, head: "", body: long(["one"]).stream }) };
  const messages = new Messages(service, "build", lockManager().of({}));
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
  await new Promise((resolve) => setImmediate(resolve)); // an unhandled rejection would fail this test
});

test("a closed client is not notified any more", async (t) => {
  const { connection, close, worker } = world(echo);
  t.after(close);
  const events = [];
  connection.watch("scope", ["change"], (name) => events.push(name));
  await connection.request("GET a", null);
  await until(() => worker().listener !== null);
  worker().listener("change", "{}");
  await until(() => events.includes("change"));
  connection.close();
  await until(() => worker().listener === null);
});

test("a page whose worker is replaced while it connects has one session", async (t) => {
  const { connection, close, worker } = world(echo);
  t.after(close);
  const events = [];
  connection.watch("scope", ["change"], (name) => events.push(name));
  connection.replaced();
  connection.replaced();
  await connection.request("GET a", null);
  await until(() => events.includes("lost"));
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
  worker().listener("change", "{}");
  await until(() => events.includes("change"));
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(events, ["lost", "change"]);
});

test("a request can be aborted before the worker answers", async (t) => {
  const connection = new Connection(() => {}, { locks: lockManager().of({}) });
  t.after(() => connection.close());
  const controller = new AbortController();
  const request = connection.request("GET a", null, controller.signal);
  controller.abort();
  await assert.rejects(request, { name: "AbortError" });
});

test("a page refuses a worker of another version", async (t) => {
  let other;
  const open = (port) => {
    other = port;
    port.postMessage({ sandtable: 99, type: "connected", build: "new", instance: "x" });
  };
  const connection = new Connection(open, { locks: lockManager().of({}) });
  t.after(() => other.close());
  await assert.rejects(connection.session(), ({ code, message }) => code === "OtherVersion" && /build new/.test(message));
});

test("a closed connection rejects requests", async (t) => {
  const { connection, close } = world(echo);
  t.after(close);
  await connection.request("GET a", null);
  connection.close();
  await assert.rejects(connection.request("GET a", null), ({ code }) => code === "Closed");
});

test("closing a connection cancels its opening", async (t) => {
  const { connection, close, said } = world(echo);
  t.after(close);
  const session = connection.session();
  connection.close();
  await assert.rejects(session, ({ code }) => code === "Closed");
  await until(() => said.some(({ page }) => page !== undefined)); // its port has no listener
});

test("another tab's worker learns that a connection was closed while it opened", async (t) => {
  const owner = new BroadcastChannel("sandtable channel x");
  t.after(() => owner.close());
  const heard = new Promise((resolve) => (owner.onmessage = ({ data }) => resolve(data)));
  const open = (port) => port.postMessage({ sandtable: 1, type: "connected", build: "b", instance: "i", channel: owner.name });
  const connection = new Connection(open, { locks: lockManager().of({}) });
  const session = connection.session();
  connection.close();
  await assert.rejects(session, ({ code }) => code === "Closed");
  assert.match((await heard).page, /^sandtable page /);
});

test("a worker learns which of a page's ports are closed", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const ports = [];
  const connection = new Connection((port) => ports.push(port), { locks: lockManager().of({}) });
  const session = connection.session();
  t.mock.timers.tick(500);
  const heard = ports.map(() => []);
  ports.forEach((port, i) => (port.onmessage = ({ data }) => heard[i].push(Object.keys(data).join())));
  ports[1].postMessage({ sandtable: 1, type: "connected", build: "b", instance: "instance" });
  await session;
  connection.close();
  await until(() => heard[0].length > 0);
  assert.deepEqual([ports.length, heard[0]], [2, ["page"]]);
  ports.forEach((port) => port.close());
});

test("a worker does not take a response on a channel for a request", async () => {
  const messages = new Messages({ serve: () => assert.fail("served") }, "build", lockManager().of({}));
  const port = { said: [], postMessage: (message) => port.said.push(message) };
  await messages.connect(port);
  port.onmessage({ data: { id: 1, status: 200, head: "", body: null } });
  assert.deepEqual(port.said.map(({ type }) => type), ["connected"]);
});

test("a site's own messages are ignored", () => {
  const listeners = [];
  const self = { addEventListener: (_, listener) => listeners.push(listener), clients: { claim: () => assert.fail("claimed") }, skipWaiting: () => assert.fail("skipped") };
  setGlobals({ self });
  new Messages({ serve: () => assert.fail("served") }, "build", {}).listen();
  for (const data of [undefined, null, "claim", 1, { type: "claim" }, { type: "connect" }, { sandtable: "1", type: "activate" }, { sandtable: 1 }, { sandtable: 1, type: "hello" }]) {
    listeners.forEach((listener) => listener({ data, ports: [], waitUntil: () => assert.fail("waited") }));
  }
});

test("a page that watches the state gets it at once and on changes, and no other events", async (t) => {
  const { connection, close, worker } = world(echo);
  t.after(close);
  const events = [];
  const record = (name, detail) => events.push([name, detail]);
  connection.watch("scope", ["state"], record);
  await until(() => events.length === 1);
  assert.deepEqual(events, [["state", { engine: "running" }]]);
  assert.equal(worker().events, "nothing");
  worker().listener("change", "{}");
  worker().listener("state", '{"full":true}');
  await until(() => events.length === 2);
  assert.deepEqual(events[1], ["state", { full: true }]);
  connection.watch("scope", ["change", "state"], record);
  await until(() => worker().events === "events");
  worker().listener("change", '{"kind":"inserted"}');
  await until(() => events.some(([, detail]) => detail?.kind === "inserted"));
  assert.deepEqual(events.slice(2).map(([name]) => name), ["lost", "change"]);
  connection.watch("scope", [], record);
  await until(() => worker().listener === null);
});

test("pages waiting for a worker that shuts down are served by its next instance", async (t) => {
  const { connection, close, worker } = world((head) => (head === "GET never" ? new Promise(() => {}) : echo(head, null)));
  t.after(close);
  await connection.request("GET a", null);
  const { messages } = worker();
  const waits = connection.request("GET never", null).catch(() => {});
  await until(() => worker().asked.includes("GET never"));
  const before = await messages.instance();
  messages.shutDown();
  await until(() => worker().asked.filter((head) => head === "GET never").length === 2); // it reads, so it is retried
  assert.notEqual(await messages.instance(), before);
  connection.close();
  await waits;
});
