// The unchanged @azure/data-tables in a page, using the cloud's own address.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { connection } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const here = visit(async (here) => {
  here.connectionString = (await connection(here.page)).connectionString;
});

/** Runs a function in the page with a table client made from the connection string. */
function inPage(table, work, ...args) {
  const source = `(async (client, service, ...args) => (${work})(client, service, ...args))`;
  return here.page.evaluate(
    async (connectionString, table, source, args) => {
      const client = sdk.TableClient.fromConnectionString(connectionString, table);
      const service = sdk.TableServiceClient.fromConnectionString(connectionString);
      try {
        return await eval(source)(client, service, ...args);
      } catch (error) {
        return { failed: { status: error.statusCode, code: error.code ?? error.details?.odataError?.code, message: error.message } };
      }
    },
    here.connectionString,
    table,
    source,
    args,
  );
}

/** Asserts that the function did not fail. */
async function succeeds(...args) {
  const result = await inPage(...args);
  assert.equal(result?.failed, undefined, JSON.stringify(result?.failed));
  return result;
}

test("the connection string names the cloud's address", () => {
  assert.match(here.connectionString, /^TableEndpoint=https:\/\/devstoreaccount1\.table\.core\.windows\.net;SharedAccessSignature=.*sig=/);
});

test("a table is created, listed and deleted", async () => {
  const names = await succeeds("Created", async (client, service) => {
    const list = async () => {
      const names = [];
      for await (const { name } of service.listTables()) names.push(name);
      return names;
    };
    await client.createTable();
    await client.createTable(); // the SDK treats 409 as success
    const before = await list();
    await client.deleteTable();
    return [before, await list()];
  });
  assert.ok(names[0].includes("Created"));
  assert.ok(!names[1].includes("Created"));
});

test("an entity with a property of every type round-trips", async () => {
  const [sent, got] = await succeeds("Types", async (client) => {
    const sent = {
      partitionKey: "types é",
      rowKey: "it's 100%",
      string: "“text” with 🜚 and \u0001",
      empty: "",
      int32: -2147483648,
      int64: { type: "Int64", value: "9223372036854775807" },
      double: 1.5,
      whole: { type: "Double", value: "3" },
      nan: { type: "Double", value: "NaN" },
      yes: true,
      no: false,
      when: new Date("2026-11-20T21:00:00.123Z"),
      guid: { type: "Guid", value: "12345678-9abc-def0-1234-56789abcdef0" },
      bytes: new Uint8Array([0, 1, 127, 128, 255]),
    };
    await client.createTable();
    await client.createEntity(sent);
    const got = await client.getEntity(sent.partitionKey, sent.rowKey, { disableTypeConversion: true });
    const plain = await client.getEntity(sent.partitionKey, sent.rowKey);
    return [
      { ...sent, when: sent.when.toISOString(), bytes: [...sent.bytes] },
      { ...got, converted: { when: plain.when.toISOString(), bytes: [...plain.bytes], int64: String(plain.int64), whole: plain.whole, string: plain.string } },
    ];
  });
  const { converted } = got;
  for (const name of ["partitionKey", "rowKey"]) {
    assert.equal(got[name], sent[name], name);
  }
  const typed = (value, type) => ({ value: String(value), type });
  assert.deepEqual(typed(got.int64.value, got.int64.type), typed(sent.int64.value, "Int64"));
  assert.deepEqual(typed(got.guid.value, got.guid.type), typed(sent.guid.value, "Guid"));
  assert.equal(got.string.value ?? got.string, sent.string);
  assert.equal(got.empty.value ?? got.empty, "");
  assert.equal(Number(got.int32.value ?? got.int32), sent.int32);
  assert.equal(Number(got.double.value ?? got.double), sent.double);
  // JSON carries no type for a double without a fraction; the SDK reads every whole number as an Int32.
  assert.equal(Number(got.whole.value ?? got.whole), 3);
  assert.equal(String(got.nan.value), "NaN");
  assert.equal(String(got.yes.value ?? got.yes), "true");
  assert.equal(String(got.no.value ?? got.no), "false");
  assert.deepEqual(converted, { when: sent.when, bytes: sent.bytes, int64: sent.int64.value, whole: 3, string: sent.string });
  assert.match(got.etag, /^W\/"datetime'.+'"$/);
});

test("queries filter and select", async () => {
  const { found, selected } = await succeeds("Queries", async (client) => {
    await client.createTable();
    for (let i = 0; i < 30; i++) {
      await client.createEntity({ partitionKey: i < 20 ? "a" : "b", rowKey: String(i).padStart(2, "0"), number: i, even: i % 2 === 0 });
    }
    const query = async (queryOptions) => {
      const rows = [];
      for await (const row of client.listEntities({ queryOptions })) rows.push(row);
      return rows;
    };
    const filter = sdk.odata`PartitionKey eq ${"a"} and number ge ${10} and even eq ${true}`;
    return { found: await query({ filter }), selected: await query({ filter: "RowKey eq '03'", select: ["number", "none"] }) };
  });
  assert.deepEqual(found.map(({ rowKey }) => rowKey), ["10", "12", "14", "16", "18"]);
  assert.equal(selected.length, 1);
  assert.equal(selected[0].number, 3);
  assert.equal(selected[0].even, undefined);
});

