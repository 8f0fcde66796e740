// 100,000 entities imported, kept in memory, read and scanned: by Sandtable
// through fetch and the service worker, and by Dexie directly in a page.

import { once } from "node:events";
import { createServer } from "node:http";
import { build } from "esbuild";
import { serveBaselines } from "./baselines.mjs";
import { installLoad } from "./entities.mjs";
import { atMost, median, ms, print, progress, quantile } from "./report.mjs";
import { checkpointed, endpoint, openLoaded, scattered, stored, times, visit, workerMemory } from "./visit.mjs";

const entities = Number(process.env.ENTITIES ?? 100_000);
const rounds = { read: 500, partition: 50, rank: 10 };

/** The schemas that Dexie is measured with, each for its own table. */
const schemas = {
  "one text as key": "id",
  "compound key": "[PartitionKey+RowKey]",
  "compound key, index on the filter's property": "[PartitionKey+RowKey], Rank",
};

/** Serves an empty page for Dexie. */
async function servePage() {
  const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>dexie</title>"));
  server.listen(0, "localhost");
  await once(server, "listening");
  return { url: `http://localhost:${server.address().port}/`, stop: () => (server.close(), server.closeAllConnections()) };
}

function dexieBundle() {
  const stdin = { contents: 'export { Dexie } from "dexie";', resolveDir: import.meta.dirname };
  return build({ stdin, bundle: true, write: false, format: "iife", globalName: "dexie", minify: true }).then(({ outputFiles }) => outputFiles[0].text);
}

/** Defines `peer` in a page, with the same operations as `load`. Pages run its source, so it captures nothing. */
function installDexie() {
  const id = ({ PartitionKey, RowKey }) => `${PartitionKey} ${RowKey}`;
  let table;

  async function open(name, schema) {
    const database = new dexie.Dexie(name);
    database.version(1).stores({ entities: schema });
    table = database.entities;
    await database.open();
  }

  const record = (n) => {
    const e = { ...load.entity(n), Timestamp: new Date() };
    return table.schema.primKey.name === "id" ? { id: id(e), ...e } : e;
  };

  /** Adds entities in transactions of a given size; returns the total milliseconds. */
  async function fill(count, each) {
    const start = performance.now();
    for (let n = 0; n < count; n += each) {
      await table.bulkAdd(Array.from({ length: each }, (_, i) => record(n + i)));
    }
    return performance.now() - start;
  }

  const queries = {
    read: (n) => {
      const e = load.entity(n);
      return table.get(table.schema.primKey.name === "id" ? id(e) : [e.PartitionKey, e.RowKey]).then((found) => [found]);
    },
    partition: (n) => {
      const { PartitionKey } = load.entity(n);
      return table.schema.primKey.name === "id"
        ? table.where("id").between(`${PartitionKey} `, `${PartitionKey}!`).toArray()
        : table.where("[PartitionKey+RowKey]").between([PartitionKey, dexie.Dexie.minKey], [PartitionKey, dexie.Dexie.maxKey]).toArray();
    },
    rank: (n) => {
      const rank = n % 10_000;
      return table.schema.indexes.length > 0 ? table.where("Rank").equals(rank).toArray() : table.filter(({ Rank }) => Rank === rank).toArray();
    },
  };

  /** Runs one query per number; returns the milliseconds of each. */
  async function times(name, numbers, expected) {
    const took = [];
    for (const n of numbers) {
      const start = performance.now();
      const found = await queries[name](n);
      took.push(performance.now() - start);
      if (found.length !== expected || found[0] === undefined) throw new Error(`${name} ${n}: ${found.length} entities`);
    }
    return took;
  }

  globalThis.peer = { open, fill, times };
}

async function openDexie(browser, url, bundle, name, schema) {
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  await page.goto(url);
  await page.evaluate(bundle + ";globalThis.dexie = dexie;");
  await page.evaluate(installLoad, endpoint);
  await page.evaluate(installDexie);
  await page.evaluate((...args) => peer.open(...args), name, schema);
  return page;
}

/** Alternates the queries, so that varying machine load affects all alike. */
async function query(page, peers) {
  const results = [page, ...peers].map(() => ({ read: [], partition: [], rank: [] }));
  const expected = { read: 1, partition: 500, rank: entities / 10_000 };
  for (const [name, count] of Object.entries(rounds)) {
    for (let slice = 0; slice < 5; slice++) {
      const numbers = scattered(count / 5, entities, slice * count);
      results[0][name].push(...(await times(page, name, "Bench", numbers)));
      for (const [i, peer] of peers.entries()) {
        results[i + 1][name].push(...(await peer.evaluate((...args) => peer.times(...args), name, numbers, expected[name])));
      }
    }
  }
  return results;
}

