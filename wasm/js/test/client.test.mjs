import assert from "node:assert/strict";
import { test } from "node:test";
import { abortable } from "../client/abortable.js";
import { Sandtable } from "../client/client.js";
import { SandtableError } from "../client/errors.js";
import { HttpClient } from "../client/http-client.js";

const base = "https://example.org/_sandtable/";

/** A client whose host responds with a function of method and path. */
function clientOf(answer, more = {}) {
  const asked = [];
  const request = async (head, body, signal) => {
    const [, method, path] = /^(\S+) https:\/\/example\.org\/_sandtable\/(\S+)/.exec(head);
    asked.push(method + " " + path);
    return answer(method + " " + path, body, signal, asked.length);
  };
  const sandtable = new Sandtable({ base, request, watch() {}, describe: () => ({}), seeding: (work) => work(false, () => {}), close() {}, ...more });
  return { sandtable, asked };
}

test("a request is aborted while its body is read", async () => {
  const { sendRequest } = new HttpClient(() => assert.fail("sent"));
  const cancelled = [];
  const request = (more) => ({ method: "POST", url: "https://shop.example.org/", headers: [], body: new ReadableStream({ pull: () => new Promise(() => {}), cancel: ({ name }) => void cancelled.push(name) }), ...more });
  const controller = new AbortController();
  const sent = sendRequest(request({ abortSignal: controller.signal }));
  controller.abort();
  await assert.rejects(sent, { name: "AbortError" });
  await assert.rejects(sendRequest(request({ timeout: 1 })), { name: "AbortError" });
  assert.deepEqual(cancelled, ["AbortError", "AbortError"]);
});

test("an invalid address is the TypeError of the SDK's own client, and not sent", async () => {
  const { sendRequest } = new HttpClient(() => assert.fail("sent"));
  for (const url of ["nonsense", "/Tables", "https://", "https://["]) {
    await assert.rejects(sendRequest({ method: "GET", url, headers: [] }), { name: "TypeError", message: /Invalid URL/ });
  }
  await assert.rejects(sendRequest({ method: "GET", url: "http://shop.example.org/", headers: [] }), /allowInsecureConnection/);
});

test("a request to the network that fails is the RestError of the SDK's own client", async (t) => {
  const { sendRequest } = new HttpClient(async () => null, "ECONNRESET");
  const request = { method: "GET", url: "https://shop.example.org/", headers: [] };
  const failing = (reason) => t.mock.method(globalThis, "fetch", () => Promise.reject(reason));
  failing(new TypeError("fetch failed", { cause: Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }) }));
  await assert.rejects(sendRequest(request), { name: "RestError", code: "ENOTFOUND", message: "Error sending request: getaddrinfo ENOTFOUND", request });
  failing(new TypeError("Failed to fetch"));
  await assert.rejects(sendRequest(request), { name: "RestError", code: "REQUEST_SEND_ERROR", message: "Error sending request: Failed to fetch" });
  failing(new DOMException("aborted", "AbortError"));
  await assert.rejects(sendRequest(request), { name: "AbortError" });
});

test("each listener is notified of a waiting version once", async () => {
  const update = { take: async () => {} };
  const { sandtable } = clientOf(null, { current: (name) => (name === "update" ? [update] : []) });
  const notified = [[], []];
  const off = sandtable.on("update", (detail) => notified[0].push(detail));
  sandtable.on("change", () => {});
  sandtable.on("update", (detail) => notified[1].push(detail));
  await Promise.resolve();
  off();
  await Promise.resolve();
  assert.deepEqual(notified, [[update], [update]]);
});

test("an aborted dump rejects with the signal's reason", async () => {
  const controller = new AbortController();
  const stream = new ReadableStream({ pull: () => controller.abort(new Error("enough")) }, { highWaterMark: 0 });
  const { sandtable } = clientOf((_, __, signal) => ({ status: 200, head: "", body: abortable(stream, signal) }));
  await assert.rejects(sandtable.dump({ signal: controller.signal }), /^Error: enough/);
});

