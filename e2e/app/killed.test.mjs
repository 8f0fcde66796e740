// The worker is stopped and the browser is killed at random moments. Afterwards
// every acknowledged write is there with its ETag, every transaction is whole
// or absent, and nothing else has changed.
//
// SEED repeats the random moments of an earlier run, as far as timing allows.
// STOPS and KILLS set how many there are; `make test-long` runs 50 and 10.

import assert from "node:assert/strict";
import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "../lib/test.mjs";
import { setTimeout as pause } from "node:timers/promises";
import { kill, watchWorkers } from "../lib/browser.mjs";
import { open, request } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";
import { randomNumbers, Writers } from "../lib/writers.mjs";

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const stops = Number(process.env.STOPS ?? 10);
const kills = Number(process.env.KILLS ?? 3);

const address = "https://devstoreaccount1.table.core.windows.net";
const random = randomNumbers(seed);

const here = visit();

/** Waits for a random moment: while a worker starts, commits or checkpoints. */
async function someMoment(writers, writing) {
  const ended = writing.then((outcomes) => assert.fail(`the writers ended: ${outcomes.map(({ reason }) => reason)}`));
  await Promise.race([ended, writers.acknowledgements(random() < 0.2 ? 0 : Math.ceil(random() * 100))]);
  await pause(random() * 50);
}

/** Compares the table with the model, and checks that the store reports no corruption. */
async function check(writers, t) {
  try {
    const entities = await writers.check(here.page);
    const status = JSON.parse((await request(here.page, "_sandtable/status")).text);
    assert.deepEqual({ entities: status.entities, corruption: status.corruption }, { entities, corruption: [] });
  } catch (error) {
    await describe(t);
    throw error;
  }
}

/** Describes a mismatch for the failure message: responses, database and profile files. */
async function describe(t) {
  const kept = await mkdtemp(join(tmpdir(), "sandtable-killed-"));
  await cp(here.profile, kept, { recursive: true });
  t.diagnostic(`the profile is kept in ${kept}; seed ${seed}`);
  for (const url of ["_sandtable/status", "_sandtable/accounts", `${address}/Tables`]) {
    const answer = await request(here.page, url).catch(String);
    t.diagnostic(`${url}: ${answer.status} ${answer.text}`);
  }
  t.diagnostic(`database: ${JSON.stringify(await here.page.evaluate(readDatabases).catch(String))}`);
}

/** Reads IndexedDB without the engine. The page runs the function's source, so it captures nothing. */
async function readDatabases() {
  const answered = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const hex = (bytes) => (bytes instanceof Uint8Array ? Array.from(bytes.slice(0, 64), (b) => b.toString(16).padStart(2, "0")).join("") : String(bytes));
  const found = {};
  for (const { name, version } of await indexedDB.databases()) {
    const database = await answered(indexedDB.open(name, version));
    const stores = (found[name] = {});
    for (const store of database.objectStoreNames) {
      const objects = database.transaction(store).objectStore(store);
      const [keys, values] = await Promise.all([answered(objects.getAllKeys()), answered(objects.getAll())]);
      stores[store] = keys.map((key, i) => `${key}: ${values[i].length ?? ""} ${store === "blocks" ? "" : hex(values[i])}`);
    }
    database.close();
  }
  return found;
}

/** Creates the only table, with its writers. */
async function createTable(name) {
  const options = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ TableName: name }) };
  assert.equal((await request(here.page, `${address}/Tables`, options)).status, 201);
  return new Writers(`${address}/${name}`, 6, random);
}

async function deleteTable(name) {
  assert.equal((await request(here.page, `${address}/Tables('${name}')`, { method: "DELETE" })).status, 204);
}

test(`the worker is stopped under load, ${stops} times`, async (t) => {
  const writers = await createTable("Stopped");
  const page = await open(here.browser, here.app.url);
  const workers = await watchWorkers(page);
  await writers.install(page);
  const writing = writers.write(page);
  for (let round = 0; round < stops; round++) {
    await someMoment(writers, writing);
    writers.stops++;
    await workers.stop();
    writers.stops++;
  }
  await writers.acknowledgements(50);
  writers.end();
  for (const { reason } of await writing) {
    assert.equal(reason, undefined);
  }
  await page.close();
  await check(writers, t);
  await deleteTable("Stopped");
  t.diagnostic(`seed ${seed}: ${JSON.stringify(writers.counts)}`);
});

test(`the browser is killed under load, ${kills} times`, async (t) => {
  const writers = await createTable("Killed");
  for (let round = 0; round < kills; round++) {
    await writers.install(here.page); // the kill must come under load, not before
    const writing = writers.write(here.page);
    await someMoment(writers, writing);
    await kill(here.browser);
    assert.equal((await writing).every(({ status }) => status === "rejected"), true, "a writer ended before the browser did");
    await here.reopen();
    await check(writers, t);
  }
  t.diagnostic(`seed ${seed}: ${JSON.stringify(writers.counts)}`);
});
