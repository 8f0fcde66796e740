// SAS made by @azure/data-tables against the native server: what each grants,
// and how every way to tamper with one is refused.

import assert from "node:assert/strict";
import { describe, test } from "../lib/test.mjs";
import * as sdk from "@azure/data-tables";
import { native } from "../lib/native.mjs";
import { context } from "../lib/sdk-cases.mjs";

const hour = 3600_000;
const soon = () => new Date(Date.now() + hour);
const ago = () => new Date(Date.now() - hour);

let owner;
const here = native(async ({ host: address, account, key, options }) => {
  owner = context(sdk, { address, account, key, options });
  for (const name of ["Letters", "Other", "Policied"]) {
    await owner.service.createTable(name);
    for (const partitionKey of ["A", "B", "C", "D"]) {
      for (const rowKey of ["1", "2", "3"]) await owner.client(name).createEntity({ partitionKey, rowKey });
    }
  }
});

/** Letters as the SDK has permissions. */
function permissions(letters) {
  const names = { r: "query", w: "write", d: "delete", l: "list", a: "add", u: "update" };
  return Object.fromEntries([...letters].map((letter) => [names[letter], true]));
}

const key = () => new sdk.AzureNamedKeyCredential(here.account, here.key);
const accountSAS = ({ sp = "rwdlau", ...more } = {}) => sdk.generateAccountSas(key(), { permissions: permissions(sp), expiresOn: soon(), ...more });
const tableSAS = ({ sp = "raud", table = "Letters", ...more } = {}) =>
  sdk.generateTableSas(table, key(), { permissions: permissions(sp), expiresOn: soon(), ...more });

/** Clients that have a SAS and nothing else. */
const holder = (sas) => context(sdk, { address: here.host, sas, options: here.options });

const read = (c, pk = "A", rk = "1", table = "Letters") => c.refused(c.client(table).getEntity(pk, rk));
const list = (c, table = "Letters") => c.refused(c.all(c.client(table).listEntities()));

/** Every operation, in a form that leaves the table as it was if it is refused. */
const operations = {
  "get properties": (c) => c.refused(c.service.getProperties()),
  "set properties": (c) => c.refused(c.service.setProperties({ minuteMetrics: { version: "1.0", enabled: false, retentionPolicy: { enabled: false } } })),
  statistics: (c) => c.refused(c.service.getStatistics()),
  "list tables": (c) => c.refused(c.all(c.service.listTables())),
  "create table": (c) => c.refused(c.service.createTable("Letters")),
  "delete table": (c) => c.refused(c.service.deleteTable("Missing")),
  "get policies": (c) => c.refused(c.client("Letters").getAccessPolicy()),
  "set policies": (c) => c.refused(c.client("Letters").setAccessPolicy([])),
  query: (c) => list(c),
  get: (c) => read(c),
  insert: (c) => c.refused(c.client("Letters").createEntity({ partitionKey: "A", rowKey: "new" })),
  merge: (c) => c.refused(c.client("Letters").updateEntity({ partitionKey: "A", rowKey: "1" }, "Merge")),
  replace: (c) => c.refused(c.client("Letters").updateEntity({ partitionKey: "A", rowKey: "1" }, "Replace")),
  "upsert, merging": (c) => c.refused(c.client("Letters").upsertEntity({ partitionKey: "A", rowKey: "1" }, "Merge")),
  "upsert, replacing": (c) => c.refused(c.client("Letters").upsertEntity({ partitionKey: "A", rowKey: "1" }, "Replace")),
  batch: (c) => c.refused(c.client("Letters").submitTransaction([["create", { partitionKey: "A", rowKey: "newer" }], ["delete", { partitionKey: "A", rowKey: "newer2" }]])),
  delete: (c) => c.refused(c.client("Letters").deleteEntity("A", "new")),
};

const permission = [403, "AuthorizationPermissionMismatch"];
const type = [403, "AuthorizationResourceTypeMismatch"];
const never = [403, "AuthorizationFailure"];
const failed = [403, "AuthenticationFailed"];
const missing = [404, "ResourceNotFound"];

/** What each operation answers; those not named are to be refused as `otherwise` says. */
async function assertGrants(sas, granted, otherwise) {
  const c = holder(sas);
  const got = {};
  const want = {};
  for (const [name, run] of Object.entries(operations)) {
    got[name] = await run(c);
    want[name] = granted[name] ?? otherwise(name);
  }
  assert.deepEqual(got, want);
}

const typeOf = (name) => (/properties|statistics/.test(name) ? "s" : / tables?$/.test(name) ? "c" : "o");
const policies = { "get policies": never, "set policies": never };

