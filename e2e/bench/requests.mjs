// The cost of single requests, relative to service workers that return constants
// or only append to IndexedDB.

import { serveBaselines } from "./baselines.mjs";
import { atMost, median, ms, print, progress, quantile } from "./report.mjs";
import { openLoaded, range, scattered, times, visit } from "./visit.mjs";

const rounds = Number(process.env.ROUNDS ?? 2000);
const slices = 10;
const entities = 1000; // to read from

// Each measurement: its page, its request, the row it is compared with and the
// promised multiple of that row's p50.
const kinds = [
  { what: "constant from a JavaScript worker", name: "constant" },
  { what: "the same after one IndexedDB append", name: "append" },
  { what: "point read", name: "read", over: "constant", promise: 1.1 },
  { what: "durable insert", name: "insert", over: "append", promise: 1.1 },
];

/** Measures in alternating slices, so that varying machine load affects all alike. */
async function measure(pages, atOnce) {
  const results = new Map(kinds.map(({ name }) => [name, []]));
  const count = Math.ceil(rounds / slices);
  for (let slice = 0; slice <= slices; slice++) {
    for (const { name } of kinds) {
      const first = atOnce * 100 * entities + slice * count + entities; // inserts need unused keys
      const numbers = name === "insert" || name === "append" ? range(first, first + count) : scattered(count, entities, slice * count);
      const took = await times(pages[name], name, "Bench", numbers, atOnce);
      if (slice > 0) results.get(name).push(...took); // the first slice is the warm-up
    }
  }
  return results;
}

export async function requests() {
  await visit(async ({ browser, open }) => {
    const baselines = await serveBaselines();
    try {
      const sandtable = await open();
      const pages = { read: sandtable, insert: sandtable };
      pages.constant = await openLoaded(browser, baselines.url + "/constant/");
      pages.append = await openLoaded(browser, baselines.url + "/append/");
      await sandtable.evaluate(async (entities) => {
        await load.send("create", "Bench");
        await load.fill("Bench", 0, entities);
      }, entities);
      for (const atOnce of [1, 16]) {
        progress(`requests, ${atOnce} at once`);
        printTimes(atOnce, await measure(pages, atOnce));
      }
    } finally {
      baselines.stop();
    }
  });
}

function printTimes(atOnce, results) {
  const rows = kinds.map(({ what, name, over, promise }) => {
    const took = results.get(name);
    const cells = [what, ms(median(took)), ms(quantile(took, 0.99))];
    if (!over) return cells;
    const ratio = median(took) / median(results.get(over));
    return [...cells, ratio.toFixed(2), atOnce === 1 ? atMost(promise, ratio) : ""];
  });
  print([`requests, ${atOnce} at once`, "p50 ms", "p99 ms", "ratio", "promise"], rows);
}
