// Every public table method of azure-storage, the predecessor of
// @azure/data-tables, against the native server: MERGE, full metadata, batches
// with LF line endings, that version's headers, typed entities.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import azure from "azure-storage";
import { record } from "../lib/calls.mjs";
import { native } from "../lib/native.mjs";

const { TableService, TableBatch, TableQuery, TableUtilities } = azure;
const recorded = record({ TableService, TableBatch, TableQuery, ...TableUtilities.entityGenerator });
const { sdk: client } = recorded;
const { FULL_METADATA, MINIMAL_METADATA, NO_METADATA } = TableUtilities.PayloadFormat;
const { LocationMode } = azure.StorageUtilities;

let service;
const here = native(({ account, key, path }) => {
  service = new client.TableService(account, key, { primaryHost: path, secondaryHost: `${path}-secondary` });
});

/** Calls a method; resolves to its result and the response. */
function callOf(service) {
  return (method, ...args) =>
    new Promise((resolve, reject) => {
      service[method](...args, (error, ...results) => {
        if (error) {
          reject(error);
        } else {
          const response = results.pop();
          resolve({ result: results[0], response });
        }
      });
    });
}
const call = (...args) => callOf(service)(...args);

const refusedAs = (statusCode, code) => (error) => {
  assert.deepEqual([error.statusCode, error.code], [statusCode, code]);
  return true;
};

const etagOf = (entity) => entity[".metadata"].etag;
const keys = (entries) => entries.map(({ PartitionKey, RowKey }) => PartitionKey._ + RowKey._);

test("tables are created, found, listed by prefix and page, and deleted", async () => {
  assert.equal((await call("createTable", "LegacyB")).result.TableName, "LegacyB");
  await assert.rejects(call("createTable", "legacyb"), refusedAs(409, "TableAlreadyExists"));
  assert.equal((await call("createTableIfNotExists", "LegacyA")).result.created, true);
  assert.equal((await call("createTableIfNotExists", "LegacyA")).result.created, false);
  await call("createTable", "LegacyC");
  assert.equal((await call("doesTableExist", "LEGACYA")).result.exists, true);
  assert.equal((await call("doesTableExist", "Nowhere")).result.exists, false);
  const all = await call("listTablesSegmented", null);
  assert.deepEqual([all.result.entries, all.result.continuationToken], [["LegacyA", "LegacyB", "LegacyC"], null]);
  const first = await call("listTablesSegmentedWithPrefix", "Legacy", null, { maxResults: 2 });
  assert.deepEqual(first.result.entries, ["LegacyA", "LegacyB"]);
  const second = await call("listTablesSegmentedWithPrefix", "Legacy", first.result.continuationToken);
  assert.deepEqual([second.result.entries, second.result.continuationToken], [["LegacyC"], null]);
  assert.deepEqual((await call("listTablesSegmented", null, { payloadFormat: FULL_METADATA })).response.body.value[0], {
    "odata.type": "devstoreaccount1.Tables", "odata.id": `${here.path}/Tables('LegacyA')`, "odata.editLink": "Tables('LegacyA')", TableName: "LegacyA",
  });
  await call("deleteTable", "LegacyC");
  await assert.rejects(call("deleteTable", "LegacyC"), refusedAs(404, "ResourceNotFound"));
  assert.equal((await exists("deleteTableIfExists", "LegacyB")), true);
  assert.equal((await exists("deleteTableIfExists", "LegacyB")), false);
});

/** This method alone returns its result in the first argument. */
const exists = (method, table) => new Promise((resolve, reject) => service[method](table, (error, result) => (error ? reject(error) : resolve(result))));

/** An entity with a property of each type. */
function everyType(PartitionKey, RowKey) {
  return {
    PartitionKey: client.String(PartitionKey),
    RowKey: client.String(RowKey),
    text: client.String("é 😀 'q' <&>"),
    i32: client.Int32(-7),
    i64: client.Int64("9223372036854775807"),
    d: client.Double(2.5),
    yes: client.Boolean(true),
    when: client.DateTime(new Date("2013-08-02T17:37:43.009Z")),
    id: client.Guid("c9da6455-213d-42c9-9a79-3e9149a57833"),
    bytes: client.Binary(Buffer.from([0, 1, 255])),
    plain: new client.EntityProperty("without a type"),
  };
}