test("an aborted load rejects with the signal's reason, whatever it loads", async (t) => {
  const { sandtable } = clientOf(() => assert.fail("nothing is sent"));
  const reason = new Error("enough");
  t.mock.method(globalThis, "fetch", (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))));
  for (const source of ["https://example.com/archive.jsonl", new ReadableStream()]) {
    const controller = new AbortController();
    const loading = sandtable.load(source, { signal: controller.signal });
    setImmediate(() => controller.abort(reason));
    await assert.rejects(loading, reason);
  }
});

test("a load reports how much corrupt data the archive lacks", async () => {
  const piece = { accounts: 1, tables: 1, entities: 2, unchanged: 0, bytes: 10 };
  for (const corruption of [3, 0]) {
    const { sandtable } = clientOf(() => said({ ...piece, corruption }));
    assert.deepEqual(await sandtable.load(new Blob(["0123456789"])), { accounts: 1, tables: 1, entities: 2, corruption });
  }
});

test("the SDK's signal aborts a streamed response", async () => {
  let cancelled = false;
  const stream = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1)), cancel: () => void (cancelled = true) }, { highWaterMark: 0 });
  const { sendRequest } = new HttpClient(async () => ({ status: 200, head: "", body: stream }));
  const controller = new AbortController();
  const request = { method: "GET", url: "https://a.table.core.windows.net/", headers: [], abortSignal: controller.signal, streamResponseStatusCodes: new Set([200]), enableBrowserStreams: true };
  const { browserStreamBody } = await sendRequest(request);
  const reader = browserStreamBody.getReader();
  await reader.read();
  controller.abort();
  await assert.rejects(reader.read(), ({ name }) => name === "AbortError");
  assert.equal(cancelled, true);
});

const refusal = (status, code, more = "") => ({ status, head: "Content-Type:application/json" + more, body: new TextEncoder().encode(JSON.stringify({ error: { code, message: "No." } })) });
const said = (value) => ({ status: 200, head: "", body: new TextEncoder().encode(JSON.stringify(value)) });

for (const [reason, code] of Object.entries({ format: "StoreFormat", program: "EngineNotLoaded", memory: "EngineNotLoaded" })) {
  test(`an engine that does not start (${reason}) fails at once with a clear error`, async () => {
    const { sandtable, asked } = clientOf(() => refusal(503, "ServerBusy", "\nRetry-After:1\nx-sandtable-reason:" + reason));
    await assert.rejects(sandtable.prepare({ accounts: [] }), (error) => error.code === code && error.status === 503);
    assert.deepEqual(asked, ["GET accounts"]);
  });
}

test("a store that does not open is tried again for a while, since that often passes", async (t) => {
  t.mock.method(globalThis, "setTimeout", (f) => queueMicrotask(f)); // between two attempts
  const closed = refusal(503, "ServerBusy", "\nx-sandtable-reason:database");
  const { sandtable } = clientOf((_, __, ___, count) => (count < 3 ? closed : said({ accounts: [] })));
  await sandtable.prepare({ accounts: [] });
  const lasting = clientOf(() => closed);
  await assert.rejects(lasting.sandtable.prepare({ accounts: [] }), ({ code, status }) => code === "StoreClosed" && status === 503);
  assert.equal(lasting.asked.length, 10);
});

test("a store in memory starts although its durability is fixed", async () => {
  const { sandtable, asked } = clientOf((what) => (what === "PATCH settings" ? refusal(409, "DurabilityFixed") : said({ accounts: [] })));
  await sandtable.prepare({ durability: "strict", accounts: [] });
  assert.deepEqual(asked, ["PATCH settings", "GET accounts"]);
});

