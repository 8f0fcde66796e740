// Benchmarks in Chromium, each part in its own visit; direct in the other browsers, too.
// Ratios are comparable between machines, times are not.
//
// `make bench-browser PARTS=store` runs one part. Environment variables set the
// amount of work: ROUNDS of requests, ENTITIES of an import, STARTS of the worker,
// VISITS, SIZES of the store, of which 1,000,000 takes longest, and EXPLORER, the
// entities of the table that the explorer shows.

import { boots } from "./boots.mjs";
import { direct } from "./direct.mjs";
import { explorer } from "./explorer.mjs";
import { firstVisit } from "./first-visit.mjs";
import { imports } from "./imports.mjs";
import { requests } from "./requests.mjs";
import { store } from "./store.mjs";

const parts = { requests, direct, boots, "first-visit": firstVisit, imports, store, explorer };

const named = process.argv.slice(2);
const unknown = named.find((name) => !(name in parts));
if (unknown !== undefined) {
  console.error(`there is no part ${unknown}: ${Object.keys(parts).join(", ")}`);
  process.exit(2);
}
for (const [name, part] of Object.entries(parts)) {
  if (named.length === 0 || named.includes(name)) await part();
}
