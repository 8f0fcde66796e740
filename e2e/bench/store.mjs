// The cost of a large store: the first read after the worker was stopped, and how
// long requests wait during a checkpoint.

import { serveApp } from "../lib/app.mjs";
import { watchWorkers } from "../lib/browser.mjs";
import { serveBaselines } from "./baselines.mjs";
import { atMost, median, ms, print, progress, quantile } from "./report.mjs";
import { checkpointed, openLoaded, range, recordTurns, scattered, stored, times, visit, workerMemory } from "./visit.mjs";

const sizes = (process.env.SIZES ?? "0,10000,100000,1000000").split(",").map(Number);
const starts = Number(process.env.STARTS ?? 9);
const step = 100_000; // entities between progress reports

const count = (n) => n.toLocaleString("en");

/** Creates a store of a given size on its own origin, and so with its own worker. */
async function makeStore(browser, size) {
  const app = await serveApp();
  const page = await openLoaded(browser, app.url);
  await page.evaluate(() => load.send("create", "Bench"));
  const begin = performance.now();
  for (let n = 0; n < size; n += step) {
    await page.evaluate((from, to) => load.fill("Bench", from, to), n, Math.min(n + step, size));
    progress(`store: ${count(Math.min(n + step, size))} entities, ${count(Math.round((Math.min(n + step, size) / (performance.now() - begin)) * 1000))} a second`);
  }
  await checkpointed(page);
  return { size, app, page, took: [], again: {} };
}

/** Stops all workers and times a request. */
async function coldTime(page, name, number) {
  const workers = await watchWorkers(page);
  await workers.stop();
  await workers.end();
  return (await times(page, name, "Bench", [number]))[0];
}

/** Reads a scattered entity, or a missing one in an empty store. */
function coldRead({ page, size }, round) {
  return size === 0 ? coldTime(page, "miss", 0) : coldTime(page, "read", (round * 7919) % size);
}

/** Alternates the starts, so that varying machine load affects all alike. */
async function measureStarts(browser, stores) {
  const baselines = await serveBaselines();
  const constant = [];
  try {
    const page = await openLoaded(browser, baselines.url + "/constant/");
    for (let round = -1; round < starts; round++) {
      const took = [await coldTime(page, "constant", 0)];
      for (const store of stores) {
        took.push(await coldRead(store, round + 1));
      }
      if (round < 0) continue; // warm-up
      constant.push(took.shift());
      stores.forEach((store) => store.took.push(took.shift()));
    }
  } finally {
    baselines.stop();
  }
  return constant;
}

/** What is written before starts with a WAL to replay. */
const logs = {
  "1,500 inserts": (page, size, round) => times(page, "insert", "Bench", range(size + round * 1500, size + (round + 1) * 1500), 16),
  "4,000 scattered replacements": (page, size) => times(page, "replace", "Bench", scattered(4000, size), 16),
};

/** The same for the smallest and the largest store with a WAL to replay. */
async function measureStartsWithLog([smallest, largest]) {
  for (const [name, write] of Object.entries(logs)) {
    largest.again[name] = [];
    smallest.again[name] = [];
    for (let round = 0; round < Math.ceil(starts / 2); round++) {
      progress(`store: start ${round + 1} after ${name}`);
      await write(largest.page, largest.size, round);
      largest.again[name].push(await coldRead(largest, round + 1));
      smallest.again[name].push(await coldRead(smallest, round + 1));
      await coldRead(largest, round + 2); // its worker was stopped too
      await checkpointed(largest.page);
    }
  }
}

/**
 * Replaces scattered entities, nearly each in another block, and reads until the
 * idle checkpoint has written those blocks.
 */
async function readDuringCheckpoint(page, size, changes) {
  const read = [];
  await times(page, "replace", "Bench", scattered(changes, size), 16);
  const turns = await recordTurns(page);
  let going = true;
  const done = checkpointed(page).finally(() => (going = false));
  for (let n = 1; going; n += 100) {
    read.push(...(await times(page, "read", "Bench", scattered(100, size, n))));
  }
  await done;
  return { read, turns: await turns.end() };
}

/** Reads while the page runs a function, given as source. */
async function readWhile(page, size, work, ...args) {
  const turns = await recordTurns(page);
  const read = await page.evaluate((size, work, args) => load.readWhile("Bench", size, load[work](...args)), size, work, args);
  return { read, turns: await turns.end() };
}

