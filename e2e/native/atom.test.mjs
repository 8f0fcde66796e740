// Every public table method of "azure", the Node.js client of 2013, against the
// native server. It uses version 2011-08-18: AtomPub in both directions, MERGE,
// batches of Atom entries and that version's service properties.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import azure from "azure";
import { record } from "../lib/calls.mjs";
import { native } from "../lib/native.mjs";

const any = azure.createTableService("any", "d3Jvbmc=", "http://127.0.0.1");
const TableService = Object.getPrototypeOf(any).constructor;
const recorded = record({ TableService, BatchServiceClient: TableService.super_, TableQuery: azure.TableQuery });
const { sdk: client } = recorded;

let service;
const here = native(({ account, key, port }) => (service = connect(account, key, port)));

function connect(account, key, port, kind = "SharedKeyTable") {
  const made = new client.TableService(account, key, `http://127.0.0.1:${port}`, new azure[kind](account, key, true));
  made.usePathStyleUri = true;
  return made;
}

/** Calls a method; resolves to its results, the response last. */
const callOf = (service) => (method, ...args) =>
  new Promise((resolve, reject) => service[method](...args, (error, ...results) => (error ? reject(error) : resolve([...results.slice(0, -1), results.at(-1)]))));
const call = (...args) => callOf(service)(...args);

const refusedAs = (statusCode, code) => (error) => {
  assert.deepEqual([error.statusCode, error.code], [statusCode, code]);
  return true;
};

const atom = "application/atom+xml;charset=utf-8";
/** Removes what the client adds to an entity from its Atom entry. */
const bare = ({ _, Timestamp, ...entity }) => entity;
const rowKeys = (entities) => entities.map(({ RowKey }) => RowKey).join();

test("tables are created, found, listed by prefix and deleted", async () => {
  const [made, response] = await call("createTable", "AtomB");
  assert.equal(made.TableName, "AtomB");
  assert.deepEqual([response.statusCode, response.headers["content-type"], response.headers["x-ms-version"]], [201, atom, "2011-08-18"]);
  assert.match(response.headers.location, /\/devstoreaccount1\/Tables\('AtomB'\)$/);
  await assert.rejects(call("createTable", "AtomB"), refusedAs(409, "TableAlreadyExists")); // without a Content-Type
  assert.equal((await call("createTableIfNotExists", "AtomA"))[0], true);
  assert.equal((await call("createTableIfNotExists", "AtomA"))[0], false);
  assert.equal((await call("getTable", "AtomA"))[0].TableName, "AtomA");
  await assert.rejects(call("getTable", "AtomC"), refusedAs(404, "ResourceNotFound"));
  const [tables, , listed] = await call("queryTables", { prefix: "Atom" });
  assert.deepEqual(tables.map(({ TableName }) => TableName), ["AtomA", "AtomB"]);
  assert.equal(listed.headers["content-type"], atom);
  assert.deepEqual((await call("queryTables", { prefix: "None" }))[0], []);
  assert.equal((await call("deleteTable", "AtomB"))[0], true);
  await assert.rejects(call("deleteTable", "AtomB"), refusedAs(404, "ResourceNotFound"));
});

