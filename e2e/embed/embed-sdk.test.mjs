// Every method of @azure/data-tables through Sandtable's HttpClient and through
// fetch, with and without a service worker: the results are the same.

import assert from "node:assert/strict";
import { after, before, test } from "../lib/test.mjs";
import { dropProfile, launch, newProfile } from "../lib/browser.mjs";
import { everyMethod, pageOf, serveSite, visitSite } from "../lib/embed-site.mjs";

let profile, browser, site;

before(async () => {
  profile = await newProfile();
  browser = await launch(profile);
  site = await serveSite("/", { "index.html": pageOf(), "plain/index.html": pageOf('{ fallback: "worker" }', "../sandtable.js").replace("sdk.js", "../sdk.js") });
});

after(async () => {
  await browser?.close();
  site?.stop();
  await dropProfile(profile);
});

const ways = [
  ["service worker, fetch", "", "byfetch", false],
  ["service worker, messages", "", "bymessage", true],
  ["plain worker, fetch", "plain/index.html", "plainfetch", false],
  ["plain worker, messages", "plain/index.html", "plainmessage", true],
];

for (const [way, path, account, direct] of ways) {
  test(way, async (t) => {
    const page = await visitSite(browser, site.url + path);
    assert.equal(page.outcome, "started");
    await everyMethod(t, page, account, direct);
    await page.close();
  });
}

