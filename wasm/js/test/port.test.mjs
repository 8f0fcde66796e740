// Both ends of a port between a page and a sandbox.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../client/port-client.js";
import { answerPort } from "../client/port-server.js";
import { LIMITS } from "../sandbox/limits.js";

const account = "https://visitor.table.core.windows.net";
const text = (bytes) => new TextDecoder().decode(bytes ?? new Uint8Array());

/** Connects both ends; send takes what reaches the engine. */
function pair(t, options, send = async () => ({ status: 204, head: "", body: null })) {
  const { port1, port2 } = new MessageChannel();
  const sent = [];
  const closing = new AbortController();
  const disconnect = answerPort(port1, options, async (head, body, signal) => (sent.push([head, text(body)]), send(head, body, signal)), closing.signal);
  const client = createClient(port2);
  t.after(() => (client.close(), disconnect()));
  return { client, sent, disconnect, closing, port: port2 };
}

const codeOf = async (response) => [response.status, (await response.json())["odata.error"].code];

test("a request for an allowed account is sent, and its answer comes back", async (t) => {
  const { client, sent } = pair(t, { accounts: ["visitor"] }, async () => ({ status: 201, head: "etag:a\nx-ms-version:b:c", body: new TextEncoder().encode("é") }));
  const answer = await client.fetch(account + "/Orders", { method: "POST", body: "{}", headers: { accept: "application/json", "content-type": "application/json" } });
  assert.deepEqual([answer.status, answer.headers.get("etag"), answer.headers.get("x-ms-version"), await answer.text()], [201, "a", "b:c", "é"]);
  assert.deepEqual(sent, [[`POST ${account}/Orders\naccept:application/json\ncontent-type:application/json`, "{}"]]);
  const bytes = new TextEncoder().encode("{}");
  const response = await client.httpClient.sendRequest({ method: "PUT", url: account + "/Orders", headers: [["if-match", "*"]], body: bytes });
  assert.deepEqual([response.status, response.bodyAsText, bytes.length], [201, "é", 2]);
  assert.deepEqual(sent[1], [`PUT ${account}/Orders\nif-match:*\naccept:*/*`, "{}"]);
});

test("a request that is aborted right after it was made rejects, and is not sent", async (t) => {
  const { client, sent } = pair(t, { accounts: ["visitor"] });
  for (const send of [
    (signal) => client.httpClient.sendRequest({ method: "GET", url: account + "/", headers: [], abortSignal: signal }),
    (signal) => client.fetch(account + "/", { method: "POST", body: "{}", signal }),
  ]) {
    const controller = new AbortController();
    const request = send(controller.signal);
    controller.abort();
    await assert.rejects(request, { name: "AbortError" });
  }
  await client.fetch(account + "/Last");
  assert.equal(sent.length, 1);
});

const refused = {
  "another account": "https://other.table.core.windows.net/Orders",
  "another host": "https://example.com/",
  "a host that ends like an account's": "https://visitor.table.core.windows.net.example.com/",
  "no encryption": "http://visitor.table.core.windows.net/",
  "another port": "https://visitor.table.core.windows.net:8443/",
  "the control API": account + "/_sandtable/accounts",
  "the control API by dots": account + "/a/../_sandtable/accounts",
  "the control API, encoded": account + "/%5Fsandtable/accounts",
  "the control API, after slashes": account + "//_sandtable/accounts",
  "an emulator's address": "http://127.0.0.1:10002/visitor/Orders",
};
for (const [name, url] of Object.entries(refused)) {
  test(`${name} is refused`, async (t) => {
    const { client, sent } = pair(t, { accounts: ["visitor"] });
    assert.deepEqual(await codeOf(await client.fetch(url)), [403, "AuthorizationFailure"]);
    assert.deepEqual(sent, []);
  });
}

test("no account is allowed by default", async (t) => {
  const { client, sent } = pair(t);
  assert.deepEqual(await codeOf(await client.fetch(account)), [403, "AuthorizationFailure"]);
  assert.deepEqual(sent, []);
});

test("an account that does not exist is refused, and not looked for in the network", async (t) => {
  const { client } = pair(t, { accounts: ["visitor"] }, async () => null);
  assert.deepEqual(await codeOf(await client.fetch(account)), [403, "AuthorizationFailure"]);
});

test("the engine gets the operations from the page alone", async (t) => {
  const { client, sent } = pair(t, { accounts: ["visitor"], operations: ["Get Entity", "Query Entities"] });
  await client.fetch(account + "/Orders()", { headers: { accept: "a", "x-sandtable-operations": "Delete Table", "X-Sandtable": "1", "x-sandtable-label": "page" } });
  assert.deepEqual(sent, [[`GET ${account}/Orders()\naccept:a\nx-sandtable-operations:Get Entity,Query Entities`, ""]]);
});

test("what only browsers may set is left out, and no header holds a line", async (t) => {
  const { client, sent, port } = pair(t, { accounts: ["visitor"] });
  port.postMessage(["fetch", -1, ["GET", account, [["Origin", "https://x"], ["Host", "other"], ["Cookie", "a"], ["accept", "b"]], null]]);
  port.postMessage(["fetch", -2, ["GET", account, [["a", "b\nx-sandtable-operations:c"]], null]]);
  await client.fetch(account + "/Last", { headers: { accept: "d" } });
  assert.deepEqual(sent.map(([head]) => head), [`GET ${account}/\naccept:b`, `GET ${account}/Last\naccept:d`]);
});