test("every type round-trips at each metadata level", async () => {
  await call("createTable", "Types");
  const inserted = await call("insertEntity", "Types", everyType("o'x é", "a b"), { echoContent: true, payloadFormat: FULL_METADATA });
  assert.equal(inserted.response.statusCode, 201);
  assert.equal(inserted.response.headers["preference-applied"], "return-content");
  const id = `${here.path}/Types(PartitionKey='o''x%20%C3%A9',RowKey='a%20b')`;
  for (const payloadFormat of [FULL_METADATA, MINIMAL_METADATA, NO_METADATA]) {
    const { result, response } = await call("retrieveEntity", "Types", "o'x é", "a b", { payloadFormat });
    assert.equal(response.headers["content-type"], `${payloadFormat};streaming=true;charset=utf-8`);
    const { body } = response;
    const etag = response.headers.etag;
    const full = payloadFormat === FULL_METADATA;
    assert.deepEqual(
      Object.fromEntries(Object.entries(body).filter(([name]) => name.includes("odata."))),
      {
        ...(payloadFormat !== NO_METADATA && { "odata.metadata": `${here.path}/$metadata#Types/@Element`, "odata.etag": etag }),
        ...(full && { "odata.type": "devstoreaccount1.Types", "odata.id": id, "odata.editLink": id.slice(here.path.length + 1), "Timestamp@odata.type": "Edm.DateTime" }),
        ...(payloadFormat !== NO_METADATA && { "i64@odata.type": "Edm.Int64", "when@odata.type": "Edm.DateTime", "id@odata.type": "Edm.Guid", "bytes@odata.type": "Edm.Binary" }),
      },
      payloadFormat,
    );
    assert.deepEqual([body.i32, body.i64, body.d, body.yes, body.id], [-7, "9223372036854775807", 2.5, true, "c9da6455-213d-42c9-9a79-3e9149a57833"]);
    assert.deepEqual([result.text._, result.plain._, result.i32._], ["é 😀 'q' <&>", "without a type", -7]);
    assert.equal(etagOf(result), etag);
    if (payloadFormat !== NO_METADATA) {
      assert.deepEqual([result.when._.toISOString(), [...result.bytes._], result.i64.$], ["2013-08-02T17:37:43.009Z", [0, 1, 255], "Edm.Int64"]);
    }
  }
  const quiet = await call("insertEntity", "Types", { PartitionKey: "p", RowKey: "r", i32: 1 });
  assert.deepEqual([quiet.response.statusCode, quiet.response.headers["preference-applied"]], [204, "return-no-content"]);
  assert.equal(etagOf(quiet.result), quiet.response.headers.etag);
  const { entries } = (await call("queryEntities", "Types", null, null, { payloadFormat: FULL_METADATA })).result;
  assert.equal(entries[0][".metadata"].id, id);
});

