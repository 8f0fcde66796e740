// Azurite's documented connection strings with Azure's SDK for JavaScript: the server replaces Azurite without a
// change to the program. Only the port differs here, because another program may be using 10002.
import assert from "node:assert/strict";
import { TableClient, TableServiceClient } from "@azure/data-tables";
import { native } from "../lib/native.mjs";
import { test } from "../lib/test.mjs";

// Azurite's flags must be accepted.
const here = native(undefined, "--silent", "--loose", "--skipApiVersionCheck", "--disableTelemetry", "--tableHost", "127.0.0.1", "--inMemoryPersistence");
const key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/** A pipeline policy that redirects the emulator's port to ours. */
const toOurPort = () => ({
  policy: {
    name: "toOurPort",
    sendRequest(request, next) {
      assert.equal(new URL(request.url).port, "10002");
      request.url = request.url.replace(":10002/", `:${here.port}/`);
      return next(request);
    },
  },
  position: "perRetry",
});

const services = (host) => ["Blob", "Queue", "Table"].map((s, i) => `${s}Endpoint=http://${host}:1000${i}/devstoreaccount1;`).join("");

for (const [name, connection] of Object.entries({
  "UseDevelopmentStorage=true": "UseDevelopmentStorage=true",
  "127.0.0.1": `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${key};${services("127.0.0.1")}`,
  "localhost": `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${key};${services("localhost")}`,
  "an account in the host": `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${key};TableEndpoint=http://devstoreaccount1.table.localhost:10002/;`,
})) {
  test(name, async () => {
    const options = { allowInsecureConnection: true, additionalPolicies: [toOurPort()], agent: here.options.agent };
    const service = TableServiceClient.fromConnectionString(connection, options);
    const table = "Emulated" + name.replace(/[^a-z0-9]/gi, "");
    await service.createTable(table);
    const client = TableClient.fromConnectionString(connection, table, options);
    await client.createEntity({ partitionKey: "p", rowKey: "r", n: 1 });
    await client.submitTransaction([["upsert", { partitionKey: "p", rowKey: "s", n: 2 }]]);
    const found = [];
    for await (const entity of client.listEntities({ queryOptions: { filter: "n gt 0" } })) found.push(entity.rowKey);
    assert.deepEqual(found, ["r", "s"]);
    await client.deleteTable();
  });
}
