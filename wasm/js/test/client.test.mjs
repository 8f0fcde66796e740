import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const parts = ["protocol", "address", "answers", "client/errors", "client/options", "client/abortable", "client/http-client", "client/archive", "client/client"];
const { Sandtable, HttpClient } = load(parts, ["Sandtable", "HttpClient"]);

const base = "https://example.org/_sandtable/";

/** A client of a host that answers with what a function makes of method and path. */
function clientOf(answer, more = {}) {
  const asked = [];
  const request = async (head, body, signal) => {
    const [, method, path] = /^(\S+) https:\/\/example\.org\/_sandtable\/(\S+)/.exec(head);
    asked.push(method + " " + path);
    return answer(method + " " + path, body, signal);
  };
  const sandtable = new Sandtable({ base, request, watch() {}, describe: () => ({}), seeding: (work) => work(false, () => {}), close() {}, ...more });
  return { sandtable, asked };
}

test("each listener hears of a version that waits, once", async () => {
  const update = { take: async () => {} };
  const { sandtable } = clientOf(null, { waiting: () => update });
  const told = [[], []];
  const off = sandtable.on("update", (detail) => told[0].push(detail));
  sandtable.on("change", () => {});
  sandtable.on("update", (detail) => told[1].push(detail));
  off();
  await Promise.resolve();
  assert.deepEqual(told, [[update], [update]]);
});

test("a dump that is given up rejects with the signal's reason", async () => {
  const controller = new AbortController();
  const stream = new ReadableStream({ pull: () => controller.abort(new Error("enough")) }, { highWaterMark: 0 });
  const { abortable } = load(parts, ["abortable"]);
  const { sandtable } = clientOf((_, __, signal) => ({ status: 200, head: "", body: abortable(stream, signal) }));
  await assert.rejects(sandtable.dump({ signal: controller.signal }), /^Error: enough/);
});

test("the SDK's signal ends an answer that it reads as a stream", async () => {
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

for (const [reason, code] of Object.entries({ format: "StoreFormat", database: "StoreClosed", program: "EngineNotLoaded", memory: "EngineNotLoaded" })) {
  test(`an engine that does not start (${reason}) is an error that says so, at once`, async () => {
    const { sandtable, asked } = clientOf(() => refusal(503, "ServerBusy", "\nRetry-After:1\nx-sandtable-reason:" + reason));
    await assert.rejects(sandtable.prepare({ accounts: [] }), (error) => error.code === code && error.status === 503);
    assert.deepEqual(asked, ["GET accounts"]);
  });
}

test("a store in memory has no durability to choose, and is started all the same", async () => {
  const { sandtable, asked } = clientOf((what) => (what === "PATCH settings" ? refusal(409, "DurabilityFixed") : said({ accounts: [] })));
  await sandtable.prepare({ durability: "strict", accounts: [] });
  assert.deepEqual(asked, ["PATCH settings", "GET accounts"]);
});