test("a listener on a closed client makes its host watch nothing", async () => {
  const watched = [];
  const { sandtable } = clientOf(null, { watch: (names) => watched.push(names), current: () => [{}] });
  await sandtable.close();
  const off = sandtable.on("change", () => {});
  sandtable.on("error", () => assert.fail("notified"));
  off();
  await Promise.resolve();
  assert.deepEqual(watched, []);
});

test("a late listener is notified of current problems, and a store that does not open can be reset", async () => {
  const problems = [new SandtableError("StoreFull", ""), new SandtableError("StoreFormat", "")];
  const bodies = [];
  const { sandtable, asked } = clientOf((_, body) => (bodies.push(new TextDecoder().decode(body)), { status: 204, head: "", body: null }), { current: (name) => (name === "error" ? problems : []) });
  const notified = [];
  sandtable.on("error", (error) => notified.push(error));
  sandtable.on("recovered", () => assert.fail("nothing has"));
  await Promise.resolve();
  assert.deepEqual(notified, problems);
  assert.equal(notified[0].reset, undefined);
  await notified[1].reset();
  assert.deepEqual([asked, bodies], [["POST reset"], ['{"what":"unopened"}']]); // not "all": the store may open by then
});

/** A host with accounts. Some attempts get another response; "lost" also executes the request. */
function accountsWith(names, ...tries) {
  const accounts = new Map(names.map((name) => [name, { name, access: "open" }]));
  const found = (name) => (accounts.has(name) ? said(accounts.get(name)) : refusal(404, "ResourceNotFound"));
  const serve = (what, body) => {
    const [method, path] = what.split(" ");
    const name = path.split("/")[1];
    if (method === "GET") return found(name);
    if (method === "DELETE") return accounts.delete(name) ? { status: 204, head: "", body: null } : refusal(404, "ResourceNotFound");
    const asked = JSON.parse(new TextDecoder().decode(body));
    if (accounts.has(asked.name)) return refusal(409, "AccountAlreadyExists");
    accounts.set(asked.name, { access: "open", ...asked });
    return said(accounts.get(asked.name));
  };
  return clientOf((what, body) => {
    const how = what.startsWith("GET") ? undefined : tries.shift();
    if (how === "lost" || how === undefined) {
      const answer = serve(what, body);
      return how === "lost" ? { ...refusal(503, "ServerBusy"), lost: true } : answer;
    }
    how.before?.(accounts);
    return how.answer;
  });
}

const busy = { answer: refusal(503, "ServerBusy") };
const code = (promise) => promise.then(({ name, access }) => `${name}: ${access}`, ({ status }) => status);

for (const [name, run, want] of [
  ["an account is made", () => accountsWith([]).sandtable.accounts.create("abc"), "abc: open"],
  ["an account that is there is refused", () => accountsWith(["abc"]).sandtable.accounts.create("abc"), 409],
  ["an account is made by the second try, behind one that was refused as busy", () => accountsWith([], busy).sandtable.accounts.create("abc", { access: "strict" }), "abc: strict"],
  ["an account that a try made whose answer was lost is made", () => accountsWith([], "lost").sandtable.accounts.create("abc", { access: "strict" }), "abc: strict"],
  ["one that was there before is refused, whatever was lost", () => accountsWith(["abc"], "lost").sandtable.accounts.create("abc"), 409],
  [
    "one that another client created while this one got busy is refused",
    () => accountsWith([], { ...busy, before: (accounts) => accounts.set("abc", { name: "abc", access: "open" }) }).sandtable.accounts.create("abc"),
    409,
  ],
  [
    "one with another access level than requested is refused",
    () => accountsWith([], { answer: { ...busy.answer, lost: true }, before: (accounts) => accounts.set("abc", { name: "abc", access: "open" }) }).sandtable.accounts.create("abc", { access: "strict" }),
    409,
  ],
  ["an account whose deletion was not acknowledged is deleted", () => accountsWith(["abc"], "lost").sandtable.accounts.delete("abc").then(() => ({ name: "abc", access: "none" })), "abc: none"],
  ["an account that is not there is not deleted", () => accountsWith([]).sandtable.accounts.delete("abc"), 404],
]) {
  test(name, async (t) => {
    t.mock.method(globalThis, "setTimeout", (f) => queueMicrotask(f)); // between two attempts
    assert.equal(await code(run()), want);
  });
}