test("every type round-trips through an Atom entry", async () => {
  await call("createTable", "Types");
  const typed = (type, value) => ({ $: { type }, _: value });
  const sent = {
    PartitionKey: "x é", // this client does not escape quotes
    RowKey: "a b",
    text: " é ☂ <&> \"q\" ",
    lines: "a\nb\tc",
    i32: -7,
    i64: typed("Edm.Int64", "1234567890123"),
    d: 2.5,
    whole: typed("Edm.Double", 3),
    yes: true,
    no: false,
    when: new Date("2013-08-02T17:37:43.009Z"),
    id: typed("Edm.Guid", "C9DA6455-213d-42c9-9a79-3e9149a57833"),
    bytes: typed("Edm.Binary", "binary"),
    none: null,
  };
  const [inserted, { statusCode, headers }] = await call("insertEntity", "Types", sent);
  assert.equal(statusCode, 201);
  const want = { ...sent, i64: 1234567890123, whole: 3, id: sent.id._.toLowerCase(), bytes: "binary" };
  delete want.none;
  assert.deepEqual(bare(inserted), want);
  const [read, response] = await call("queryEntity", "Types", "x é", "a b");
  assert.deepEqual(bare(read), want);
  assert.equal(response.headers["content-type"], atom);
  assert.deepEqual([read._.etag, response.headers.etag], [headers.etag, headers.etag]);
  assert.ok(read.Timestamp instanceof Date && Math.abs(Date.now() - read.Timestamp) < 60_000);
  assert.match(read._.id, /\/devstoreaccount1\/Types\(PartitionKey='x%20%C3%A9',RowKey='a%20b'\)$/);
  assert.equal(read._.link, "Types(PartitionKey='x%20%C3%A9',RowKey='a%20b')");
  assert.equal(read._.category.$.term, "devstoreaccount1.Types");
});

test("insert, update, merge and delete respect their conditions", async () => {
  await call("createTable", "Changes");
  const entity = (more) => ({ PartitionKey: "p", RowKey: "r", ...more });
  const stored = async () => {
    const [{ a, b }] = await call("queryEntity", "Changes", "p", "r");
    return [a, b];
  };
  const [{ _: stale }] = await call("insertEntity", "Changes", entity({ a: 1 }));
  await assert.rejects(call("insertEntity", "Changes", entity()), refusedAs(409, "EntityAlreadyExists"));
  const [{ _: fresh }] = await call("mergeEntity", "Changes", entity({ b: 2 }));
  assert.deepEqual(await stored(), [1, 2]);
  for (const method of ["mergeEntity", "updateEntity", "deleteEntity"]) {
    await assert.rejects(call(method, "Changes", entity({ a: 9, _: stale }), { checkEtag: true }), refusedAs(412, "UpdateConditionNotSatisfied"));
  }
  await call("updateEntity", "Changes", entity({ b: 3, _: fresh }), { checkEtag: true });
  assert.deepEqual(await stored(), [undefined, 3]);
  await call("insertOrMergeEntity", "Changes", entity({ a: 4 }));
  assert.deepEqual(await stored(), [4, 3]);
  await call("insertOrReplaceEntity", "Changes", entity({ a: 5 }));
  assert.deepEqual(await stored(), [5, undefined]);
  assert.equal((await call("deleteEntity", "Changes", entity()))[0], true);
  await assert.rejects(stored(), refusedAs(404, "ResourceNotFound"));
  await assert.rejects(call("updateEntity", "Changes", entity()), refusedAs(404, "ResourceNotFound"));
  await assert.rejects(call("insertEntity", "Missing", entity()), refusedAs(404, "TableNotFound"));
});

test("queries from the client's builder return feeds, page by page", async () => {
  await call("createTable", "Queries");
  for (const [i, RowKey] of [..."12345"].entries()) {
    await call("insertEntity", "Queries", { PartitionKey: "p", RowKey, n: i + 1, name: RowKey === "3" ? "it's" : "é", odd: i % 2 === 0, when: new Date(i * 1000) });
  }
  const { TableQuery } = client;
  for (const [query, want] of [
    [TableQuery.select(), "1,2,3,4,5"],
    [TableQuery.select().where("name == ?", "it's"), "3"],
    [TableQuery.select().where("n > ?", 1).and("n <= ?", 3), "2,3"],
    [TableQuery.select().where("RowKey eq ?", "1").or("RowKey eq ?", "5"), "1,5"],
    [TableQuery.select().where("odd == ?", true).and("name != ?", "é"), "3"],
    [TableQuery.select().where("when >= ?", new Date(3000)), "4,5"],
    [TableQuery.select().where("n > 9"), ""],
  ]) {
    const [found, , { headers }] = await call("queryEntities", query.from("Queries"));
    assert.deepEqual([rowKeys(found), headers["content-type"]], [want, atom]);
  }
  const [one] = await call("queryEntities", TableQuery.select().from("Queries").whereKeys("p", "4"));
  assert.equal([one].flat()[0].n, 4);
  const [some] = await call("queryEntities", TableQuery.select("n", "none").from("Queries").top(1));
  assert.deepEqual(bare(some[0]), { n: 1, none: null });
  const [first, continuation] = await call("queryEntities", TableQuery.select().from("Queries").top(3));
  assert.deepEqual([rowKeys(first), continuation.hasNextPage()], ["1,2,3", true]);
  const second = await new Promise((resolve, reject) => continuation.getNextPage((error, ...results) => (error ? reject(error) : resolve(results))));
  assert.deepEqual([rowKeys(second[0]), second[1].hasNextPage()], ["4,5", false]);
  await assert.rejects(call("queryEntities", TableQuery.select().from("Queries").where("n eq")), refusedAs(400, "InvalidInput"));
});

