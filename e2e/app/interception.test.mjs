// Which requests the worker answers, and which go to the network.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { stopWorkers } from "../lib/browser.mjs";
import { json, request } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const here = visit(async ({ page }) => {
  // The test itself answers every request that reaches the network.
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
  ["China's secondary", "https://devstoreaccount1-secondary.table.core.chinacloudapi.cn/Tables"],
  ["the US government", "https://devstoreaccount1.table.core.usgovcloudapi.net/Tables"],
  ["Germany", "https://devstoreaccount1.table.core.cloudapi.de/Tables"],
  ["Cosmos DB", "https://devstoreaccount1.table.cosmosdb.azure.com/Tables"],
  ["Cosmos DB, as it was", "https://devstoreaccount1.table.cosmos.azure.com/Tables"],
  ["the emulator", "http://127.0.0.1:10002/devstoreaccount1/Tables"],
  ["the emulator's secondary", "http://127.0.0.1:10002/devstoreaccount1-secondary/Tables"],
  ["the emulator by name", "http://localhost:10002/devstoreaccount1/Tables"],
  ["the page's own origin", "table/devstoreaccount1/Tables"],
];

for (const [name, address] of addresses) {
  test(`${name} is answered by the worker`, async () => {
    const { status, text } = await request(here.page, address, { headers: { accept: "application/json" } });
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
  test(`${name} goes to the network`, async () => {
    assert.equal((await request(here.page, address)).text, "the network");
  });
}

test("the worker answers for an account from its creation to its deletion", async () => {
  const address = "https://classroom.table.core.windows.net/Tables";
  assert.equal((await request(here.page, address)).text, "the network");
  const created = await request(here.page, "_sandtable/accounts", json({ name: "classroom" }));
  assert.equal(created.status, 201, created.text);
  assert.deepEqual(JSON.parse((await request(here.page, address)).text).value, []);
  assert.equal((await request(here.page, "_sandtable/accounts/classroom", { method: "DELETE", headers: { "content-type": "application/json" } })).status, 204);
  assert.equal((await request(here.page, address)).text, "the network");
});

test("XMLHttpRequest is intercepted like fetch", async () => {
  const status = await here.page.evaluate(
    (address) =>
      new Promise((resolve) => {
        const xhr = new XMLHttpRequest();
        xhr.open("GET", address);
        xhr.onloadend = () => resolve(xhr.status);
        xhr.send();
      }),
    "https://devstoreaccount1.table.core.windows.net/Tables",
  );
  assert.equal(status, 200);
});

test("XMLHttpRequest carries methods, headers and bodies in both directions", async () => {
  const result = await here.page.evaluate(async (base) => {
    const send = (method, url, body, headers = {}) =>
      new Promise((resolve) => {
        const xhr = new XMLHttpRequest();
        xhr.open(method, base + url);
        xhr.responseType = "json";
        for (const [name, value] of Object.entries({ accept: "application/json;odata=nometadata", "content-type": "application/json", ...headers })) xhr.setRequestHeader(name, value);
        xhr.onloadend = () => resolve([xhr.status, xhr.response, xhr.getResponseHeader("preference-applied"), xhr.getResponseHeader("etag") !== null]);
        xhr.send(body);
      });
    return [
      await send("POST", "/Tables", '{"TableName":"ByXHR"}', { prefer: "return-no-content" }),
      await send("POST", "/ByXHR", '{"PartitionKey":"é","RowKey":"r","n":1}', { prefer: "return-no-content" }),
      await send("MERGE", "/ByXHR(PartitionKey='%C3%A9',RowKey='r')", '{"m":2}', { "if-match": "*" }),
      await send("GET", "/ByXHR(PartitionKey='%C3%A9',RowKey='r')?$select=n,m"),
      await send("DELETE", "/Tables('ByXHR')"),
    ];
  }, "https://devstoreaccount1.table.core.windows.net");
  assert.deepEqual(result, [
    [204, null, "return-no-content", false],
    [204, null, "return-no-content", true],
    [204, null, null, true],
    [200, { n: 1, m: 2 }, null, true],
    [204, null, null, false],
  ]);
});

test("a keepalive fetch and a beacon are answered by the worker", async () => {
  const address = "https://devstoreaccount1.table.core.windows.net";
  const headers = { "content-type": "application/json", accept: "application/json;odata=nometadata" };
  const create = (name, keepalive) => request(here.page, `${address}/Tables`, { method: "POST", headers, body: JSON.stringify({ TableName: name }), keepalive });
  assert.equal((await create("Keepalive", true)).status, 201);
  assert.equal((await create("Beacon", false)).status, 201);
  const found = await here.page.evaluate(async (address) => {
    const entity = new Blob(['{"PartitionKey":"p","RowKey":"r"}'], { type: "application/json" });
    if (!navigator.sendBeacon(`${address}/Beacon`, entity)) return "refused";
    for (;;) {
      // No event reports that a beacon was answered.
      const response = await fetch(`${address}/Beacon(PartitionKey='p',RowKey='r')`, { headers: { accept: "application/json" } });
      if (response.status === 200) return "found";
      await response.text();
    }
  }, address);
  assert.equal(found, "found");
  for (const name of ["Keepalive", "Beacon"]) await request(here.page, `${address}/Tables('${name}')`, { method: "DELETE" });
});

const frames = [
  ["of the site", (frame) => (frame.src = "gallery")],
  ["written into the page", (frame) => (frame.srcdoc = "<!doctype html>a frame")],
];

// Chromium does not let a service worker control these (C33).
const wildFrames = [
  ["that is empty", () => {}],
  ["of a blob", (frame) => (frame.src = URL.createObjectURL(new Blob(["<!doctype html>a frame"], { type: "text/html" })))],
];

for (const [name, fill] of [...frames, ...wildFrames]) {
  const answered = frames.some(([framed]) => framed === name);
  test(answered ? `requests of a frame ${name} are answered by the worker` : `requests of a frame ${name} go to the network`, async () => {
    const text = await here.page.evaluate(`(async () => {
      const frame = document.createElement("iframe");
      (${fill})(frame);
      const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
      document.body.append(frame);
      await loaded;
      const response = await frame.contentWindow.fetch("https://devstoreaccount1.table.core.windows.net/Tables", { headers: { accept: "application/json" } });
      const text = await response.text();
      frame.remove();
      return text;
    })()`);
    assert.equal(text === "the network", !answered, text);
    if (answered) assert.ok(Array.isArray(JSON.parse(text).value), text);
  });
}

test("requests of a page's own worker are answered", async () => {
  const status = await here.page.evaluate(async () => {
    const script = 'onmessage = async ({ data }) => postMessage((await fetch(data, { headers: { accept: "application/json" } })).status)';
    const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
    const answered = new Promise((resolve) => (worker.onmessage = ({ data }) => resolve(data)));
    worker.postMessage("https://devstoreaccount1.table.core.windows.net/Tables");
    const status = await answered;
    worker.terminate();
    return status;
  });
  assert.equal(status, 200);
});

test("Cosmos DB's hosts answer like Cosmos DB", async () => {
  const headers = { accept: "application/json;odata=minimalmetadata" };
  const azure = await request(here.page, "https://devstoreaccount1.table.core.windows.net/Tables", { headers });
  const cosmos = await request(here.page, "https://devstoreaccount1.table.cosmosdb.azure.com/Tables", { headers });
  assert.equal(cosmos.status, 200);
  assert.notEqual(azure.headers.server, undefined);
  assert.equal(cosmos.headers.server, undefined);
  assert.match(JSON.parse(cosmos.text)["odata.metadata"], /^https:\/\/devstoreaccount1\.table\.cosmosdb\.azure\.com\//);
});

test("a restarted worker passes foreign requests to the network from its first request on", async () => {
  // Accounts in the real cloud behave differently: see docs/decisions/0002.
  for (const [, address] of foreign.filter(([name]) => !name.startsWith("an account"))) {
    await stopWorkers(here.page);
    assert.equal((await request(here.page, address)).text, "the network", address);
  }
});

test("a restarted worker answers every address from its first request on", async () => {
  for (const [, address] of addresses) {
    await stopWorkers(here.page);
    const { status, text } = await request(here.page, address, { headers: { accept: "application/json" } });
    assert.equal(status, 200, `${address}: ${text}`);
  }
});

test("page and worker come from one build", async () => {
  const status = JSON.parse((await request(here.page, "_sandtable/status")).text);
  assert.equal(status.build, await here.page.evaluate(() => goappGetenv("GOAPP_VERSION")));
  assert.equal(status.store, "indexeddb");
});

test("no response of the service is cached", async () => {
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