/** The same load for a worker that only appends and returns as many bytes. */
async function fillNothing(browser) {
  const baselines = await serveBaselines();
  try {
    const page = await openLoaded(browser, baselines.url + "/transactions/");
    return await page.evaluate((n) => load.fill("Bench", 0, n), entities);
  } finally {
    baselines.stop();
  }
}

export async function imports() {
  await visit(async ({ app, browser, open }) => {
    const page = await open();
    await page.evaluate(() => load.send("create", "Bench"));
    const host = await servePage();
    try {
      const memory = [await workerMemory(browser, app.url)];
      progress(`import: ${entities} entities by transactions of 100`);
      const fills = [await page.evaluate((n) => load.fill("Bench", 0, n), entities)];
      memory.push(await workerMemory(browser, app.url));
      await checkpointed(page);
      const { blocks } = await stored(page);
      progress("import: the same, for a worker that only appends");
      const floor = await fillNothing(browser);
      const peers = [];
      const bundle = await dexieBundle();
      for (const [what, schema] of Object.entries(schemas)) {
        progress(`import: Dexie, ${what}`);
        const peer = await openDexie(browser, host.url, bundle, what, schema);
        fills.push(await peer.evaluate((n) => peer.fill(n, n), entities));
        peers.push(peer);
      }
      const batches = await openDexie(browser, host.url, bundle, "transactions", schemas["compound key"]);
      progress("import: Dexie, compound key, by transactions of 100");
      const filledByBatches = await batches.evaluate((n) => peer.fill(n, 100), entities);
      progress("import: queries");
      const results = await query(page, peers);
      memory.push(await workerMemory(browser, app.url));
      printImport(fills[0], floor, memory, blocks.bytes, results[0]);
      printPeers(fills, filledByBatches, results);
    } finally {
      host.stop();
    }
  });
}

function printImport(fill, floor, [before, after, scanned], data, { rank }) {
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  print([`${entities} entities`, "", "promise"], [
    ["imported through fetch by transactions of 100, 4 at once", `${(fill / 1000).toFixed(2)} s`],
    ["the same, for a worker that only appends as much and answers as much", `${(floor / 1000).toFixed(2)} s`],
    ["over that", (fill / floor).toFixed(2), atMost(1.25, fill / floor)],
    ["the entities as they are stored", megabytes(data)],
    ["one of them", `${(data / entities).toFixed(0)} bytes`],
    ["the worker's memory before", megabytes(before)],
    ["after the import", megabytes(after)],
    ["after scans of them all", megabytes(scanned)],
    ["neither the data nor there before", megabytes(scanned - data - before), "40 MB"],
    ["memory for one, then", `${((scanned - before) / entities).toFixed(0)} bytes`],
    [`scan of them all with a filter that matches ${entities / 10_000}`, `${ms(median(rank))} ms`],
    ["that is, an entity", `${((median(rank) * 1e6) / entities).toFixed(0)} ns`],
  ]);
}

function printPeers(fills, filledByBatches, results) {
  const [ours, ...theirs] = results;
  const kinds = { read: "point read", partition: "range of 500", rank: `filter that matches ${entities / 10_000}` };
  const heads = [`${entities} entities, p50 ms`, "Sandtable", ...Object.keys(schemas).map((name) => `Dexie, ${name}`)];
  const cell = (our, their) => `${ms(their)} (${(their / our).toFixed(2)})`;
  const rows = [["import, Dexie in one transaction", ms(fills[0]), ...fills.slice(1).map((fill) => cell(fills[0], fill))]];
  rows.push(["import, by transactions of 100", ms(fills[0]), "", cell(fills[0], filledByBatches)]);
  for (const [name, what] of Object.entries(kinds)) {
    rows.push([what, ms(median(ours[name])), ...theirs.map((their) => cell(median(ours[name]), median(their[name])))]);
  }
  print(heads, rows);
  console.log("In brackets: how many times Sandtable's. Sandtable is asked by fetch through the service worker, in JSON, each transaction durable;");
  console.log("Dexie is called in the page itself, with objects, one record for each entity. Table storage has no indexes other than its key.\n");
}