describe("account SAS", () => {
  const cases = [
    ["r", { "get properties": "done", statistics: "done", query: "done", get: "done" }],
    ["w", { "set properties": "done", "create table": "done" }],
    ["l", { "list tables": "done" }],
    ["a", { insert: "done" }],
    ["u", { merge: "done", replace: "done" }],
    ["au", { insert: [409, "EntityAlreadyExists"], merge: "done", replace: "done", "upsert, merging": "done", "upsert, replacing": "done" }],
    ["d", { "delete table": "done", delete: "done" }],
    ["ad", { "delete table": "done", insert: "done", delete: "done", batch: missing }],
  ];
  for (const [sp, granted] of cases) {
    test(`sp=${sp} grants what it says`, () => assertGrants(accountSAS({ sp }), { ...granted, ...policies }, () => permission));
  }

  for (const resourceTypes of ["s", "c", "o"]) {
    test(`srt=${resourceTypes} grants what it says`, async () => {
      const all = {
        s: { "get properties": "done", "set properties": "done", statistics: "done" },
        c: { "list tables": "done", "create table": "done", "delete table": "done" },
        o: {
          query: "done", get: "done", insert: [409, "EntityAlreadyExists"], merge: "done", replace: "done",
          "upsert, merging": "done", "upsert, replacing": "done", batch: missing, delete: "done",
        },
      };
      if (resourceTypes === "o") await owner.client("Letters").createEntity({ partitionKey: "A", rowKey: "new" });
      await assertGrants(accountSAS({ resourceTypes }), { ...all[resourceTypes], ...policies }, (name) => {
        assert.notEqual(typeOf(name), resourceTypes);
        return type;
      });
    });
  }

  test("other services are not tables", async () => {
    assert.deepEqual(await read(holder(accountSAS({ services: { blob: true, queue: true } }))), [403, "AuthorizationServiceMismatch"]);
    assert.equal(await read(holder(accountSAS({ services: { blob: true, table: true } }))), "done");
  });
});

describe("table SAS", () => {
  const cases = [
    ["r", { query: "done", get: "done" }],
    ["a", { insert: "done" }],
    ["u", { merge: "done", replace: "done" }],
    ["d", { delete: "done" }],
    ["au", { insert: "done", merge: "done", replace: "done", "upsert, merging": "done", "upsert, replacing": "done" }],
    ["ad", { insert: [409, "EntityAlreadyExists"], delete: "done", batch: missing }],
  ];
  for (const [sp, granted] of cases) {
    test(`sp=${sp} grants what it says`, () =>
      assertGrants(tableSAS({ sp }), granted, (name) => (typeOf(name) === "o" && !(name in policies) ? permission : never)));
  }

  test("another table is out of reach", async () => {
    const c = holder(tableSAS());
    assert.deepEqual(await read(c, "A", "1", "Other"), never);
    assert.deepEqual(await list(c, "Other"), never);
  });

  test("the table's name may be written in any case", async () => {
    assert.equal(await read(holder(tableSAS({ table: "lETTERS" }))), "done");
  });

  const ranges = [
    ["partitions", { startPartitionKey: "B", endPartitionKey: "C" }, ["B1", "B2", "B3", "C1", "C2", "C3"]],
    ["rows", { startPartitionKey: "B", startRowKey: "2", endPartitionKey: "C", endRowKey: "1" }, ["B2", "B3", "C1"]],
    ["one entity", { startPartitionKey: "B", startRowKey: "2", endPartitionKey: "B", endRowKey: "2" }, ["B2"]],
    ["from", { startPartitionKey: "C", startRowKey: "3" }, ["C3", "D1", "D2", "D3"]],
    ["until", { endPartitionKey: "A", endRowKey: "2" }, ["A1", "A2"]],
  ];
  for (const [name, range, within] of ranges) {
    test(`a key range bounds reads and writes: ${name}`, async () => {
      const c = holder(tableSAS({ table: "Other", ...range }));
      const client = c.client("Other");
      const keys = (await c.all(client.listEntities())).map(({ partitionKey, rowKey }) => partitionKey + rowKey);
      assert.deepEqual(keys, within);
      const got = {};
      const want = {};
      for (const partitionKey of ["A", "B", "C", "D"]) {
        for (const rowKey of ["1", "2", "3"]) {
          const entity = { partitionKey, rowKey };
          got[partitionKey + rowKey] = [
            await read(c, partitionKey, rowKey, "Other"),
            await c.refused(client.updateEntity(entity, "Merge")),
            await c.refused(client.upsertEntity(entity, "Replace")),
            await c.refused(client.createEntity(entity)),
            await c.refused(client.submitTransaction([["upsert", entity]])),
          ];
          want[partitionKey + rowKey] = within.includes(partitionKey + rowKey)
            ? ["done", "done", "done", [409, "EntityAlreadyExists"], "done"]
            : [missing, never, never, never, never];
        }
      }
      assert.deepEqual(got, want);
    });
  }
});

