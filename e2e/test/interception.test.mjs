// Which requests are answered here, and which are none of our business.

import assert from "node:assert/strict";
import { test } from "node:test";
import { request } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const here = visit(async ({ page }) => {
  // What leaves the page for the network is answered by the test itself.
  await page.setRequestInterception(true);
  page.on("request", (outgoing) => {
    const answer = { status: 200, headers: { "access-control-allow-origin": "*", "access-control-allow-headers": "*" }, body: "the network" };
    return new URL(outgoing.url()).hostname === "localhost" ? outgoing.continue() : outgoing.respond(answer);
  });
});

const addresses = [
  ["the public cloud", "https://devstoreaccount1.table.core.windows.net/Tables"],
  ["its secondary", "https://devstoreaccount1-secondary.table.core.windows.net/Tables"],
  ["China", "https://devstoreaccount1.table.core.chinacloudapi.cn/Tables"],
  ["the US government", "https://devstoreaccount1.table.core.usgovcloudapi.net/Tables"],
  ["Germany", "https://devstoreaccount1.table.core.cloudapi.de/Tables"],
  ["Cosmos DB", "https://devstoreaccount1.table.cosmosdb.azure.com/Tables"],
  ["Cosmos DB, as it was", "https://devstoreaccount1.table.cosmos.azure.com/Tables"],
  ["the emulator", "http://127.0.0.1:10002/devstoreaccount1/Tables"],
  ["the emulator by name", "http://localhost:10002/devstoreaccount1/Tables"],
  ["the page's own origin", "table/devstoreaccount1/Tables"],
];

for (const [name, address] of addresses) {
  test(`${name} is answered here`, async () => {
    const { status, text } = await request(here.page, address);
    assert.equal(status, 200, text);
    assert.ok(Array.isArray(JSON.parse(text).value), text);
  });
}

const foreign = [
  ["an account that does not live here", "https://production.table.core.windows.net/Tables"],
  ["another service of the account", "https://devstoreaccount1.blob.core.windows.net/"],
  ["another port", "https://devstoreaccount1.table.core.windows.net:8443/Tables"],
  ["a host that only ends alike", "https://devstoreaccount1.table.core.windows.net.example.com/Tables"],
  ["an account at the emulator that does not live here", "http://127.0.0.1:10002/production/Tables"],
];

for (const [name, address] of foreign) {
  test(`${name} is left to the network`, async () => {
    assert.equal((await request(here.page, address)).text, "the network");
  });
}

test("an account is answered here from its creation to its deletion", async () => {
  const address = "https://classroom.table.core.windows.net/Tables";
  assert.equal((await request(here.page, address)).text, "the network");
  const created = await request(here.page, "_sandtable/accounts", { method: "POST", body: JSON.stringify({ name: "classroom" }) });
  assert.equal(created.status, 201, created.text);
  assert.deepEqual(JSON.parse((await request(here.page, address)).text).value, []);
  assert.equal((await request(here.page, "_sandtable/accounts/classroom", { method: "DELETE" })).status, 204);
  assert.equal((await request(here.page, address)).text, "the network");
});

test("XMLHttpRequest is answered as fetch is", async () => {
  const status = await here.page.evaluate(
    (address) =>
      new Promise((resolve) => {
        const asked = new XMLHttpRequest();
        asked.open("GET", address);
        asked.onloadend = () => resolve(asked.status);
        asked.send();
      }),
    "https://devstoreaccount1.table.core.windows.net/Tables",
  );
  assert.equal(status, 200);
});

test("page and worker are of one build", async () => {
  const status = JSON.parse((await request(here.page, "_sandtable/status")).text);
  assert.equal(status.build, await here.page.evaluate(() => goappGetenv("GOAPP_VERSION")));
  assert.equal(status.store, "indexeddb");
});

test("no answer of the service is kept in a cache", async () => {
  const kept = await here.page.evaluate(async () => {
    const urls = [];
    for (const name of await caches.keys()) {
      for (const { url } of await (await caches.open(name)).keys()) urls.push(url);
    }
    return urls;
  });
  assert.ok(kept.length > 5);
  assert.deepEqual(kept.filter((url) => url.includes("/table/") || url.includes(".table.") || url.includes(":10002")), []);
});