test("insert, replace, merge and delete respect their conditions", async () => {
  await call("createTable", "Changes");
  const entity = (more) => ({ PartitionKey: "p", RowKey: "r", ...more });
  const stored = async () => {
    const { a, b } = (await call("retrieveEntity", "Changes", "p", "r")).result;
    return [a?._, b?._];
  };
  const first = (await call("insertEntity", "Changes", entity({ a: 1 }))).result;
  await assert.rejects(call("insertEntity", "Changes", entity()), refusedAs(409, "EntityAlreadyExists"));
  const second = (await call("mergeEntity", "Changes", entity({ b: 2, ".metadata": first[".metadata"] }))).result;
  assert.deepEqual(await stored(), [1, 2]);
  for (const method of ["mergeEntity", "replaceEntity", "deleteEntity"]) {
    await assert.rejects(call(method, "Changes", entity({ a: 9, ".metadata": first[".metadata"] })), refusedAs(412, "UpdateConditionNotSatisfied"));
  }
  await call("replaceEntity", "Changes", entity({ b: 3, ".metadata": second[".metadata"] }));
  assert.deepEqual(await stored(), [undefined, 3]);
  await call("insertOrMergeEntity", "Changes", entity({ a: 4 }));
  assert.deepEqual(await stored(), [4, 3]);
  await call("insertOrReplaceEntity", "Changes", entity({ a: 5 }));
  assert.deepEqual(await stored(), [5, undefined]);
  await new Promise((resolve, reject) => service.deleteEntity("Changes", entity(), (error, response) => (error ? reject(error) : resolve(response))));
  await assert.rejects(stored(), refusedAs(404, "ResourceNotFound"));
  await assert.rejects(call("mergeEntity", "Changes", entity()), refusedAs(404, "ResourceNotFound"));
  await assert.rejects(call("insertEntity", "Missing", entity()), refusedAs(404, "TableNotFound"));
});

test("queries from the client's builder match", async () => {
  await call("createTable", "Queries");
  await call("insertEntity", "Queries", everyType("p", "1"));
  await call("insertEntity", "Queries", { PartitionKey: "p", RowKey: "2", i32: 8, text: "it's" });
  await call("insertEntity", "Queries", { PartitionKey: "q", RowKey: "3" });
  const { QueryComparisons: is, TableOperators } = TableUtilities;
  const guid = "c9da6455-213d-42c9-9a79-3e9149a57833";
  const { TableQuery: Q } = client;
  const either = Q.combineFilters(Q.int32Filter("i32", is.EQUAL, 8), TableOperators.OR, Q.stringFilter("RowKey", is.EQUAL, "3"));
  const cases = [
    ["PartitionKey == ?", ["q"], "q3"],
    ["text == ?", ["it's"], "p2"],
    ["i32 > ? and i32 <= ?", [0, 8], "p2"],
    [Q.int32Filter("i32", is.LESS_THAN, 0), [], "p1"],
    [Q.int64Filter("i64", is.EQUAL, "9223372036854775807"), [], "p1"],
    [Q.doubleFilter("d", is.GREATER_THAN, 2.25), [], "p1"],
    [Q.booleanFilter("yes", is.EQUAL, true), [], "p1"],
    [Q.dateFilter("when", is.GREATER_THAN_OR_EQUAL, new Date("2013-08-02T17:37:43.009Z")), [], "p1"],
    [Q.guidFilter("id", is.EQUAL, guid), [], "p1"],
    [Q.binaryFilter("bytes", is.EQUAL, Buffer.from([0, 1, 255])), [], "p1"],
    [Q.stringFilter("text", is.NOT_EQUAL, "it's"), [], "p1"], // no comparison matches an entity without the property
    [either, [], "p2,q3"],
  ];
  for (const [condition, values, want] of cases) {
    const { entries } = (await call("queryEntities", "Queries", new client.TableQuery().where(condition, ...values), null)).result;
    assert.equal(keys(entries).join(), want, condition);
  }
  const some = new client.TableQuery().select("i32", "none").where("PartitionKey == ?", "p").and("RowKey == ?", "2").or("RowKey == ?", "1").top(1);
  assert.deepEqual(some.toQueryObject(), { $select: "i32,none", $top: 1, $filter: "PartitionKey eq 'p' and RowKey eq '2' or RowKey eq '1'" });
  const page = await call("queryEntities", "Queries", some, null);
  assert.deepEqual(page.result.entries.map(({ i32, text }) => [i32._, text]), [[-7, undefined]]);
  const rest = await call("queryEntities", "Queries", some, page.result.continuationToken);
  assert.deepEqual([rest.result.entries.map(({ i32 }) => i32._), rest.result.continuationToken], [[8], null]);
  await assert.rejects(call("queryEntities", "Queries", new client.TableQuery().where("i32 eq"), null), refusedAs(400, "InvalidInput"));
});