/** Sends a pipeline request by fetch and by messages; returns both responses. */
const both = (page, request) =>
  page.evaluate(async (request) => {
    const make = () => ({ timeout: 0, withCredentials: false, requestId: "1", ...request, headers: new Map(Object.entries(request.headers ?? {})), url: request.url.replace("ENDPOINT", sandtable.endpoint()) });
    const whole = async (client) => {
      const response = await client.sendRequest(make()).catch((error) => ({ error: error.name }));
      if (response.error) return response;
      const headers = Object.fromEntries(Object.entries(response.headers.toJSON()).filter(([name]) => !["date", "x-ms-request-id", "etag"].includes(name)));
      return { status: response.status, headers: Object.entries(headers).sort(), body: response.bodyAsText.replace(/x-ms-request-id|RequestId:\S+|Time:\S+/g, "").replace(/batchresponse_\S+|changesetresponse_\S+|W\/"[^"]*"/g, "") };
    };
    const byFetch = {
      async sendRequest(request) {
        const sent = fetch(request.url, { method: request.method, headers: [...request.headers], body: request.body, cache: "no-store" });
        const response = await sent.catch((error) => Promise.reject(Object.assign(error, { name: "RestError" }))); // as the SDK's own client does
        return { status: response.status, headers: { toJSON: () => Object.fromEntries(response.headers) }, bodyAsText: await response.text() };
      },
    };
    return [await whole(byFetch), await whole(sandtable.httpClient)];
  }, request);

const json = { accept: "application/json;odata=nometadata", "content-type": "application/json" };
const requests = [
  ["tables", { method: "GET", url: "ENDPOINT/Tables", headers: json }],
  ["nothing but an address", { method: "GET", url: "ENDPOINT/Tables" }],
  ["a table that is not there", { method: "GET", url: "ENDPOINT/None()", headers: json }],
  ["a malformed filter", { method: "GET", url: "ENDPOINT/Tables?$filter=x%20eq", headers: json }],
  ["an odd address", { method: "GET", url: "ENDPOINT/%zz", headers: json }],
  ["a fragment", { method: "GET", url: "ENDPOINT/Tables#x", headers: json }],
  ["MERGE", { method: "MERGE", url: "ENDPOINT/None(PartitionKey='a',RowKey='%C3%A9')", headers: json, body: '{"a":"é"}' }],
  ["a method in lower case", { method: "patch", url: "ENDPOINT/None(PartitionKey='a',RowKey='b')", headers: { ...json, "if-match": "*" }, body: "{}" }],
  ["a body without a type", { method: "POST", url: "ENDPOINT/Tables", headers: { accept: json.accept }, body: '{"TableName":"Abc"}' }],
  ["a body that is too long", { method: "POST", url: "ENDPOINT/Tables", headers: json, body: "x".repeat(5 << 20) }],
  ["headers that a page may not set", { method: "GET", url: "ENDPOINT/Tables", headers: { ...json, date: "x", host: "x", "accept-charset": "x" } }],
  ["a header that cannot be sent", { method: "GET", url: "ENDPOINT/Tables", headers: { "x-ms-client-request-id": "\u4e00" } }],
  ["a header in Latin-1", { method: "GET", url: "ENDPOINT/Tables", headers: { ...json, "x-ms-client-request-id": "\u00e9" } }],
  ["a preflight's method", { method: "OPTIONS", url: "ENDPOINT/Tables", headers: json }],
  ["HEAD", { method: "HEAD", url: "ENDPOINT/Tables", headers: json }],
  ["an unused host", { method: "GET", url: "http://localhost:1/", allowInsecureConnection: true }],
];

test("messages and fetch get the same responses", async (t) => {
  const page = await visitSite(browser, site.url);
  for (const [name, request] of requests) {
    await t.test(name, async () => {
      const [byFetch, byMessage] = await both(page, request);
      assert.deepEqual(byMessage, byFetch);
    });
  }
});

test("a request to a foreign account goes to the network", async () => {
  const page = await visitSite(browser, site.url);
  await page.setRequestInterception(true);
  page.on("request", (outgoing) =>
    new URL(outgoing.url()).hostname === "production.table.core.windows.net"
      ? outgoing.respond({ status: 200, headers: { "access-control-allow-origin": "*", "access-control-allow-headers": "*" }, body: '{"value":[{"TableName":"Theirs"}]}', contentType: "application/json" })
      : outgoing.continue(),
  );
  const names = await page.evaluate(async () => {
    const names = [];
    for await (const { name } of new sdk.TableServiceClient("https://production.table.core.windows.net", { httpClient: sandtable.httpClient }).listTables()) names.push(name);
    return names;
  });
  assert.deepEqual(names, ["Theirs"]);
});

test("a request can be aborted before and during its response", async () => {
  const page = await visitSite(browser, site.url);
  const results = await page.evaluate(async () => {
    const client = new sdk.TableServiceClient(sandtable.endpoint(), { httpClient: sandtable.httpClient });
    const result = (promise) => promise.then(() => "done", ({ name }) => name);
    const list = (abortSignal) => client.listTables({ abortSignal }).next();
    const controller = new AbortController();
    const during = result(list(controller.signal));
    controller.abort();
    const like = { aborted: false, addEventListener() {}, removeEventListener() {} };
    return [await result(list(AbortSignal.abort())), await during, await result(list(like)), await result(client.listTables({ requestOptions: { timeout: 60_000 } }).next())];
  });
  assert.deepEqual(results, ["AbortError", "AbortError", "done", "done"]);
});

test("bodies have the type that the pipeline requests, and progress is reported", async () => {
  const page = await visitSite(browser, site.url);
  const result = await page.evaluate(async () => {
    const url = sandtable.endpoint() + "/Tables";
    const progress = [];
    const base = { method: "GET", url, headers: [["accept", "application/json;odata=nometadata"]], timeout: 0 };
    const blob = await sandtable.httpClient.sendRequest({ ...base, streamResponseStatusCodes: new Set([200]) });
    const stream = await sandtable.httpClient.sendRequest({ ...base, streamResponseStatusCodes: new Set([Infinity]), enableBrowserStreams: true });
    const { bodyAsText } = await sandtable.httpClient.sendRequest({ ...base, onDownloadProgress: ({ loadedBytes }) => progress.push(loadedBytes) });
    const bodies = [];
    for (const body of [new TextEncoder().encode('{"TableName":"A1b"}'), new Blob(['{"TableName":"A2b"}']), () => new Blob(['{"TableName":"A3b"}']).stream()]) {
      const { status } = await sandtable.httpClient.sendRequest({ ...base, method: "POST", headers: [["content-type", "application/json"], ["accept", "application/json"]], body, onUploadProgress: ({ loadedBytes }) => progress.push(loadedBytes) });
      bodies.push(status);
    }
    return { same: (await (await blob.blobBody).text()) === bodyAsText && (await new Response(stream.browserStreamBody).text()) === bodyAsText, none: blob.bodyAsText === undefined, progress: progress[0] === bodyAsText.length && progress.slice(1), bodies };
  });
  assert.deepEqual(result, { same: true, none: true, progress: [19, 19, 19], bodies: [201, 201, 201] });
});
