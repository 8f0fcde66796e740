// What a page waits for, in one run in Chromium. Ratios are comparable between
// machines, times are not.

import { dropProfile, launch, newProfile, stopWorkers } from "../lib/browser.mjs";
import { serveApp } from "../lib/app.mjs";
import { open } from "../lib/page.mjs";
import { serveBaselines } from "./baselines.mjs";
import { measureDirect } from "./direct.mjs";

const rounds = Number(process.env.ROUNDS ?? 2000);
const starts = Number(process.env.STARTS ?? 15);

const endpoint = "https://devstoreaccount1.table.core.windows.net";
const json = { accept: "application/json;odata=nometadata", "content-type": "application/json" };
const point = [`${endpoint}/bench(PartitionKey='p',RowKey='r')`, { headers: json }];
const table = [`${endpoint}/Tables`, { method: "POST", headers: json, body: JSON.stringify({ TableName: "bench" }) }];

/** An entity whose JSON has some 400 bytes. */
function entity(RowKey) {
  return { PartitionKey: "p", RowKey, Name: "x".repeat(200), Count: 42, Price: 12.5, Active: true, Note: "y".repeat(40) };
}

function insert(RowKey) {
  const headers = { ...json, prefer: "return-no-content" };
  return [`${endpoint}/bench`, { method: "POST", headers, body: JSON.stringify(entity(RowKey)) }];
}

/** Sends requests one after the other in the page; returns the milliseconds of each. */
function times(page, requests, expected) {
  return page.evaluate(
    async (requests, expected) => {
      const times = [];
      for (const [url, options] of requests) {
        const start = performance.now();
        const response = await fetch(url, options);
        await response.arrayBuffer();
        times.push(performance.now() - start);
        if (response.status !== expected) {
          throw new Error(`${url}: status ${response.status}, not ${expected}`);
        }
      }
      return times;
    },
    requests,
    expected,
  );
}

/** Sends a request to a worker that was stopped, again and again. */
async function coldStarts(page, request) {
  const all = [];
  for (let i = 0; i < starts; i++) {
    await stopWorkers(page);
    all.push(...(await times(page, [request], 200)));
  }
  return all;
}

function quantile(times, q) {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * q)];
}

function print(rows) {
  console.log("in Chromium".padEnd(43) + "  p50 ms   p95 ms   ratio  promise");
  for (const { what, times, over, promise } of rows) {
    const p50 = quantile(times, 0.5);
    const ratio = over === undefined ? "" : (p50 / quantile(over, 0.5)).toFixed(2);
    const cells = [p50.toFixed(2).padStart(8), quantile(times, 0.95).toFixed(2).padStart(8), ratio.padStart(7), (promise ?? "").padStart(8)];
    console.log(what.padEnd(43) + cells.join(" "));
  }
}

/** All that is measured, in slices that take turns: the machine's moods hit everyone. */
async function measure(pages) {
  const results = { constant: [], append: [], read: [], insert: [] };
  const slices = 10;
  const many = (request) => Array(Math.ceil(rounds / slices)).fill(request);
  const post = ["measured", { method: "POST", body: JSON.stringify(entity("r")) }];
  for (let slice = -1; slice < slices; slice++) {
    const rows = many().map((_, i) => insert(`${slice} ${i}`));
    const turn = {
      constant: await times(pages.constant, many(["measured", {}]), 200),
      read: await times(pages.sandtable, many(point), 200),
      append: await times(pages.append, many(post), 200),
      insert: await times(pages.sandtable, rows, 204),
    };
    for (const name of slice < 0 ? [] : Object.keys(turn)) {
      results[name].push(...turn[name]); // the first slice is for warming up
    }
  }
  return results;
}

const profile = await newProfile();
const app = await serveApp();
const baselines = await serveBaselines();
const browser = await launch(profile);
try {
  const pages = {
    constant: await open(browser, baselines.url + "/constant/"),
    append: await open(browser, baselines.url + "/append/"),
    sandtable: await open(browser, app.url),
  };
  await times(pages.sandtable, [table], 201);
  await times(pages.sandtable, [insert("r")], 204);
  const { constant, append, read, insert: inserts } = await measure(pages);
  const coldConstant = await coldStarts(pages.constant, ["measured", {}]);
  const cold = await coldStarts(pages.sandtable, point);
  print([
    { what: "constant from a JavaScript worker", times: constant },
    { what: "the same after one IndexedDB append", times: append },
    { what: "point read", times: read, over: constant, promise: "<= 1.25" },
    { what: "durable insert", times: inserts, over: append, promise: "<= 1.30" },
    { what: "worker stopped, then the constant", times: coldConstant },
    { what: "worker stopped, then a point read", times: cold, over: coldConstant, promise: "250 ms" },
  ]);
  await measureDirect(browser);
} finally {
  await browser.close();
  baselines.stop();
  await app.stop();
  await dropProfile(profile);
}