/** A response whose body is streamed in chunks. */
const chunked = (...texts) => ({ status: 200, head: "", body: new ReadableStream({ start: (controller) => (texts.forEach((text) => controller.enqueue(new TextEncoder().encode(text))), controller.close()) }) });

test("maintenance reports progress and then its result", async () => {
  const { sandtable, asked } = clientOf((what) => (what === "POST verify" ? chunked('{"progress":{"entities":1}}\n{"prog', 'ress":{"entities":2}}\n', '{"entities":3,"problems":["é"]}\n') : said({ before: {}, after: { blocks: 1 } })));
  const progress = [];
  assert.deepEqual(await sandtable.verify({ onProgress: ({ entities }) => progress.push(entities) }), { entities: 3, problems: ["é"] });
  assert.deepEqual(progress, [1, 2]);
  assert.deepEqual(await sandtable.compact(), { before: {}, after: { blocks: 1 } });
  assert.deepEqual(asked, ["POST verify", "POST compact"]);
});

test("maintenance that fails, is cut off or aborted rejects", async () => {
  const failed = clientOf(() => chunked('{"progress":{}}\n{"error":{"code":"ServerBusy","message":"The server is busy."}}\n'));
  await assert.rejects(failed.sandtable.verify(), ({ code, message }) => code === "Refused" && /ServerBusy\. The server is busy\./.test(message));
  let pulled = 0;
  const breaking = clientOf(() => ({ status: 200, head: "", body: new ReadableStream({ pull: (controller) => (pulled++ === 0 ? controller.enqueue(new TextEncoder().encode('{"progress":{}}\n')) : controller.error(new Error("The engine stopped."))) }, { highWaterMark: 0 }) }));
  await assert.rejects(breaking.sandtable.compact(), ({ code, message }) => code === "NotConnected" && /The engine stopped/.test(message));
  await assert.rejects(clientOf(() => chunked()).sandtable.verify(), ({ code }) => code === "NotConnected");
  const controller = new AbortController();
  let cancelled = false;
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new TextEncoder().encode('{"progress":{}}\n')), cancel: () => void (cancelled = true) }, { highWaterMark: 0 });
  const given = clientOf((_, __, signal) => ({ status: 200, head: "", body: abortable(endless, signal) }));
  await assert.rejects(given.sandtable.verify({ signal: controller.signal, onProgress: () => controller.abort(new Error("enough")) }), /^Error: enough/);
  assert.equal(cancelled, true);
});

test("an archive can be loaded into another account", async () => {
  const { sandtable, asked } = clientOf(() => said({ accounts: 1, tables: 0, entities: 0, corruption: 0, bytes: 1 }));
  await sandtable.load(new Blob(["x"]), { account: "other" });
  assert.deepEqual(asked, ["POST load?account=other&chunk=&last=true"]);
});

