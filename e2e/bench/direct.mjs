// The same point read and insert by fetch and by messages, in a page that has
// Sandtable embedded: one at a time, and sixteen at once.

import { pageOf, serveSite, visitSite } from "../lib/embed-site.mjs";
import { median, ms, print, progress, quantile } from "./report.mjs";
import { visit } from "./visit.mjs";

const rounds = Number(process.env.ROUNDS ?? 2000);

/** Runs in the page: p50 and p99 of each, in milliseconds, slices taking turns. */
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
          const taken = (times[`${what} ${at} ${way}`] ??= []);
          const one = async () => {
            for (let i = 0; i < rounds / slices / at; i++) {
              const start = performance.now();
              const status = await send(make());
              if (status >= 300) throw new Error(`${what}: status ${status}`);
              if (slice >= 0) taken.push(performance.now() - start); // the first slice is for warming up
            }
          };
          await Promise.all(Array.from({ length: at }, one));
        }
      }
    }
  }
  return times;
}

export async function direct() {
  await visit(async ({ browser }) => {
    progress("by messages instead of fetch");
    const site = await serveSite("/", { "index.html": pageOf() });
    try {
      const page = await visitSite(browser, site.url);
      if (page.outcome !== "started") {
        throw new Error(JSON.stringify(page.outcome));
      }
      printTimes(await page.evaluate(measure, rounds));
    } finally {
      site.stop();
    }
  });
}

function printTimes(times) {
  const rows = [];
  for (const what of ["read", "insert"]) {
    for (const at of [1, 16]) {
      const [messages, byFetch] = ["messages", "fetch"].map((way) => times[`${what} ${at} ${way}`]);
      const name = `${what === "read" ? "point read" : "durable insert"}, ${at === 1 ? "one at a time" : at + " at once"}`;
      const cells = [messages, byFetch].flatMap((all) => [ms(median(all)), ms(quantile(all, 0.99))]);
      rows.push([name, ...cells, (median(byFetch) / median(messages)).toFixed(1), what === "read" && at === 1 ? ">= 4.0" : ""]);
    }
  }
  print(["by messages (httpClient) instead of fetch", "p50 ms", "p99 ms", "fetch p50", "p99", "faster", "promise"], rows);
}
