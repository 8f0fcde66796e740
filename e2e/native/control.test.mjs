// The control API of a native server, as a script uses it while the SDK uses the
// service.

import assert from "node:assert/strict";
import { request as send } from "node:http";
import { test } from "../lib/test.mjs";
import { AzureNamedKeyCredential, AzureSASCredential, TableClient, TableServiceClient } from "@azure/data-tables";
import { native } from "../lib/native.mjs";

const here = native(() => {}, "-control");

/** Sends a control API request with the token. */
function control(method, path, body, headers = {}) {
  const authorization = `Bearer ${here.control.searchParams.get("token")}`;
  return fetch(new URL(path, here.control), { method, body, headers: { authorization, "content-type": "application/json", ...headers } });
}

async function call(method, path, body) {
  const response = await control(method, path, typeof body === "object" && !(body instanceof Uint8Array) ? JSON.stringify(body) : body);
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.clone().text()}`);
  return response.json();
}

/** Parses a response's event stream like an EventSource. */
async function* events(response) {
  let text = "";
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    text += part;
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const fields = Object.fromEntries(text.slice(0, end).split("\n").map((line) => [line.split(": ", 1)[0], line.slice(line.indexOf(": ") + 2)]));
      if (fields.data !== undefined && fields.event !== "start") {
        yield { kind: fields.event, ...JSON.parse(fields.data), eventID: fields.id }; // a request has an id of its own
      }
    }
  }
}

const client = (table) => new TableClient(here.path, table, new AzureNamedKeyCredential(here.account, here.key), { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } });

test("requests need the token and a local Host header", async () => {
  for (const [headers, status] of [
    [{ authorization: "" }, 401],
    [{ authorization: "Bearer guess" }, 401],
    [{}, 200],
  ]) {
    assert.equal((await control("GET", "status", undefined, headers)).status, status);
  }
  assert.equal((await fetch(here.control)).status, 200);
  // DNS rebinding: a foreign name that resolves to this machine. fetch cannot set Host.
  const answered = await new Promise((resolve, reject) => {
    send(here.control, { headers: { host: "evil.example" } }, (response) => resolve(response.resume())).on("error", reject).end();
  });
  assert.equal(answered.statusCode, 403);
  const preflight = await fetch(here.control, { method: "OPTIONS", headers: { origin: "https://evil.example", "access-control-request-method": "GET" } });
  assert.equal(preflight.headers.get("access-control-allow-origin"), null);
});

test("status reports the store's contents", async () => {
  const table = client("Counted");
  await table.createTable();
  await table.createEntity({ partitionKey: "p", rowKey: "r" });
  const status = await call("GET", "status");
  assert.equal(status.store, "memory");
  assert.equal(status.persisted, false);
  assert.deepEqual([status.accounts, status.tables, status.entities], [1, 1, 1]);
});

test("the SDK can use a generated SAS for what it grants", async () => {
  const { sas, url } = await call("POST", `accounts/${here.account}/sas`, {
    table: "Counted",
    permissions: "r",
    startPartitionKey: "p",
    endPartitionKey: "p",
    expiresOn: new Date(Date.now() + 60_000).toISOString(),
  });
  assert.equal(url, `${here.path}/Counted?${sas}`);
  const reader = new TableClient(here.path, "Counted", new AzureSASCredential(sas), { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } });
  assert.equal((await reader.getEntity("p", "r")).rowKey, "r");
  await assert.rejects(reader.createEntity({ partitionKey: "p", rowKey: "s" }), { statusCode: 403 });
});

test("events report requests and changes, and resume after the last id", async () => {
  const table = client("Counted");
  const abort = new AbortController();
  const first = events(await fetch(new URL(`events${here.control.search}`, here.control), { signal: abort.signal }));
  await table.createEntity({ partitionKey: "heard", rowKey: "1" });
  const seen = [];
  while (seen.length < 2) {
    seen.push((await first.next()).value);
  }
  const change = seen.find(({ kind }) => kind === "inserted");
  const request = seen.find(({ operation }) => operation === "Insert Entity");
  assert.deepEqual([change?.account, change?.table, change?.partitionKey, change?.rowKey], [here.account, "Counted", "heard", "1"]);
  assert.equal(request?.status, 204);
  abort.abort();
  await table.createEntity({ partitionKey: "heard", rowKey: "2" });
  // Which of the two comes first is open.
  for (const [after, expected] of [
    [seen[0], (event) => event.eventID === seen[1].eventID],
    [seen[1], (event) => event.rowKey === "2" || event.operation === "Insert Entity"],
  ]) {
    const again = events(await control("GET", "events", undefined, { "last-event-id": after.eventID }));
    const next = (await again.next()).value;
    assert.ok(expected(next), JSON.stringify(next));
    await again.return();
  }
});

test("a refused request shows the expected string to sign and no secret", async () => {
  const wrong = new AzureNamedKeyCredential(here.account, Buffer.from("another key").toString("base64"));
  const service = new TableServiceClient(here.path, wrong, { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } });
  await assert.rejects(service.createTable("Refused"), { statusCode: 403 });
  const response = await control("GET", "requests?limit=1");
  const text = await response.text();
  const [last] = JSON.parse(text).requests;
  assert.equal(last.status, 403);
  assert.match(last.stringToSign, new RegExp(`^(POST\\n.*\\n)?.*GMT\\n/${here.account}/${here.account}/Tables$`, "s"));
  assert.match(last.requestHeaders.Authorization, /^SharedKey(Lite)? devstoreaccount1:REDACTED$/);
  const all = await (await control("GET", "requests")).text();
  for (const secret of [here.key, here.control.searchParams.get("token")]) {
    assert.ok(!all.includes(secret));
  }
});

test("a dump is restored after a reset, whole and in chunks", async () => {
  const table = client("Many");
  await table.createTable();
  for (let i = 0; i < 300; i += 100) {
    await table.submitTransaction(Array.from({ length: 100 }, (_, n) => ["create", { partitionKey: "p", rowKey: String(i + n), text: "é".repeat(n) }]));
  }
  const dump = await (await control("GET", "dump")).text();
  const { entities } = await call("GET", "status");
  for (const load of [
    () => call("POST", "load", dump),
    async () => {
      const bytes = new TextEncoder().encode(dump);
      let [at, next] = [0, ""];
      for (let length = 10_000; next !== undefined; ) {
        const piece = bytes.subarray(at, at + length);
        const answer = await call("POST", `load?chunk=${next}&last=${at + piece.length === bytes.length}`, piece);
        at += answer.bytes;
        next = answer.next;
        length = answer.bytes === 0 ? 2 * length : 10_000;
      }
    },
  ]) {
    await call("POST", "reset", { what: "all" });
    assert.equal((await call("GET", "status")).entities, 0);
    await load();
    assert.equal((await call("GET", "status")).entities, entities);
    assert.equal((await table.getEntity("p", "250")).text, "é".repeat(50)); // the account's key was restored
  }
});

test("verify and compact work", async () => {
  const { entities } = await call("GET", "status");
  const verified = await call("POST", "verify");
  assert.deepEqual([verified.entities, verified.problemCount, verified.problems], [entities, 0, []]);
  const { before, after } = await call("POST", "compact");
  assert.ok(before.bytes > 0 && after.bytes > 0 && after.walRecords === 0, JSON.stringify({ before, after }));
  assert.equal((await control("POST", "verify", undefined, { authorization: "" })).status, 401);
});

test("settings take effect at once", async () => {
  const origin = { headers: { origin: "https://page.example" } };
  const allowed = async () => (await fetch(`${here.path}/Tables`, origin)).headers.get("access-control-allow-origin");
  assert.equal(await allowed(), null);
  assert.equal((await call("PATCH", "settings", { permissiveCORS: true })).permissiveCORS, true);
  assert.equal(await allowed(), "*");
  await call("PATCH", "settings", { permissiveCORS: false, recordBodies: false });
  assert.equal(await allowed(), null);
  const [last] = (await call("GET", "requests?limit=1")).requests;
  assert.equal(last.responseBody, null);
});

test("a snapshot is taken, compared and restored, with the SDK as the writer", async () => {
  const path = `accounts/${here.account}/`;
  const table = client("Restored");
  await table.createTable();
  await table.createEntity({ partitionKey: "p", rowKey: "1", Age: 41 });
  const { etag } = await table.getEntity("p", "1");
  const taken = await call("POST", path + "snapshots", { name: "before the change" });
  await table.updateEntity({ partitionKey: "p", rowKey: "1", Age: 42 }, "Replace");
  const { change, first } = await call("GET", `${path}differences?id=${taken.id}`);
  assert.deepEqual([change, first[0].before.Age, first[0].after.Age], [1, 42, 41]);
  const { before } = await call("POST", path + "restore", { id: taken.id });
  const restored = await table.getEntity("p", "1");
  assert.deepEqual([restored.Age, restored.etag], [41, etag]);
  await call("POST", path + "restore", { id: before.id, keep: false });
  assert.equal((await table.getEntity("p", "1")).Age, 42);
  assert.equal((await control("DELETE", `${path}snapshots?id=${taken.id}`)).status, 204);
});