test("a misspelled option is refused before anything is sent", async () => {
  const { sandtable, asked } = clientOf(() => assert.fail("sent"));
  const { accounts } = sandtable;
  for (const call of [
    () => sandtable.dump({ acount: "abc" }),
    () => sandtable.dump({ account: "A" }),
    () => sandtable.dump([]),
    () => sandtable.load(new Blob(["x"]), { acount: "abc" }),
    () => sandtable.load(new Blob(["x"]), { account: "a/b" }),
    () => sandtable.load(42),
    () => sandtable.reset({ acount: "abc" }),
    () => sandtable.reset({}),
    () => sandtable.reset("everything"),
    () => sandtable.verify({ onprogress() {} }),
    () => sandtable.compact({ abort: null }),
    () => sandtable.sasUrl("abc", { permission: "r" }),
    () => sandtable.sasUrl("ABC", { permissions: "r" }),
    () => sandtable.sasUrl("abc", { permissions: "r", expiresOn: "tomorrow" }),
    () => sandtable.connectionString("ABC"),
    () => accounts.create("abc", { acces: "open" }),
    () => accounts.create("abc", { access: "closed" }),
    () => accounts.create("ABC"),
    () => accounts.delete("../status"),
    () => accounts.setAccess("abc", "closed"),
  ]) {
    await assert.rejects(call, ({ code }) => code === "InvalidOption", String(call));
  }
  assert.throws(() => sandtable.endpoint("a"), ({ code }) => code === "InvalidOption");
  assert.throws(() => sandtable.on("changed", () => {}), ({ code }) => code === "InvalidOption");
  assert.deepEqual(asked, []);
});

test("mutating requests have a content type that no form can send", async () => {
  const heads = [];
  const request = async (head) => (heads.push(head), { status: 204, head: "", body: null });
  const { sandtable } = clientOf(null, { request });
  await sandtable.reset();
  await sandtable.accounts.delete("abc");
  await sandtable.load(new Blob(["x"])).catch(() => {}); // the response is not a load's
  assert.deepEqual(heads.map((head) => /content-type:(.*)/.exec(head)?.[1]), ["application/json", "application/json", "application/x-ndjson"]);
});

test("recent requests are listed, and an evicted one is null", async () => {
  const { sandtable, asked } = clientOf((what) => (what === "GET requests/8" ? refusal(404, "ResourceNotFound") : said(what === "GET requests/7" ? { id: 7 } : { instance: "i", requests: [{ id: 7 }] })));
  assert.deepEqual(await sandtable.requests(), [{ id: 7 }]);
  assert.deepEqual(await sandtable.requests({ after: 6, limit: 10 }), [{ id: 7 }]);
  assert.deepEqual(await sandtable.request(7), { id: 7 });
  assert.equal(await sandtable.request(8), null);
  assert.deepEqual(asked, ["GET requests", "GET requests?after=6&limit=10", "GET requests/7", "GET requests/8"]);
  for (const options of [{ after: -1 }, { limit: 1.5 }, { last: 1 }]) {
    await assert.rejects(sandtable.requests(options), ({ code }) => code === "InvalidOption");
  }
  await assert.rejects(sandtable.request("7"), ({ code }) => code === "InvalidOption");
});

test("a listener for values makes the host report them, until it is removed", () => {
  const watched = [];
  const { sandtable } = clientOf(null, { watch: (names) => watched.push(names) });
  const off = sandtable.on("change", () => {}, { values: true });
  sandtable.on("change", () => {});
  off();
  assert.deepEqual(watched, [["change", "values"], ["change", "values"], ["change"]]);
  assert.throws(() => sandtable.on("change", () => {}, { value: true }), /no option "value"/);
});

test("partitions and the clock are requests of the control API", async () => {
  const { sandtable, asked } = clientOf(() => said({}));
  await sandtable.partitions("shop", "orders", { from: "a&b", limit: 5 });
  await sandtable.setClock(new Date("2030-01-31T12:00:00Z"));
  await sandtable.setClock();
  assert.deepEqual(asked, ["GET accounts/shop/partitions?table=orders&from=a%26b&limit=5", "POST clock", "POST clock"]);
  await assert.rejects(sandtable.partitions("shop", "orders", { limit: -1 }), /limit is a whole number/);
  await assert.rejects(sandtable.setClock("soon"), /now is not a date/);
});

