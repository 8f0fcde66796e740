// Every public method of @azure/data-tables in Node.js with the account's key,
// against the native server under cloud host names: those of Azure Storage, and
// those of Cosmos DB, for which the SDK sends some requests differently.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import * as module from "@azure/data-tables";
import { record } from "../lib/calls.mjs";
import { native } from "../lib/native.mjs";
import { cases, context } from "../lib/sdk-cases.mjs";

const { sdk, missing } = record(module);
let keyed;
const here = native(({ host: address, account, key, options }) => {
  keyed = context(sdk, { address, account, key, options });
});
let cosmos;
native(({ port, account, key, options }) => {
  cosmos = context(sdk, { address: `http://${account}.table.cosmos.azure.com:${port}`, account, key, options });
});

/** Converts a value as a page would return it: no undefined, dates as text. */
const plain = (value) => JSON.parse(JSON.stringify(value));

for (const { name, run, want } of cases) {
  test(name, async () => {
    assert.deepEqual(plain(await run(keyed)), want);
  });
}

for (const { name, run, want, wantOfCosmos, cosmosLacks } of cases) {
  test(`Cosmos DB: ${name}`, async () => {
    if (cosmosLacks) {
      await assert.rejects(run(cosmos), { statusCode: 501 });
      return;
    }
    assert.deepEqual(plain(await run(cosmos)), wantOfCosmos ? { ...want, ...wantOfCosmos } : want);
  });
}

test("clients are created from a connection string", async () => {
  const options = { allowInsecureConnection: true };
  const service = sdk.TableServiceClient.fromConnectionString(here.connection, options);
  await service.createTable("Connected");
  const client = sdk.TableClient.fromConnectionString(here.connection, "Connected", options);
  const { etag } = await client.createEntity({ partitionKey: "p", rowKey: "r" });
  assert.equal((await client.getEntity("p", "r")).etag, etag);
});

test("a client signs with an updated key", async () => {
  const credential = new sdk.AzureNamedKeyCredential(here.account, "d3Jvbmc=");
  const client = new sdk.TableServiceClient(here.host, credential, here.options);
  assert.deepEqual(await keyed.refused(client.getProperties()), [403, "AuthenticationFailed"]);
  credential.update(here.account, here.key);
  assert.deepEqual([credential.name, credential.key], [here.account, here.key]);
  assert.equal(await keyed.refused(client.getProperties()), "done");
});

test("a client sends an updated SAS", async () => {
  const key = new sdk.AzureNamedKeyCredential(here.account, here.key);
  const sas = sdk.generateAccountSas(key, { permissions: { list: true } });
  const credential = new sdk.AzureSASCredential(sas.replace(/sig=[^&]*/, "sig=d3Jvbmc%3D"));
  const service = new sdk.TableServiceClient(here.host, credential, here.options);
  assert.deepEqual(await keyed.refused(keyed.all(service.listTables())), [403, "AuthenticationFailed"]);
  credential.update(sas);
  assert.equal(credential.signature, sas);
  assert.equal(await keyed.refused(keyed.all(service.listTables())), "done");
  await keyed.service.createTable("Readable");
  const reader = new sdk.TableClient(here.host, "Readable", new sdk.AzureSASCredential(sdk.generateTableSas("Readable", key)), here.options);
  assert.deepEqual(await keyed.all(reader.listEntities()), []);
});

// Must stay last: it checks which methods the tests above called.
test("every public method was called", () => {
  missing.delete("new RestError"); // the SDK throws it for every refusal above
  assert.deepEqual([...missing], []);
});