test("a batch contains any write operations or one read", async () => {
  await call("createTable", "Batches");
  const entity = (RowKey, more) => ({ PartitionKey: client.String("p"), RowKey: client.String(RowKey), ...more }); // batches need typed keys
  for (const RowKey of ["merged", "replaced", "deleted"]) await call("insertEntity", "Batches", entity(RowKey, { old: 1 }));
  const batch = new client.TableBatch();
  assert.equal(batch.hasOperations(), false);
  batch.insertEntity(entity("quiet", { fresh: 1 }));
  batch.insertEntity(entity("echoed é", { fresh: 1 }), { echoContent: true, payloadFormat: FULL_METADATA });
  batch.mergeEntity(entity("merged", { fresh: 1 }));
  batch.replaceEntity(entity("replaced", { fresh: 1 }));
  batch.insertOrMergeEntity(entity("made", { fresh: 1 }));
  batch.insertOrReplaceEntity(entity("put", { fresh: 1 }));
  batch.deleteEntity(entity("deleted"));
  batch.addOperation("INSERT", entity("removed"));
  assert.deepEqual([batch.size(), batch.getOperation(7).type], [8, "INSERT"]);
  batch.removeOperation(7);
  const { result } = await call("executeBatch", "Batches", batch);
  assert.deepEqual(result.map(({ response }) => response.statusCode), [204, 201, 204, 204, 204, 204, 204]);
  assert.deepEqual(result.map(({ response }) => response.headers["content-id"] ?? null), [null, "1", "2", "3", "4", "5", "6"]);
  assert.equal(result[1].entity[".metadata"].editLink ?? result[1].entity[".metadata"].edit, "Batches(PartitionKey='p',RowKey='echoed%20%C3%A9')");
  assert.equal(result[1].entity.RowKey._, "echoed é");
  const { entries } = (await call("queryEntities", "Batches", null, null)).result;
  assert.deepEqual(entries.map(({ RowKey, old, fresh }) => `${RowKey._} ${old?._ ?? 0}${fresh?._ ?? 0}`),
    ["echoed é 01", "made 01", "merged 11", "put 01", "quiet 01", "replaced 01"]);

  batch.clear();
  batch.retrieveEntity("p", "merged");
  const [{ entity: read }] = (await call("executeBatch", "Batches", batch)).result;
  assert.deepEqual([read.old._, read.fresh._], [1, 1]);

  const failing = new client.TableBatch();
  failing.insertEntity(entity("new"));
  failing.insertEntity(entity("merged"));
  await assert.rejects(call("executeBatch", "Batches", failing), (error) => {
    assert.match(error.message, /^1:The specified entity already exists\./);
    return refusedAs(409, "EntityAlreadyExists")(error);
  });
  await assert.rejects(call("retrieveEntity", "Batches", "p", "new"), refusedAs(404, "ResourceNotFound"));
});

test("service properties and statistics", async () => {
  const before = (await call("getServiceProperties")).result;
  const wanted = {
    Logging: { Version: "1.0", Delete: true, Read: true, Write: true, RetentionPolicy: { Enabled: true, Days: 10 } },
    HourMetrics: { Version: "1.0", Enabled: true, IncludeAPIs: true, RetentionPolicy: { Enabled: true, Days: 10 } },
    MinuteMetrics: { Version: "1.0", Enabled: false, RetentionPolicy: { Enabled: false } },
    Cors: {
      CorsRule: [
        { AllowedOrigins: ["www.azure.com", "www.microsoft.com"], AllowedMethods: ["GET", "PUT"], AllowedHeaders: ["x-ms-meta-xyz", "x-ms-meta-data*"], ExposedHeaders: ["x-ms-meta-abc"], MaxAgeInSeconds: 500 },
      ],
    },
  };
  await new Promise((resolve, reject) => service.setServiceProperties(wanted, (error, response) => (error ? reject(error) : resolve(response))));
  assert.deepEqual(JSON.parse(JSON.stringify((await call("getServiceProperties")).result)), wanted);
  await new Promise((resolve, reject) => service.setServiceProperties(before, (error, response) => (error ? reject(error) : resolve(response))));
  await assert.rejects(call("getServiceStats"), refusedAs(400, "InvalidQueryParameterValue"));
  const { GeoReplication } = (await call("getServiceStats", { locationMode: LocationMode.SECONDARY_ONLY })).result;
  assert.equal(GeoReplication.Status, "live");
  assert.ok(Math.abs(Date.now() - new Date(GeoReplication.LastSyncTime)) < 60_000);
});