test("2,500 entities are read page by page", async () => {
  const { pages, keys } = await succeeds("Pages", async (client) => {
    await client.createTable();
    for (let start = 0; start < 2500; start += 100) {
      const actions = [];
      for (let i = start; i < start + 100; i++) {
        actions.push(["create", { partitionKey: "p", rowKey: String(i).padStart(5, "0"), i }]);
      }
      await client.submitTransaction(actions);
    }
    const pages = [];
    for await (const page of client.listEntities().byPage()) pages.push(page.length);
    const keys = [];
    for await (const page of client.listEntities().byPage({ maxPageSize: 700 })) keys.push(...page.map(({ rowKey }) => rowKey));
    return { pages, keys };
  });
  assert.deepEqual(pages, [1000, 1000, 500]);
  assert.deepEqual(keys, Array.from({ length: 2500 }, (_, i) => String(i).padStart(5, "0")));
});

test("merge and replace succeed with the current ETag and fail with a stale one", async () => {
  const { refused, entity } = await succeeds("Stale", async (client) => {
    await client.createTable();
    const { etag: stale } = await client.createEntity({ partitionKey: "p", rowKey: "r", a: 1, b: 1 });
    const { etag } = await client.updateEntity({ partitionKey: "p", rowKey: "r", b: 2 }, "Merge", { etag: stale });
    const refused = [];
    for (const mode of ["Merge", "Replace"]) {
      await client.updateEntity({ partitionKey: "p", rowKey: "r", b: 9 }, mode, { etag: stale }).catch((error) => refused.push([error.statusCode, error.details?.odataError?.code]));
    }
    await client.deleteEntity("p", "r", { etag: stale }).catch((error) => refused.push([error.statusCode, error.details?.odataError?.code]));
    const merged = await client.getEntity("p", "r");
    await client.updateEntity({ partitionKey: "p", rowKey: "r", c: 3 }, "Replace", { etag });
    const replaced = await client.getEntity("p", "r");
    return { refused, entity: { merged: [merged.a, merged.b], replaced: [replaced.a ?? null, replaced.c] } };
  });
  assert.deepEqual(refused, Array(3).fill([412, "UpdateConditionNotSatisfied"]));
  assert.deepEqual(entity, { merged: [1, 2], replaced: [null, 3] });
});

test("a transaction of 100 operations is atomic", async () => {
  const { status, parts, count } = await succeeds("Batch", async (client) => {
    await client.createTable();
    const actions = Array.from({ length: 100 }, (_, i) => ["create", { partitionKey: "p", rowKey: String(i), i }]);
    const { status, subResponses } = await client.submitTransaction(actions);
    let count = 0;
    for await (const { i } of client.listEntities()) count += Number.isInteger(i);
    return { status, parts: subResponses.map(({ status, etag }) => [status, typeof etag]), count };
  });
  assert.equal(status, 202);
  assert.deepEqual(parts, Array(100).fill([204, "string"]));
  assert.equal(count, 100);
});

test("a transaction that fails changes nothing", async () => {
  const { refused, keys } = await succeeds("Failing", async (client) => {
    await client.createTable();
    await client.createEntity({ partitionKey: "p", rowKey: "there" });
    const refused = await client
      .submitTransaction([
        ["create", { partitionKey: "p", rowKey: "new" }],
        ["delete", { partitionKey: "p", rowKey: "there" }],
        ["create", { partitionKey: "p", rowKey: "other" }],
        ["update", { partitionKey: "p", rowKey: "missing" }, "Merge"],
      ])
      .catch((error) => ({ status: error.statusCode, code: error.details?.odataError?.code ?? error.code }));
    const keys = [];
    for await (const { rowKey } of client.listEntities()) keys.push(rowKey);
    return { refused, keys };
  });
  assert.equal(refused.status, 404);
  assert.equal(refused.code, "ResourceNotFound");
  assert.deepEqual(keys, ["there"]);
});

test("a deleted entity cannot be read", async () => {
  const failure = await inPage("Deleted", async (client) => {
    await client.createTable();
    await client.createEntity({ partitionKey: "p", rowKey: "r" });
    await client.deleteEntity("p", "r");
    return client.getEntity("p", "r");
  });
  assert.equal(failure.failed.status, 404);
});

test("an open account accepts no credential but refuses a wrong signature", async () => {
  const [open, forged] = await here.page.evaluate(async () => {
    const address = "https://devstoreaccount1.table.core.windows.net";
    const client = new sdk.TableClient(address, "Open");
    await client.createTable();
    const forged = "sv=2019-02-02&ss=t&srt=sco&sp=rwdlacu&se=2036-01-01T00%3A00%3A00Z&sig=AAAA";
    const refused = await new sdk.TableClient(address, "Open", new sdk.AzureSASCredential(forged)).createEntity({ partitionKey: "p", rowKey: "r" }).catch((error) => [error.statusCode, error.details?.odataError?.code]);
    let count = 0;
    for await (const entity of client.listEntities()) count += entity ? 1 : 0;
    return [count, refused];
  });
  assert.equal(open, 0);
  assert.deepEqual(forged, [403, "AuthenticationFailed"]);
});