// No failing batch is tested: this client cannot parse its response.
test("a batch of entries is atomic", async () => {
  await call("createTable", "Batches");
  const entity = (RowKey, more) => ({ PartitionKey: "p", RowKey, ...more });
  for (const RowKey of ["merged", "updated", "deleted"]) await call("insertEntity", "Batches", entity(RowKey, { old: 1 }));
  service.beginBatch();
  assert.deepEqual([service.isInBatch(), service.hasOperations()], [true, false]);
  service.insertEntity("Batches", entity("made é", { fresh: 1 }));
  service.mergeEntity("Batches", entity("merged", { fresh: 1 }));
  service.updateEntity("Batches", entity("updated", { fresh: 1 }));
  service.insertOrMergeEntity("Batches", entity("upserted", { fresh: 1 }));
  service.insertOrReplaceEntity("Batches", entity("put", { fresh: 1 }));
  service.deleteEntity("Batches", entity("deleted"));
  const [, first] = await call("commitBatch"); // the client returns only the first part
  const { "Content-Type": type, DataServiceVersion: version } = first.headers;
  assert.deepEqual([first.statusCode, type, version], [201, atom, "1.0;"]); // as recorded with this client
  assert.equal(first.body.entry.content["m:properties"]["d:RowKey"], "made é");
  const [found] = await call("queryEntities", client.TableQuery.select().from("Batches"));
  assert.deepEqual(found.map(({ RowKey, old = 0, fresh = 0 }) => `${RowKey} ${old}${fresh}`), ["made é 01", "merged 11", "put 01", "updated 01", "upserted 01"]);

  service.beginBatch();
  service.insertEntity("Batches", entity("never"));
  service.rollback();
  assert.equal(service.isInBatch(), false);
});

test("service properties are those of version 2011-08-18", async () => {
  const [before] = await call("getServiceProperties");
  assert.deepEqual(Object.keys(before).sort(), ["Logging", "Metrics"]);
  before.Logging.Read = true;
  before.Metrics = { Version: "1.0", Enabled: true, IncludeAPIs: false, RetentionPolicy: { Enabled: true, Days: 7 } };
  await call("setServiceProperties", before);
  const [after] = await call("getServiceProperties");
  assert.deepEqual([after.Logging, after.Metrics], [before.Logging, before.Metrics]);
});

test("both signature schemes are accepted, and both refuse a wrong key", async () => {
  for (const kind of ["SharedKeyTable", "SharedKeyLiteTable"]) {
    const right = callOf(connect(here.account, here.key, here.port, kind));
    await right("createTableIfNotExists", "Signed");
    assert.equal((await right("queryTables")).at(-1).headers["content-type"], atom, kind);
    const wrong = callOf(connect(here.account, "d3Jvbmc=", here.port, kind));
    await assert.rejects(wrong("queryTables"), refusedAs(403, "AuthenticationFailed"));
  }
});

// Must stay last: it checks which methods the tests above called.
test("every public method was called", () => {
  assert.deepEqual([...recorded.missing].filter((name) => !name.includes("._") && !name.endsWith(".super_") && name !== "new BatchServiceClient" && name !== "new TableQuery"), []);
});
