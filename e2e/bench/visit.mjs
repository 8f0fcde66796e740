// A visit to the app with a new profile.

import { serveApp } from "../lib/app.mjs";
import { dropProfile, launch, newProfile } from "../lib/browser.mjs";
import { open } from "../lib/page.mjs";
import { installLoad } from "./entities.mjs";

export const endpoint = "https://devstoreaccount1.table.core.windows.net";

/**
 * Calls f with a browser on an empty profile and the app's URL; Chromium unless given another engine.
 *
 * @param {(visit: {browser: Browser, app: {url: string}, profile: string, open: (url?: string) => Promise<Page>}) => Promise<void>} f
 */
export async function visit(f, engine = { launch }) {
  const app = await serveApp();
  const profile = await newProfile();
  const browser = await engine.launch(profile);
  try {
    await f({ app, profile, browser, open: (url = app.url) => openLoaded(browser, url) });
  } finally {
    await browser.close();
    await app.stop();
    await dropProfile(profile);
  }
}

/** Opens a page with `load` installed. */
export async function openLoaded(browser, url) {
  const page = await open(browser, url);
  page.setDefaultTimeout(0);
  await page.evaluate(installLoad, endpoint);
  return page;
}

/** Sends one request per number from a page; returns the milliseconds of each. */
export function times(page, name, table, numbers, atOnce = 1) {
  return page.evaluate((...args) => load.times(...args), name, table, numbers, atOnce);
}

/** Scattered numbers below a limit, without repeats before all have been used. */
export function scattered(count, below, from = 1) {
  return Array.from({ length: count }, (_, i) => ((from + i) * 7919) % below);
}

/** The numbers of a range. */
export function range(from, to) {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

/** Counts the app's bytes and records in IndexedDB. */
export function stored(page) {
  return page.evaluate(async () => {
    const { scope } = await navigator.serviceWorker.ready;
    const outcome = (request) => new Promise((resolve, reject) => ((request.onsuccess = () => resolve(request.result)), (request.onerror = () => reject(request.error))));
    const database = await outcome(indexedDB.open("sandtable " + scope));
    const sizes = {};
    for (const name of ["wal", "blocks", "state"]) {
      const records = await outcome(database.transaction(name).objectStore(name).getAll());
      sizes[name] = { records: records.length, bytes: records.reduce((sum, { length = 0 }) => sum + length, 0) };
    }
    database.close();
    return sizes;
  });
}

// An idle checkpoint leaves a shorter WAL alone, counting 256 bytes per record
// (idleWALSize in package engine).
const shortLog = 64 << 10;

/** Waits until no idle checkpoint is due. */
export function checkpointed(page) {
  return page.evaluate(async (shortLog) => {
    const { scope } = await navigator.serviceWorker.ready;
    for (;;) {
      const size = await new Promise((resolve, reject) => {
        const opening = indexedDB.open("sandtable " + scope);
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const all = opening.result.transaction("wal").objectStore("wal").getAll();
          all.onsuccess = () => {
            opening.result.close();
            resolve(all.result.reduce((sum, { length }) => sum + (length === undefined ? 0 : length + 256), 0)); // numbers are marks
          };
        };
      });
      if (size < shortLog) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }, shortLog);
}

/** Opens a CDP session with the app's worker. */
async function inWorker(browser, url) {
  const target = await browser.waitForTarget((target) => target.type() === "service_worker" && target.url().startsWith(url));
  return target.createCDPSession();
}

/** Calls a function in the worker with all instances of a class as `this`; returns its result. */
async function withObjects(session, type, f) {
  const { result } = await session.send("Runtime.evaluate", { expression: `${type}.prototype` });
  const { objects } = await session.send("Runtime.queryObjects", { prototypeObjectId: result.objectId });
  const returned = await session.send("Runtime.callFunctionOn", { objectId: objects.objectId, functionDeclaration: String(f), returnByValue: true });
  await session.send("Runtime.releaseObject", { objectId: objects.objectId });
  return returned.result.value;
}

/** The size of the worker's linear memory in bytes, which only grows. */
export async function workerMemory(browser, url) {
  const session = await inWorker(browser, url);
  const sizes = await withObjects(session, "WebAssembly.Memory", function () {
    return this.map(({ buffer }) => buffer.byteLength);
  });
  await session.detach();
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Records the duration of each turn of the Go program in a page's worker; end returns the milliseconds. */
export async function recordTurns(page) {
  const session = await inWorker(page.browser(), new URL(page.url()).origin);
  await withObjects(session, "Go", function () {
    for (const go of this) {
      const resume = go._resume;
      go.turns = [];
      go._resume = () => {
        const begin = performance.now();
        resume();
        go.turns.push(performance.now() - begin);
      };
    }
  });
  return {
    async end() {
      const turns = await withObjects(session, "Go", function () {
        return this.flatMap((go) => {
          const { turns } = go;
          go.turns = []; // of an abandoned recording
          return turns;
        });
      });
      await session.detach();
      return turns;
    },
  };
}
