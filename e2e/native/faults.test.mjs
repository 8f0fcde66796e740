// Faults of a native server: what they look like over a socket, to an SDK with its
// default retries.

import assert from "node:assert/strict";
import { request as send } from "node:http";
import { AzureNamedKeyCredential, TableClient } from "@azure/data-tables";
import { native } from "../lib/native.mjs";
import { test } from "../lib/test.mjs";

const here = native(() => {}, "-control");

/** Calls the control API. */
async function faults(method, body, path = "") {
  const authorization = `Bearer ${here.control.searchParams.get("token")}`;
  const response = await fetch(new URL(`accounts/${here.account}/faults${path}`, here.control), {
    method, headers: { authorization, "content-type": "application/json" }, body: body && JSON.stringify(body),
  });
  assert.ok(response.ok, `${method}: ${response.status} ${await response.clone().text()}`);
  return response.status === 204 ? undefined : response.json();
}

const client = () => new TableClient(here.path, "Orders", new AzureNamedKeyCredential(here.account, here.key), {
  allowInsecureConnection: true, retryOptions: { retryDelayInMs: 1, maxRetryDelayInMs: 2 },
});

test("a retried insert whose answer was lost is a conflict, whose entity is there", async () => {
  const orders = client();
  await orders.createTable();
  await faults("PUT", { rules: [{ operation: "Insert Entity", effect: "ServerBusy", hits: 1 }, { operation: "Insert Entity", effect: "answerLost", hits: 1 }] });
  await assert.rejects(orders.createEntity({ partitionKey: "p", rowKey: "1" }), ({ statusCode }) => statusCode === 409);
  assert.equal((await orders.getEntity("p", "1")).rowKey, "1");
  const { requests, failed, rules } = await faults("GET");
  assert.deepEqual({ requests, failed, hits: rules.map(({ hit }) => hit) }, { requests: 4, failed: 2, hits: [1, 1] });
  await faults("DELETE");
});

test("a cut connection sends no byte of an answer", async () => {
  await faults("PUT", { rules: [{ effect: "connectionCut", operation: "any read" }] });
  const { code } = await new Promise((resolve) => {
    const url = new URL(here.path + "/Tables");
    const request = send(url, { headers: { authorization: "none", "x-ms-version": "2019-02-02", accept: "application/json" } }, (response) => resolve({ code: response.statusCode }));
    request.on("error", resolve).end();
  });
  assert.equal(code, 400, "without credentials a request meets no rule");
  await assert.rejects(client().getEntity("p", "1"), ({ code }) => code === "ECONNRESET");
  const { rules } = await faults("GET");
  assert.equal(rules[0].hit, 4, "the SDK tries four times");
  await faults("DELETE");
});

test("nobody sets faults without the token", async () => {
  const response = await fetch(new URL(`accounts/${here.account}/faults`, here.control), {
    method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify({ rules: [{ effect: "ServerBusy" }] }),
  });
  assert.equal(response.status, 401);
  assert.deepEqual((await faults("GET")).rules, []);
});
