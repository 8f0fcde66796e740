// The Azure SDK for JavaScript in Node.js with the account's key, against the native server.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { TableClient, TableServiceClient } from "@azure/data-tables";
import * as processes from "../lib/processes.mjs";
import { after, before, test } from "../lib/test.mjs";

const program = fileURLToPath(new URL("../../bin/sandtable", import.meta.url));
const options = { allowInsecureConnection: true };
/** Matches an error of the SDK by the service's status and code. */
const serviceError = (status, code) => (error) => {
  assert.deepEqual([error.statusCode, error.details?.odataError?.code ?? error.code], [status, code]);
  return true;
};
let data;
let server;
let connection;

before(async () => {
  data = await mkdtemp(join(tmpdir(), "sandtable-"));
  await start();
});

async function start() {
  server = processes.start(program, "make build", ["serve", "-data", data, "-addr", "127.0.0.1:0", "-quiet"], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.startsWith("DefaultEndpointsProtocol=")) {
      connection = line;
      break;
    }
  }
}

after(async () => {
  server.kill("SIGTERM");
  const [code] = await once(server, "exit");
  assert.equal(code, 0, "the server stops cleanly");
  await rm(data, { recursive: true });
});

test("tables are created, listed and deleted", async () => {
  const service = TableServiceClient.fromConnectionString(connection, options);
  await service.createTable("Listed");
  await service.createTable("Listed"); // the SDK treats 409 TableAlreadyExists as success
  const names = [];
  for await (const t of service.listTables({ queryOptions: { filter: "TableName eq 'Listed'" } })) names.push(t.name);
  assert.deepEqual(names, ["Listed"]);
  await service.deleteTable("Listed");
  await service.deleteTable("Listed"); // and 404 too
});

test("every type round-trips", async () => {
  const client = TableClient.fromConnectionString(connection, "Types", options);
  await client.createTable();
  const sent = {
    partitionKey: "o'x é", rowKey: "a b", text: "😀 / <&>", yes: true, i32: -5, d: { type: "Double", value: "3" }, i64: 9223372036854775807n,
    when: { type: "DateTime", value: "2013-08-02T17:37:43.0090043Z" }, id: { type: "Guid", value: "c9da6455-213d-42c9-9a79-3e9149a57833" },
    bytes: new Uint8Array([0, 1, 255]),
  };
  await client.createEntity(sent);
  const got = await client.getEntity("o'x é", "a b", { disableTypeConversion: true });
  assert.deepEqual(got.text, { type: "String", value: "😀 / <&>" });
  assert.deepEqual(got.yes, { type: "Boolean", value: "true" });
  assert.deepEqual(got.i32, { type: "Int32", value: "-5" });
  assert.deepEqual(got.i64, { type: "Int64", value: "9223372036854775807" });
  assert.deepEqual(got.when, { type: "DateTime", value: "2013-08-02T17:37:43.0090043Z" });
  assert.deepEqual(got.id, { type: "Guid", value: "c9da6455-213d-42c9-9a79-3e9149a57833" });
  assert.deepEqual(got.bytes, { type: "Binary", value: "AAH/" });
});

test("a stale ETag is refused, and a transaction is atomic", async () => {
  const client = TableClient.fromConnectionString(connection, "Changes", options);
  await client.createTable();
  const { etag } = await client.createEntity({ partitionKey: "p", rowKey: "r", n: 1 });
  await client.updateEntity({ partitionKey: "p", rowKey: "r", n: 2 }, "Merge", { etag });
  await assert.rejects(client.updateEntity({ partitionKey: "p", rowKey: "r", n: 3 }, "Replace", { etag }),
    serviceError(412, "UpdateConditionNotSatisfied"));
  await assert.rejects(client.submitTransaction([
    ["upsert", { partitionKey: "p", rowKey: "new" }],
    ["create", { partitionKey: "p", rowKey: "r" }],
  ]), serviceError(409, "EntityAlreadyExists"));
  const keys = [];
  for await (const e of client.listEntities()) keys.push(`${e.rowKey}:${e.n}`);
  assert.deepEqual(keys, ["r:2"]);
});

test("a wrong key is refused everywhere", async () => {
  const wrong = connection.replace(/AccountKey=[^;]*/, "AccountKey=d3Jvbmc=");
  await assert.rejects(TableClient.fromConnectionString(wrong, "Types", options).getEntity("p", "r"),
    serviceError(403, "AuthenticationFailed"));
});

test("acknowledged writes survive a killed server", async () => {
  const client = () => TableClient.fromConnectionString(connection, "Kept", options);
  await client().createTable();
  const { etag } = await client().createEntity({ partitionKey: "p", rowKey: "r", n: 1 });
  server.kill("SIGKILL");
  await once(server, "exit");
  await start();
  const kept = await client().getEntity("p", "r");
  assert.deepEqual([kept.n, kept.etag], [1, etag]);
});