for (const [kind, make] of [["account", accountSAS], ["table", tableSAS]]) {
  describe(`when, where and how: ${kind} SAS`, () => {
    const cases = [
      ["valid from an hour ago", { startsOn: ago() }, "done"],
      ["not valid yet", { startsOn: soon(), expiresOn: new Date(Date.now() + 2 * hour) }, failed],
      ["expired", { startsOn: new Date(Date.now() - 2 * hour), expiresOn: ago() }, failed],
      ["over http or https", { protocol: "https,http" }, "done"],
      ["over https alone", { protocol: "https" }, [403, "AuthorizationProtocolMismatch"]],
      ["from here", { ipRange: { start: "127.0.0.1" } }, "done"],
      ["from a range with this machine", { ipRange: { start: "127.0.0.0", end: "127.0.0.255" } }, "done"],
      ["from elsewhere", { ipRange: { start: "10.0.0.1" } }, [403, "AuthorizationSourceIPMismatch"]],
      ["from a range without this machine", { ipRange: { start: "10.0.0.1", end: "10.0.0.9" } }, [403, "AuthorizationSourceIPMismatch"]],
      ["of 2015-04-05", { version: "2015-04-05" }, "done"],
      ["of 2018-11-09", { version: "2018-11-09" }, "done"],
    ];
    for (const [name, more, want] of cases) {
      test(name, async () => {
        const c = holder(make(more));
        assert.deepEqual([await read(c), await list(c)], [want, want]);
      });
    }
  });

  describe(`tampering: ${kind} SAS`, () => {
    const narrow = {
      sp: "r",
      startsOn: ago(),
      protocol: "https,http",
      ipRange: { start: "127.0.0.1", end: "127.0.0.9" },
      ...(kind === "table" && { startPartitionKey: "A", startRowKey: "1", endPartitionKey: "B", endRowKey: "2" }),
    };
    const set = (name, value) => (query) => {
      assert.ok(query.has(name) && query.get(name) !== value, `${name} is in the SAS, and another`);
      query.set(name, value);
    };
    const drop = (name) => (query) => {
      assert.ok(query.has(name), `${name} is in the SAS`);
      query.delete(name);
    };
    const add = (name, value) => (query) => {
      assert.ok(!query.has(name), `${name} is not in the SAS`);
      query.set(name, value);
    };
    const changes = {
      "more permissions": set("sp", "raud"),
      "no permissions": drop("sp"),
      "an earlier start": set("st", "2020-01-01T00:00:00Z"),
      "no start": drop("st"),
      "a later expiry": set("se", "2099-01-01T00:00:00Z"),
      "no expiry": drop("se"),
      "another way to write the same expiry": (query) => query.set("se", query.get("se").replace("Z", ".0Z")),
      "an older version": set("sv", "2015-04-05"),
      "a newer version": set("sv", "2020-12-06"),
      "no version": drop("sv"),
      "another protocol": set("spr", "https"),
      "no protocol": drop("spr"),
      "more addresses": set("sip", "0.0.0.0-255.255.255.255"),
      "all addresses": drop("sip"),
      "a signature cut short": (query) => query.set("sig", query.get("sig").slice(0, -4)),
      "a signature with another letter": (query) => query.set("sig", query.get("sig").replace(/^./, (c) => (c === "A" ? "B" : "A"))),
      "an empty signature": set("sig", ""),
      "no Base64 in the signature": set("sig", "*"),
      ...(kind === "account"
        ? {
            "more services": set("ss", "bfqt"),
            "no services": drop("ss"),
            "more resource types": (query) => query.set("srt", query.get("srt") + "o"),
            "no resource types": drop("srt"),
          }
        : {
            "another table": set("tn", "Other"),
            "no table": drop("tn"),
            "a policy": add("si", "read"),
            "an earlier first partition": set("spk", "0"),
            "no first partition": drop("spk"),
            "an earlier first row": set("srk", "0"),
            "no first row": drop("srk"),
            "a later last partition": set("epk", "Z"),
            "no last partition": drop("epk"),
            "a later last row": set("erk", "9"),
            "no last row": drop("erk"),
          }),
    };

    test("untouched, it is let in", async () => assert.equal(await read(holder(make(narrow))), "done"));

    for (const [name, change] of Object.entries(changes)) {
      test(name, async () => {
        const query = new URLSearchParams(make(narrow));
        change(query);
        const c = holder(query.toString());
        assert.deepEqual([await read(c), await list(c), await read(c, "A", "1", "Other")], [failed, failed, failed]);
      });
    }

    test("another account's key", async () => {
      const other = new sdk.AzureNamedKeyCredential(here.account, "d3Jvbmc=");
      const sas = kind === "account" ? sdk.generateAccountSas(other) : sdk.generateTableSas("Letters", other);
      assert.deepEqual(await read(holder(sas)), failed);
    });

    test("another account's name", async () => {
      const other = new sdk.AzureNamedKeyCredential("otheraccount", here.key);
      const sas = kind === "account" ? sdk.generateAccountSas(other) : sdk.generateTableSas("Letters", other);
      assert.deepEqual(await read(holder(sas)), failed);
    });
  });
}