test("the secondary endpoint allows reads and refuses writes", async () => {
  await call("createTableIfNotExists", "Secondary");
  await call("insertEntity", "Secondary", { PartitionKey: "p", RowKey: "r", n: 1 });
  const locationMode = LocationMode.SECONDARY_ONLY;
  const { entries } = (await call("queryEntities", "Secondary", null, null, { locationMode })).result;
  assert.deepEqual(keys(entries), ["pr"]);
  assert.equal((await call("doesTableExist", "Secondary", { locationMode })).result.exists, true);
  const only = new client.TableService(here.account, here.key, { primaryHost: `${here.path}-secondary` });
  await assert.rejects(callOf(only)("insertEntity", "Secondary", { PartitionKey: "p", RowKey: "s" }),
    refusedAs(403, "InsufficientAccountPermissions"));
});

test("a SAS and a stored access policy grant what they name", async () => {
  await call("createTable", "Signed");
  await call("insertEntity", "Signed", { PartitionKey: "p", RowKey: "r" });
  const Start = new Date(Date.now() - 3600_000);
  const Expiry = new Date(Date.now() + 3600_000);
  const holder = (sas) => callOf(new client.TableService(null, null, here.path, sas));
  const own = service.generateSharedAccessSignature("Signed", { AccessPolicy: { Permissions: "r", Start, Expiry, Protocols: "https,http", IPAddressOrRange: "127.0.0.1", StartPk: "p", EndPk: "p" } });
  assert.equal((await holder(own)("retrieveEntity", "Signed", "p", "r")).result.RowKey._, "r");
  await assert.rejects(holder(own)("insertEntity", "Signed", { PartitionKey: "p", RowKey: "s" }), refusedAs(403, "AuthorizationPermissionMismatch"));
  await assert.rejects(holder(own.replace("sp=r", "sp=a"))("insertEntity", "Signed", { PartitionKey: "p", RowKey: "s" }), refusedAs(403, "AuthenticationFailed"));

  await call("setTableAcl", "Signed", { readers: { Start, Expiry, Permissions: "r" } });
  const { signedIdentifiers } = (await call("getTableAcl", "Signed")).result;
  assert.deepEqual(Object.keys(signedIdentifiers), ["readers"]);
  assert.deepEqual([new Date(signedIdentifiers.readers.Expiry).getTime(), signedIdentifiers.readers.Permissions], [Expiry.getTime(), "r"]);
  const byId = service.generateSharedAccessSignature("Signed", { Id: "readers" });
  assert.equal(service.getUrl("Signed", byId), `${here.path}/Signed?${byId}`);
  assert.equal((await holder(byId)("retrieveEntity", "Signed", "p", "r")).result.RowKey._, "r");
  await assert.rejects(call("getTableAcl", "Missing"), refusedAs(404, "TableNotFound")); // in XML
  await call("setTableAcl", "Signed", null);
  await assert.rejects(holder(byId)("retrieveEntity", "Signed", "p", "r"), refusedAs(403, "AuthenticationFailed"));
});

test("a wrong key is refused everywhere", async () => {
  const wrong = callOf(new client.TableService(here.account, "d3Jvbmc=", here.path));
  await assert.rejects(wrong("listTablesSegmented", null), refusedAs(403, "AuthenticationFailed"));
});

// Must stay last: it checks which methods the tests above called.
test("every public method was called", () => {
  assert.deepEqual([...recorded.missing].filter((name) => !name.includes("._") && !name.endsWith(".super_")), []);
});
