// Every public method of @azure/data-tables in a page: against the worker with a
// SAS credential, a SAS in the URL or no credential; and against the native
// server with a SAS across origins, allowed by CORS rules or by a flag.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { AzureNamedKeyCredential, TableServiceClient, generateAccountSas } from "@azure/data-tables";
import { record } from "../lib/calls.mjs";
import { native } from "../lib/native.mjs";
import { connection, json, request } from "../lib/page.mjs";
import { cases, context } from "../lib/sdk-cases.mjs";
import { visit } from "../lib/visit.mjs";

const methods = "DELETE,GET,HEAD,MERGE,POST,OPTIONS,PUT,PATCH";
const strict = native(async ({ connection }) => {
  const service = TableServiceClient.fromConnectionString(connection, { allowInsecureConnection: true });
  await service.setProperties({ cors: [{ allowedOrigins: "*", allowedMethods: methods, allowedHeaders: "*", exposedHeaders: "*", maxAgeInSeconds: 0 }] });
});
const permissive = native(() => {}, "-cors", "permissive");
const here = visit(({ page }) => page.evaluate(`globalThis.contexts = {}; globalThis.recorded = (${record})(sdk);`));

/** Creates a named context in the page. */
const prepare = (name, access) => here.page.evaluate(`(contexts[${JSON.stringify(name)}] = (${context})(recorded.sdk, ${JSON.stringify(access)}), 0)`);

/** Runs an async function in the page on a context. */
const inPage = async (name, work) => JSON.parse(await here.page.evaluate(`(async () => JSON.stringify(await (${work})(contexts[${JSON.stringify(name)}])))()`));

/** Creates an account in the worker. */
async function account(name) {
  const { status } = await request(here.page, "_sandtable/accounts", json({ name }));
  assert.equal(status, 201);
  const { endpoint, sas } = await connection(here.page, name);
  return { address: endpoint, sas };
}

/** Starts a native server; returns a SAS that grants everything the SDK uses. */
function served({ account, key, port }) {
  const permissions = { query: true, write: true, delete: true, list: true, add: true, update: true };
  return {
    // Chromium resolves every name under localhost to this machine.
    address: `http://${account}.localhost:${port}`,
    sas: generateAccountSas(new AzureNamedKeyCredential(account, key), { permissions, protocol: "https,http" }),
    options: { allowInsecureConnection: true },
  };
}

const ways = {
  "worker, SAS": () => account("bysas"),
  "worker, SAS in the address": async () => ({ ...(await account("byaddress")), sasInURL: true }),
  "worker, nothing": async () => ({ ...(await account("bynothing")), sas: undefined }),
  "native, SAS, rules": () => served(strict),
  "native, SAS, permissive": () => served(permissive),
};

for (const [way, access] of Object.entries(ways)) {
  test(way, async (t) => {
    const granted = await access();
    await prepare(way, granted);
    for (const { name, run, want, wantWithSAS } of cases) {
      await t.test(name, async () => {
        assert.deepEqual(await inPage(way, `(c) => ({ ${run} }).run(c)`), granted.sas ? (wantWithSAS ?? want) : want);
      });
    }
  });
}

test("an open account accepts any bearer token, except for access policies", async () => {
  const { address } = await account("bybearer");
  await prepare("bearer", { address });
  const result = await inPage("bearer", async ({ sdk, service: { url }, refused }) => {
    const credential = { getToken: async () => ({ token: "of nobody", expiresOnTimestamp: Date.now() + 3600_000 }) };
    const service = new sdk.TableServiceClient(url, credential);
    await service.createTable("Tokens");
    const client = new sdk.TableClient(url, "Tokens", credential);
    await client.createEntity({ partitionKey: "p", rowKey: "r", n: 1 });
    return { n: (await client.getEntity("p", "r")).n, policies: await refused(client.getAccessPolicy()) };
  });
  assert.deepEqual(result, { n: 1, policies: [404, "ResourceNotFound"] });
});