// What is promised of some of the waits.
const shortTurns = ({ turns }) => `longest turn ${atMost(8, quantile(turns, 1), "ms")}`;
const quickReads = ({ read }) => `p99 of reads ${atMost(60, quantile(read, 0.99), "ms")}`;

async function measureWaits({ page, size, app }) {
  const first = size + 1_000_000; // unused keys
  const waits = [];
  const measure = async (what, measuring, promise = () => "") => {
    progress(`store: reads ${what}`);
    const measured = await measuring;
    waits.push({ what, ...measured, promised: promise(measured) });
    await checkpointed(page);
  };
  await measure("without other requests", readWhile(page, size, "times", "read", "Bench", scattered(1500, size)));
  await measure("next to another reader's scans of 10,000", readWhile(page, size, "times", "range", "Bench", scattered(40, Math.floor(size / 10_000))));
  await measure("while a checkpoint writes some 500 blocks", readDuringCheckpoint(page, size, 500), shortTurns);
  await measure("while a checkpoint writes some 2,000 blocks", readDuringCheckpoint(page, size, 2000), shortTurns);
  await measure("next to inserts, 16 at once, in order", readWhile(page, size, "times", "insert", "Bench", range(first, first + 4000), 16));
  await measure("next to replacements, 16 at once, anywhere", readWhile(page, size, "times", "replace", "Bench", scattered(4000, size), 16));
  await measure("next to transactions of 100, 4 at once", readWhile(page, size, "fill", "Bench", first + 10_000, first + 40_000), quickReads);
  return waits;
}

export async function store() {
  await visit(async ({ browser }) => {
    const stores = [];
    try {
      for (const size of sizes) {
        stores.push(await makeStore(browser, size));
      }
      progress("store: starts");
      const constant = await measureStarts(browser, stores);
      for (const store of stores) {
        await coldRead(store, 1);
        store.memory = await workerMemory(browser, store.app.url);
      }
      await measureStartsWithLog([stores[0], stores.at(-1)]);
      printStarts(constant, stores);
      const largest = stores.at(-1);
      printStored(largest.size, await stored(largest.page));
      printWaits(largest.size, await measureWaits(largest));
    } finally {
      await Promise.all(stores.map(({ app }) => app.stop()));
    }
  });
}

function printStarts(constant, stores) {
  const [smallest] = stores;
  const largest = stores.at(-1);
  const rows = stores.map(({ size, took, memory }) => {
    const ratio = median(took) / median(smallest.took);
    const cells = [ms(median(took)), ms(Math.min(...took)), ms(Math.max(...took)), ratio.toFixed(2), atMost(1.5, ratio)];
    return [`point read of ${count(size)} entities`, ...cells, `${(memory / 1e6).toFixed(1)} MB`];
  });
  rows.unshift(["constant from a JavaScript worker", ms(median(constant)), ms(Math.min(...constant)), ms(Math.max(...constant))]);
  for (const [name, took] of Object.entries(largest.again)) {
    const ratio = median(took) / median(smallest.again[name]);
    rows.push([`point read of ${count(largest.size)} after ${name}`, ms(median(took)), ms(Math.min(...took)), ms(Math.max(...took)), ratio.toFixed(2), atMost(1.5, ratio)]);
  }
  print(["the worker was stopped", "p50 ms", "min ms", "max ms", "over the first", "promise", "memory"], rows);
}

function printWaits(size, waits) {
  const rows = waits.map(({ what, read, turns, promised }) => [
    what,
    count(read.length),
    ...[0.5, 0.99, 0.999, 1].map((q) => ms(quantile(read, q))),
    count(turns.length),
    ...[0.99, 0.999, 1].map((q) => ms(quantile(turns, q))),
    promised,
  ]);
  const heads = [`point reads of ${count(size)}, one after the other`, "reads", "p50 ms", "p99", "p99.9", "max", "turns", "p99 ms", "p99.9", "max", "promise"];
  print(heads, rows);
  console.log("A turn is what the engine does before the worker can do anything else, so the longest is what a slice of a checkpoint may hold a request for.\n");
}

function printStored(size, { blocks, state }) {
  console.log(`${count(size)} entities, and those inserted after: ${count(blocks.records)} blocks, ${(blocks.bytes / 1e6).toFixed(1)} MB; in addition ${(state.bytes / 1e3).toFixed(0)} kB\n`);
}