test("no signature at all is as no credentials", async () => {
  const query = new URLSearchParams(tableSAS());
  query.delete("sig");
  assert.deepEqual(await read(holder(query.toString())), missing);
});

describe("access policies", () => {
  const signed = (identifier, more = {}) => sdk.generateTableSas("Policied", key(), { identifier, ...more });
  const table = () => owner.client("Policied");
  const reads = (sas) => read(holder(sas), "A", "1", "Policied");
  const policy = (id, more) => ({ id, accessPolicy: { start: ago(), expiry: soon(), permission: "r", ...more } });

  test("grant what they say, until they are revoked", async () => {
    const sas = signed("readers");
    assert.deepEqual(await reads(sas), failed, "before there is a policy");
    await table().setAccessPolicy([policy("readers"), policy("writers", { permission: "au" })]);
    assert.equal(await reads(sas), "done");
    assert.deepEqual(await reads(signed("Readers")), failed, "ids differ by case");
    assert.deepEqual(await reads(signed("writers")), permission);
    const writer = holder(signed("writers"));
    assert.equal(await writer.refused(writer.client("Policied").upsertEntity({ partitionKey: "A", rowKey: "1", n: 1 })), "done");
    await table().setAccessPolicy([policy("writers", { permission: "r" })]);
    assert.deepEqual(await reads(sas), failed, "revoked");
    assert.equal(await reads(signed("writers")), "done", "with another permission");
    await table().setAccessPolicy([policy("readers", { expiry: ago() })]);
    assert.deepEqual(await reads(sas), failed, "expired");
    await table().setAccessPolicy([policy("readers", { start: soon(), expiry: new Date(Date.now() + 2 * hour) })]);
    assert.deepEqual(await reads(sas), failed, "not valid yet");
    await table().setAccessPolicy([]);
    assert.deepEqual(await reads(signed("writers")), failed, "all revoked");
  });

  test("leave to the SAS what they do not say, and say alone what they say", async () => {
    await table().setAccessPolicy([{ id: "times", accessPolicy: { start: ago(), expiry: soon() } }, { id: "letters", accessPolicy: { permission: "r" } }, { id: "name" }]);
    const conflict = [400, "InvalidQueryParameterValue"];
    const r = permissions("r");
    assert.equal(await reads(signed("times", { permissions: r })), "done");
    assert.equal(await reads(signed("letters", { expiresOn: soon() })), "done");
    assert.equal(await reads(signed("name", { permissions: r, expiresOn: soon() })), "done");
    assert.deepEqual(await reads(signed("times")), permission);
    assert.deepEqual(await reads(signed("letters")), failed, "no expiry anywhere");
    assert.deepEqual(await reads(signed("times", { permissions: r, expiresOn: soon() })), conflict);
    assert.deepEqual(await reads(signed("letters", { permissions: r, expiresOn: soon() })), conflict);
  });

  test("are of one table, and end with it", async () => {
    await owner.service.createTable("Short");
    await owner.client("Short").createEntity({ partitionKey: "A", rowKey: "1" });
    await owner.client("Short").setAccessPolicy([policy("own")]);
    const sas = sdk.generateTableSas("Short", key(), { identifier: "own" });
    assert.equal(await read(holder(sas), "A", "1", "Short"), "done");
    assert.deepEqual(await reads(signed("own")), failed);
    await owner.service.deleteTable("Short");
    await owner.service.createTable("Short");
    assert.deepEqual(await read(holder(sas), "A", "1", "Short"), failed);
  });
});
