// How the SDK's default retry policy and an application behave when requests fail:
// deterministically, by the seed.

import assert from "node:assert/strict";
import * as sdk from "@azure/data-tables";
import { describeError, formatError, start } from "../../build/node/node.js";
import { test } from "../lib/test.mjs";

const WRITES = 60;

// A fifth of the writes is refused, one of twenty done without an answer.
const rules = [
  { operation: "any write", effect: "ServerBusy", share: 0.2 },
  { operation: "any write", effect: "answerLost", share: 0.05 },
];

// The default policy, three retries, but without its pauses of seconds.
const quick = { retryOptions: { retryDelayInMs: 1, maxRetryDelayInMs: 2 } };

/** Inserts entities one after another, and returns what came of each. */
async function insertAll(client) {
  const outcomes = [];
  for (let i = 0; i < WRITES; i++) {
    const insert = client.createEntity({ partitionKey: "p", rowKey: String(i).padStart(3, "0") });
    outcomes.push(await insert.then(() => "created", (error) => describeError(error).code));
  }
  return outcomes;
}

/** Runs the inserts in a new service with a seed. */
async function run(seed, rules, options = quick) {
  const sandtable = await start();
  try {
    const client = new sdk.TableClient(sandtable.endpoint(), "Orders", { httpClient: sandtable.httpClient, ...options });
    await client.createTable();
    await sandtable.faults.set(undefined, { seed, rules });
    const expectation = await sandtable.expectRequests();
    const outcomes = await insertAll(client);
    const state = await sandtable.faults.get();
    await sandtable.faults.switch(undefined, false);
    const rows = [];
    for await (const { rowKey } of client.listEntities()) rows.push(Number(rowKey));
    const requests = (await expectation.requests()).filter(({ operation }) => operation === "Insert Entity");
    return { outcomes, rows, state, requests: requests.map(({ status, fault }) => `${status}${fault === undefined ? "" : " rule " + fault.rule}`) };
  } finally {
    await sandtable.close();
  }
}

test("with a seed, the SDK's retries end the same way in every run", async () => {
  const [first, second, other] = [await run(20261120, rules), await run(20261120, rules), await run(20261121, rules)];
  assert.deepEqual(second, first);
  assert.notDeepEqual(other.requests, first.requests);
  for (const { outcomes, rows, requests, state } of [first, other]) {
    // Every refusal was retried: each entity is there, and a lost answer shows as a conflict.
    assert.deepEqual(rows, Array.from({ length: WRITES }, (_, i) => i));
    const [busy, lost] = state.rules;
    assert.ok(busy.hit >= 5 && lost.hit >= 1, JSON.stringify(state));
    assert.equal(outcomes.filter((outcome) => outcome === "EntityAlreadyExists").length, lost.hit);
    assert.equal(outcomes.filter((outcome) => outcome === "created").length, WRITES - lost.hit);
    assert.equal(requests.filter((request) => request === "503 rule 1").length, busy.hit);
    assert.equal(requests.filter((request) => request === "204 rule 2").length, lost.hit);
    assert.equal(requests.length, WRITES + busy.hit + lost.hit);
    assert.equal(state.failed, busy.hit + lost.hit);
  }
});

test("after four refusals the SDK gives up", async () => {
  const { outcomes, rows, requests } = await run(1, [{ operation: "any write", effect: "ServerBusy", hits: 5 }]);
  assert.deepEqual(outcomes.slice(0, 3), ["ServerBusy", "created", "created"]);
  assert.equal(rows.length, WRITES - 1);
  assert.deepEqual(requests.slice(0, 6), ["503 rule 1", "503 rule 1", "503 rule 1", "503 rule 1", "503 rule 1", "204"]);
});

test("a cut connection is retried, and nothing was done", async () => {
  const { outcomes, requests } = await run(1, [{ operation: "Insert Entity", effect: "connectionCut", every: 3 }]);
  assert.deepEqual(new Set(outcomes), new Set(["created"]));
  assert.deepEqual(requests.slice(0, 4), ["204", "204", "0 rule 1", "204"]);
});

test("an upsert survives a lost answer, an insert does not", async () => {
  const sandtable = await start();
  const client = new sdk.TableClient(sandtable.endpoint(), "Orders", { httpClient: sandtable.httpClient, ...quick });
  await client.createTable();
  await sandtable.faults.set(undefined, { rules: [{ operation: "any write", effect: "answerLost", every: 2 }] });
  await client.upsertEntity({ partitionKey: "p", rowKey: "0" });
  await client.upsertEntity({ partitionKey: "p", rowKey: "1" });
  await client.upsertEntity({ partitionKey: "p", rowKey: "2" });
  await assert.rejects(client.createEntity({ partitionKey: "p", rowKey: "3" }), (error) =>
    formatError(error) === "RestError (409 EntityAlreadyExists): The specified entity already exists.");
  await sandtable.close();
});

test("a delayed request does not block the others", async () => {
  const sandtable = await start();
  const client = new sdk.TableClient(sandtable.endpoint(), "Orders", { httpClient: sandtable.httpClient });
  await client.createTable();
  await sandtable.faults.set(undefined, { rules: [{ operation: "Insert Entity", effect: "latency", median: 300 }] });
  const began = performance.now();
  let quickest;
  await Promise.all([
    client.createEntity({ partitionKey: "p", rowKey: "1" }),
    client.getEntity("p", "0").catch(() => (quickest = performance.now() - began)),
  ]);
  const took = performance.now() - began;
  assert.ok(took >= 299, `${took} ms`);
  assert.ok(quickest < took, `${quickest} ms for a read during ${took} ms`);
  const [, { milliseconds, fault }] = (await sandtable.requests()).filter(({ operation }) => operation !== "Create Table").sort((a, b) => a.milliseconds - b.milliseconds);
  assert.ok(milliseconds >= 299 && fault.effect === "latency" && fault.delay === 300, JSON.stringify({ milliseconds, fault }));
  await sandtable.close();
});

test("faults end with the service", async () => {
  const one = await start();
  await one.faults.set(undefined, { rules: [{ effect: "ServerBusy" }] });
  assert.equal((await one.accounts.list())[0].faults, true);
  await one.close();
  const other = await start();
  assert.deepEqual((await other.faults.get()).rules, []);
  await other.close();
});

test("a stale secondary shows the state of when the rule was set", async () => {
  const sandtable = await start();
  const options = { httpClient: sandtable.httpClient };
  const client = new sdk.TableClient(sandtable.endpoint(), "Orders", options);
  await client.createTable();
  await client.createEntity({ partitionKey: "p", rowKey: "1", n: 1 });
  await sandtable.faults.set(undefined, { rules: [{ operation: "any read", effect: "staleSecondary" }] });
  await client.updateEntity({ partitionKey: "p", rowKey: "1", n: 2 });
  await client.createEntity({ partitionKey: "p", rowKey: "2" });
  const secondary = new sdk.TableClient("https://devstoreaccount1-secondary.table.core.windows.net", "Orders", options);
  assert.equal((await secondary.getEntity("p", "1")).n, 1);
  await assert.rejects(secondary.getEntity("p", "2"), ({ statusCode }) => statusCode === 404);
  assert.equal((await client.getEntity("p", "1")).n, 2);
  const keys = [];
  for await (const { rowKey } of secondary.listEntities()) keys.push(rowKey);
  assert.deepEqual(keys, ["1"]);
  await sandtable.faults.clear();
  assert.equal((await secondary.getEntity("p", "1")).n, 2);
  await sandtable.close();
});