test("clients are created from a connection string", async () => {
  const { connectionString } = await connection(here.page);
  const result = await inPage("worker, SAS", `async ({ sdk, all }) => {
    const text = ${JSON.stringify(connectionString)};
    const client = sdk.TableClient.fromConnectionString(text, "Connected");
    await client.createTable();
    const filter = "TableName eq 'Connected'";
    return all(sdk.TableServiceClient.fromConnectionString(text).listTables({ queryOptions: { filter } }), "name");
  }`);
  assert.deepEqual(result, ["Connected"]);
});

test("a client sends an updated SAS", async () => {
  const { address, sas } = await account("changing");
  const result = await inPage("worker, SAS", `async ({ sdk, refused }) => {
    const credential = new sdk.AzureSASCredential(${JSON.stringify(sas.replace(/sig=[^&]*/, "sig=d3Jvbmc%3D"))});
    const service = new sdk.TableServiceClient(${JSON.stringify(address)}, credential);
    const before = await refused(service.getProperties());
    credential.update(${JSON.stringify(sas)});
    return [before, await refused(service.getProperties()), credential.signature === ${JSON.stringify(sas)}];
  }`);
  assert.deepEqual(result, [[403, "AuthenticationFailed"], "done", true]);
});

test("the worker refuses a tampered SAS although the account is open", async () => {
  const { address, sas } = await account("tampered");
  const changes = {
    sv: "2018-11-09", ss: "bqt", srt: "o", sp: "r", se: "2099-01-01T00:00:00Z", spr: "https", st: "2020-01-01T00:00:00Z", sip: "10.0.0.1", sig: "d3Jvbmc=",
  };
  const tokens = { "as it was": sas };
  for (const [name, value] of Object.entries(changes)) {
    const query = new URLSearchParams(sas);
    const there = query.has(name);
    query.set(name, value);
    tokens[`another ${name}`] = query.toString();
    query.delete(name);
    if (there && name !== "sig") tokens[`no ${name}`] = query.toString(); // without sig the request is unsigned
  }
  tokens["a signature cut short"] = sas.replace(/sig=([^&]*)/, (_, sig) => `sig=${sig.slice(0, 20)}`);
  const results = await inPage("worker, SAS", `async ({ sdk, all, refused }) => {
    const results = {};
    for (const [name, sas] of Object.entries(${JSON.stringify(tokens)})) {
      const service = new sdk.TableServiceClient(${JSON.stringify(address)}, new sdk.AzureSASCredential(sas));
      results[name] = await refused(all(service.listTables()));
    }
    return results;
  }`);
  for (const [name, result] of Object.entries(results)) {
    assert.deepEqual(result, name === "as it was" ? "done" : [403, "AuthenticationFailed"], name);
  }
  assert.equal(Object.keys(results).length, 1 + 9 + 6 + 1);
});

test("the SDK cannot sign in a page", async () => {
  const result = await inPage("worker, SAS", async ({ sdk, service, all }) => {
    const key = new sdk.AzureNamedKeyCredential("bysas", "d3Jvbmc=");
    key.update(key.name, key.key);
    const says = async (work) => Promise.resolve().then(work).then(() => "signed", (error) => error.message);
    return [
      await says(() => sdk.generateAccountSas(key)),
      await says(() => sdk.generateTableSas("Own", key)),
      await says(() => all(new sdk.TableServiceClient(service.url, key).listTables())),
    ];
  });
  for (const message of result) {
    assert.match(message, /is not supported in the browser/i);
  }
});

// Must stay last: it checks which methods the tests above called.
test("every public method was called", async () => {
  const missing = await here.page.evaluate(() => [...recorded.missing]);
  assert.deepEqual(missing.filter((name) => name !== "new RestError"), []);
  assert.deepEqual(here.page.problems, []);
});
