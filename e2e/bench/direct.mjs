// The same point reads, inserts and imports by fetch and by messages, in an
// embedding page: requests one at a time and sixteen at once, in each browser or in
// those that BROWSERS names; the import's transactions of 100 four at once, in Chromium.

import { chosenEngines } from "../lib/browsers.mjs";
import { pageOf, serveSite, visitSite } from "../lib/embed-site.mjs";
import { installLoad } from "./entities.mjs";
import { median, ms, print, progress, quantile } from "./report.mjs";
import { visit } from "./visit.mjs";

const rounds = Number(process.env.ROUNDS ?? 2000);
const entities = Number(process.env.ENTITIES ?? 100_000);
const importRounds = 3;

/** How many times faster than fetch httpClient promises to be, for requests one at a time. */
const promises = { read: 8, insert: 3 };

/**
 * Runs in the page: the milliseconds of each request, in alternating slices, and of each
 * slice over its number of requests, because the clock of some browsers is coarse.
 */
async function measure(rounds) {
  const json = { accept: "application/json;odata=nometadata", "content-type": "application/json" };
  const base = sandtable.endpoint();
  let next = 0;
  const entity = (RowKey) => JSON.stringify({ PartitionKey: "p", RowKey, Name: "x".repeat(200), Count: 42, Price: 12.5, Active: true, Note: "y".repeat(40) });
  const read = () => ({ method: "GET", url: base + "/direct(PartitionKey='p',RowKey='r')", headers: json });
  const insert = () => ({ method: "POST", url: base + "/direct", headers: { ...json, prefer: "return-no-content" }, body: entity(String(next++)) });
  const ways = {
    async fetch({ url, ...options }) {
      const response = await fetch(url, options);
      await response.text();
      return response.status;
    },
    async messages({ headers, ...request }) {
      return (await sandtable.httpClient.sendRequest({ ...request, headers: Object.entries(headers), timeout: 0 })).status;
    },
  };
  await ways.fetch({ method: "POST", url: base + "/Tables", headers: json, body: '{"TableName":"direct"}' });
  await ways.fetch({ method: "POST", url: base + "/direct", headers: json, body: entity("r") });
  const slices = 5;
  const times = {};
  for (let slice = -1; slice < slices; slice++) {
    for (const [what, make] of Object.entries({ read, insert })) {
      for (const at of [1, 16]) {
        for (const [way, send] of Object.entries(ways)) {
          const { taken, each } = (times[`${what} ${at} ${way}`] ??= { taken: [], each: [] });
          const one = async () => {
            for (let i = 0; i < rounds / slices / at; i++) {
              const start = performance.now();
              const status = await send(make());
              if (status >= 300) throw new Error(`${what}: status ${status}`);
              if (slice >= 0) taken.push(performance.now() - start); // the first slice is the warm-up
            }
          };
          const begin = performance.now();
          await Promise.all(Array.from({ length: at }, one));
          if (slice >= 0) each.push((performance.now() - begin) / (at * Math.ceil(rounds / slices / at)));
        }
      }
    }
  }
  return times;
}

/** Runs in the page: imports entities into a new table; returns the milliseconds. Replaces `fetch`, through which `load` sends. */
async function importBy(way, table, entities) {
  const byFetch = globalThis.fetch;
  const byMessages = async (url, { method = "GET", headers, body }) => {
    const { status, bodyAsText } = await sandtable.httpClient.sendRequest({ method, url, headers: Object.entries(headers), body, timeout: 0 });
    return { status, text: () => bodyAsText };
  };
  await load.send("create", table);
  globalThis.fetch = way === "fetch" ? byFetch : byMessages;
  try {
    return await load.fill(table, 0, entities);
  } finally {
    globalThis.fetch = byFetch;
  }
}

/** Times alternating imports in milliseconds; each leaves its table, as a visitor's would. */
async function measureImports(page) {
  await page.evaluate(installLoad, await page.evaluate(() => sandtable.endpoint()));
  const times = { fetch: [], messages: [] };
  for (let round = 0; round < importRounds; round++) {
    for (const way of Object.keys(times)) {
      progress(`import by ${way}`);
      times[way].push(await page.evaluate(importBy, way, `${way}${round}`, entities));
    }
  }
  return times;
}

export async function direct() {
  for (const engine of chosenEngines()) {
    await visit(async ({ browser }) => {
      progress(`by messages instead of fetch, in ${engine.name}`);
      const site = await serveSite("/", { "index.html": pageOf() });
      try {
        const page = await visitSite(browser, site.url);
        if (page.outcome !== "started") {
          throw new Error(JSON.stringify(page.outcome));
        }
        printTimes(engine, await page.evaluate(measure, rounds));
        if (engine.name === "Chromium") printImports(await measureImports(page));
      } finally {
        site.stop();
      }
    }, engine);
  }
}

function printTimes({ name }, times) {
  const rows = [];
  for (const [what, promise] of Object.entries(promises)) {
    for (const at of [1, 16]) {
      const [messages, byFetch] = ["messages", "fetch"].map((way) => times[`${what} ${at} ${way}`]);
      const ratio = median(byFetch.each) / median(messages.each);
      rows.push([
        `${what === "read" ? "point read" : "durable insert"}, ${at === 1 ? "one at a time" : at + " at once"}`,
        ...[messages, byFetch].flatMap(({ taken }) => [ms(median(taken)), ms(quantile(taken, 0.99))]),
        ratio.toFixed(1),
        at === 1 ? `${promise}.0${ratio < promise ? ": missed" : ""}` : "",
      ]);
    }
  }
  print([`by messages (httpClient) instead of fetch, ${name}`, "p50 ms", "p99 ms", "fetch p50", "p99", "faster", "promise"], rows);
}

function printImports({ fetch, messages }) {
  const of = (all) => [median(all), Math.min(...all), Math.max(...all)].map(ms);
  const rows = [
    ["by fetch", ...of(fetch)],
    ["by messages (httpClient)", ...of(messages), (median(fetch) / median(messages)).toFixed(1)],
  ];
  print([`${entities.toLocaleString("en")} entities by transactions of 100`, "median ms", "min", "max", "faster"], rows);
}
