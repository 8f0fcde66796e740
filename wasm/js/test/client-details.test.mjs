// Details of what a client does with its arguments and its listeners.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Sandtable } from "../client/client.js";
import { Connection } from "../client/connection.js";
import { SandtableError } from "../client/errors.js";
import { HttpClient } from "../client/http-client.js";

/** A client whose host answers each request with a function of method and path. */
function clientOf(answer, more = {}) {
  const request = async (head, body, signal) => answer(head.split("\n", 1)[0], body, signal);
  return new Sandtable({ base: "https://example.org/_sandtable/", request, watch() {}, describe: () => ({}), seeding: (work) => work(false, () => {}), close() {}, ...more });
}

test("an address is sent as fetch sends it, and adds no header", async () => {
  const heads = [];
  const { sendRequest } = new HttpClient(async (head) => (heads.push(head), { status: 200, head: "", body: null }), "ECONNRESET");
  const lines = async (url) => {
    await sendRequest({ method: "GET", url, headers: [] });
    return heads.pop().split("\n");
  };
  const shop = "https://shop.table.core.windows.net";
  assert.deepEqual(await lines(shop + "/Orders?$top=1\nx-ms-version:1999-01-01"), [`GET ${shop}/Orders?$top=1x-ms-version:1999-01-01`, "accept:*/*"]);
  assert.deepEqual(await lines(shop + "/Orders()?$filter=PartitionKey eq 'ä'"), [`GET ${shop}/Orders()?$filter=PartitionKey%20eq%20%27%C3%A4%27`, "accept:*/*"]);
  assert.deepEqual(await lines(shop + "/nothing/../Tables"), [`GET ${shop}/Tables`, "accept:*/*"]);
});

test("a listener that was removed is not notified of problems that it would have been told at once", async () => {
  const sandtable = clientOf(null, { current: () => [new SandtableError("StoreFull", "")] });
  const notified = [];
  sandtable.on("error", () => notified.push("removed"))();
  sandtable.on("error", () => notified.push("kept"));
  await Promise.resolve();
  sandtable.on("error", () => notified.push("closed"));
  await sandtable.close();
  assert.deepEqual(notified, ["kept"]);
});

test("an archive that breaks off while it is read is an error with a code", async (t) => {
  const sandtable = clientOf(() => ({ status: 200, head: "", body: new TextEncoder().encode('{"bytes":0,"next":""}') }));
  const cause = new TypeError("terminated");
  const broken = () => new ReadableStream({ pull: (controller) => controller.error(cause) });
  await assert.rejects(sandtable.load(broken()), { name: "SandtableError", code: "Archive", message: "The archive cannot be read to its end. terminated", cause });
  t.mock.method(globalThis, "fetch", async () => new Response(broken()));
  await assert.rejects(sandtable.load("https://example.org/demo.jsonl"), { code: "Archive", cause });
  await assert.rejects(sandtable.snapshots.open("shop", broken()), { code: "Archive", cause });
});

test("an archive that is not read is cancelled", async (t) => {
  const sandtable = clientOf(() => ({ status: 404, head: "", body: new TextEncoder().encode("{}") }));
  const cancelled = [];
  const stream = (name) => new ReadableStream({ cancel: () => void cancelled.push(name) });
  await assert.rejects(sandtable.snapshots.open("nobody", stream("stream")), { status: 404 });
  await assert.rejects(sandtable.snapshots.open("nobody", stream("abortable"), { signal: new AbortController().signal }), { status: 404 });
  t.mock.method(globalThis, "fetch", async () => new Response(stream("answer"), { status: 500 }));
  await assert.rejects(sandtable.load("https://example.org/demo.jsonl"), { code: "Archive", status: 500 });
  assert.deepEqual(cancelled, ["stream", "abortable", "answer"]);
});

test("an abort's reason is what a request rejects with, whatever it is", async () => {
  const connection = new Connection(() => {}, { locks: { request: () => new Promise(() => {}) } });
  const controller = new AbortController();
  const request = connection.request("GET https://shop.table.core.windows.net/Tables", null, controller.signal);
  controller.abort("mine");
  assert.equal(await request.catch((reason) => reason), "mine");
  connection.close();
});

test("closing a connection ends requests for which no worker has answered yet, and asks it no more", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  for (const waiting of [false, true]) { // for another tab
    const ports = [];
    const connection = new Connection((port) => {
      ports.push(port);
      if (waiting) port.postMessage({ sandtable: 1, type: "waiting" });
    }, { locks: { request: () => new Promise(() => {}) } });
    const request = connection.request("GET https://shop.table.core.windows.net/Tables", null);
    for (let i = 0; i < 10; i++) await new Promise(setImmediate); // "waiting" has arrived
    connection.close();
    assert.equal(await Promise.race([request.catch(({ code }) => code), new Promise((resolve) => setImmediate(resolve, "pending"))]), "Closed");
    t.mock.timers.tick(4000);
    assert.equal(ports.length, 1);
    t.mock.timers.tick(30_000); // its ports are closed then
    ports[0].close();
  }
});

test("arguments of the wrong kind are refused by name", async () => {
  const sandtable = clientOf(() => ({ status: 200, head: "", body: new TextEncoder().encode('{"instance":"a","requests":[]}') }), { explorer: "https://example.org/explorer/" });
  const expectation = await sandtable.expectRequests();
  for (const expected of [undefined, null, { operation: "Get Entity" }]) {
    await assert.rejects(expectation.toBe(expected), { code: "InvalidOption", message: "toBe(): it takes a list of expected requests." });
  }
  assert.throws(() => sandtable.on("constructor", () => {}), { code: "InvalidOption", message: /^on\(\): it takes one of change,/ });
  assert.equal(typeof sandtable.createSandbox({ limits: { time: undefined } }).run, "function"); // undefined is the default, as for other options
});