test("malformed messages are ignored or refused", async (t) => {
  const { client, sent, port } = pair(t, { accounts: ["visitor"] });
  for (const message of [null, 1, [], ["fetch"], ["fetch", "1", []], ["fetch", -1, null], ["fetch", -1, ["TRACE", account, [], null]], ["fetch", -2, ["PUT", account, [], { byteLength: Infinity }]], ["other", 1, []]]) {
    port.postMessage(message);
  }
  await client.fetch(account);
  assert.equal(sent.length, 1);
});

test("bodies have a limit", async (t) => {
  const { client, sent } = pair(t, { accounts: ["visitor"] }, async () => {
    const chunk = new Uint8Array(1 << 20);
    return { status: 200, head: "", body: new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }) }; // without end
  });
  assert.deepEqual(await codeOf(await client.fetch(account, { method: "POST", body: new Uint8Array(LIMITS.body + 1) })), [413, "RequestBodyTooLarge"]);
  assert.equal(sent.length, 0);
  await assert.rejects(client.fetch(account), /more than the \d+ bytes/);
});

test("requests at the same time have a limit", async (t) => {
  const held = [];
  const { client, sent } = pair(t, { accounts: ["visitor"] }, () => new Promise((resolve) => held.push(resolve)));
  const all = Array.from({ length: LIMITS.pending + 1 }, () => client.fetch(account));
  assert.deepEqual(await codeOf(await all.at(-1)), [503, "ServerBusy"]);
  assert.equal(sent.length, LIMITS.pending);
  held.forEach((resolve) => resolve({ status: 204, head: "", body: null }));
  assert.deepEqual(new Set((await Promise.all(all.slice(0, -1))).map(({ status }) => status)), new Set([204]));
});

test("the bodies of requests at the same time have a limit", async (t) => {
  let answer;
  const answered = new Promise((resolve) => (answer = resolve));
  const { client, sent } = pair(t, { accounts: ["visitor"] }, () => answered);
  const body = new Uint8Array(LIMITS.body);
  const fit = LIMITS.bytes / LIMITS.body;
  const all = Array.from({ length: fit + 1 }, () => client.fetch(account, { method: "POST", body }));
  assert.deepEqual(await codeOf(await Promise.race(all)), [503, "ServerBusy"]);
  assert.equal(sent.length, fit);
  answer({ status: 204, head: "", body: null });
  assert.equal((await Promise.all(all)).filter(({ status }) => status === 204).length, fit);
  assert.equal((await client.fetch(account, { method: "POST", body })).status, 204, "finished requests no longer count");
});

test("a flood of messages closes the port", async (t) => {
  let closed;
  const ended = new Promise((resolve) => (closed = resolve));
  const { port } = pair(t, { accounts: ["visitor"] }, (_, __, signal) => new Promise(() => signal.addEventListener("abort", closed)));
  for (let i = 0; i < LIMITS.pending + LIMITS.messages + 1; i++) {
    port.postMessage(["fetch", -i, ["GET", account, [], null]]);
  }
  await ended;
});

test("a cut connection and an abort reject", async (t) => {
  const { client } = pair(t, { accounts: ["visitor"] }, (head) => (head.includes("/Cut") ? Promise.resolve({ status: 0, head: "", body: null }) : new Promise(() => {})));
  await assert.rejects(client.fetch(account + "/Cut"), TypeError);
  const aborter = new AbortController();
  const waiting = client.fetch(account, { signal: aborter.signal });
  setImmediate(() => aborter.abort(new Error("enough")));
  await assert.rejects(waiting, /enough/);
  const closed = client.fetch(account);
  setImmediate(() => client.close());
  await assert.rejects(closed, { code: "Closed" });
  await assert.rejects(client.fetch(account), { code: "Closed" });
});

test("disconnecting and closing end what runs", async (t) => {
  for (const end of [({ disconnect }) => disconnect(), ({ closing }) => closing.abort()]) {
    let aborted;
    const ended = new Promise((resolve) => (aborted = resolve));
    const both = pair(t, { accounts: ["visitor"] }, (_, __, signal) => new Promise(() => (signal.addEventListener("abort", aborted), end(both))));
    const running = assert.rejects(both.client.fetch(account), { code: "Closed", message: /disconnected/ });
    await ended;
    await running;
    await assert.rejects(both.client.fetch(account), { code: "Closed" });
  }
});

test("options that make no sense are refused", () => {
  const { port1 } = new MessageChannel();
  const connect = (port, options) => () => answerPort(port, options, async () => null, new AbortController().signal);
  for (const wrong of [connect(null), connect(port1, { accounts: "visitor" }), connect(port1, { accounts: ["A"] }), connect(port1, { account: [] }), connect(port1, { operations: [] }), connect(port1, { operations: ["Get entity"] })]) {
    assert.throws(wrong, { code: "InvalidOption" });
  }
  assert.throws(() => createClient(undefined), { code: "InvalidOption" });
  port1.close();
});