test("faults are requests of the control API", async () => {
  const bodies = [];
  const state = { on: true, seed: 7, requests: 0, failed: 0, rules: [] };
  const { sandtable, asked } = clientOf((line, body) => (bodies.push(body && JSON.parse(new TextDecoder().decode(body))), line.startsWith("DELETE") ? { status: 204, head: "", body: null } : said(state)));
  assert.deepEqual(await sandtable.faults.set("shop", { seed: 7, rules: [{ effect: "ServerBusy", every: 2, until: new Date(0) }] }), state);
  assert.deepEqual(bodies[0], { seed: 7, rules: [{ effect: "ServerBusy", every: 2, until: "1970-01-01T00:00:00.000Z" }] });
  await sandtable.faults.get();
  await sandtable.faults.switch("shop", false);
  await sandtable.faults.reset("shop");
  assert.equal(await sandtable.faults.clear("shop"), undefined);
  const path = "accounts/shop/faults";
  assert.deepEqual(asked, ["PUT " + path, "GET accounts/devstoreaccount1/faults", "PATCH " + path, `POST ${path}/reset`, "DELETE " + path]);
  const rule = (more) => ({ rules: [{ effect: "ServerBusy", ...more }] });
  // JSON has no NaN and no Infinity: as null, which means missing, they would hit every request.
  const lost = [{ share: NaN }, { share: Infinity }, { share: null }, { every: NaN }, { hits: -Infinity }, { until: null }].map(rule);
  for (const wrong of [{ rule: [] }, { rules: {} }, rule({ evry: 2 }), rule({ until: "soon" }), ...lost, { seed: NaN, rules: [] }]) {
    await assert.rejects(sandtable.faults.set("shop", wrong), ({ code }) => code === "InvalidOption", JSON.stringify(wrong));
  }
  await assert.rejects(sandtable.faults.set("shop", rule({ share: NaN })), /faults\.set\(\): share is NaN/);
});

test("a listener that removes itself gets no more events, not even of the same turn", async () => {
  let notify;
  const { sandtable } = clientOf(null, { watch: (_, listener) => (notify = listener) });
  const got = [];
  const off = sandtable.on("change", ({ kind }) => {
    off();
    got.push(kind);
  });
  sandtable.on("request", () => got.push("request"));
  notify("change", { kind: "inserted" }); // a transaction's changes come at once in Node.js
  notify("change", { kind: "updated" });
  await Promise.resolve();
  notify("request", {});
  await sandtable.close();
  assert.deepEqual(got, ["inserted"]);
});

test("events of one account, and what belongs to none", async () => {
  let notify;
  const { sandtable } = clientOf(null, { watch: (_, listener) => (notify = listener) });
  const got = [];
  sandtable.on("change", ({ kind }) => got.push(kind), { account: "shop" });
  notify("change", { kind: "inserted", account: "shop" });
  notify("change", { kind: "deleted", account: "other" });
  notify("lost");
  await Promise.resolve();
  assert.deepEqual(got, ["inserted", "lost"]);
  assert.throws(() => sandtable.on("request", () => {}, { account: "A B" }), ({ code }) => code === "InvalidOption");
});

test("expected requests are those after the last one", async () => {
  const requests = [{ id: 18, account: "shop", status: 201 }];
  let instance = "a";
  const { sandtable, asked } = clientOf((line) => line.includes("accounts/") ? (line.endsWith("/shop") ? said({}) : refusal(404, "ResourceNotFound")) : said({ instance, requests: line.includes("limit=1") ? [{ id: 17 }] : requests }));
  const expectation = await sandtable.expectRequests({ account: "shop" });
  await expectation.toBe([{ status: 201 }]);
  assert.deepEqual(asked, ["GET accounts/shop", "GET requests?limit=1", "GET requests?after=17"]);
  await assert.rejects(sandtable.expectRequests({ account: "shpo" }), ({ code, message }) => code === "InvalidOption" && /there is no account "shpo"/.test(message));
  instance = "b";
  await assert.rejects(expectation.requests(), ({ code }) => code === "Expectation");
});
