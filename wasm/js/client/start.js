// Starting in a page: with a service worker or, without one, a plain worker.

import { Sandtable } from "./client.js";
import { SandtableError } from "./errors.js";
import { checkedScope, checkedStore, known, refuseOption } from "./options.js";
import { serviceWorkerHost } from "./service-worker-host.js";
import { workerHost } from "./worker-host.js";

/** @import { StartOptions } from "./sandtable.d.ts" */
/** @import { Host } from "./client.js" */

/** The version of the build that this file is of. */
export const version = VERSION;

/** @typedef {ReturnType<typeof checked>} Settings the options of start, checked */

/** @param {StartOptions} [options] */
export async function start(options) {
  if (typeof document === "undefined") {
    throw new SandtableError("NoWorker", 'start() is for pages. In Node.js, import it from "sandtable/node"; for a worker, let a page answer with connect() and createClient().');
  }
  const settings = checked(options);
  const sandtable = new Sandtable(await hostOf(settings));
  try {
    await sandtable.prepare(settings);
  } catch (reason) {
    await sandtable.close();
    if (reason instanceof SandtableError && (reason.code === "StoreFormat" || reason.code === "StoreClosed")) {
      reason.reset = () => reset(settings);
    }
    throw reason;
  }
  return sandtable;
}

/**
 * Deletes a store that does not open, unless it opens by now.
 *
 * @param {Settings} settings
 */
async function reset(settings) {
  const sandtable = new Sandtable(await hostOf(settings));
  try {
    await sandtable.resetUnopened();
  } finally {
    await sandtable.close();
  }
}

const OPTIONS = ["worker", "scope", "fallback", "seed", "offline", "accounts", "durability"];

/** @param {StartOptions} [options] */
function checked(options) {
  const { worker, scope, fallback, offline, ...store } = known("start", options, OPTIONS);
  if (fallback !== undefined && fallback !== "worker" && typeof fallback !== "boolean") {
    refuseOption("start", 'fallback is true, false or "worker".');
  }
  const registered = typeof worker === "object" && typeof (/** @type {any} */ (worker)?.scope) === "string";
  if (worker !== undefined && typeof worker !== "string" && !(worker instanceof URL) && !registered) {
    refuseOption("start", "worker is the address of a script, or a registration.");
  }
  if (offline !== undefined && !Array.isArray(offline)) {
    refuseOption("start", 'offline is a list of files, such as ["./", "main.js"].');
  }
  return {
    worker: typeof worker === "string" || worker instanceof URL ? checkedAddress("worker", worker) : worker,
    scope: scope === undefined ? undefined : checkedScope(checkedAddress("scope", scope)),
    fallback,
    offline: offline?.map((file) => checkedAddress("offline", file)),
    ...checkedStore(store),
  };
}

/**
 * Returns an address in full.
 *
 * @param {string} option
 * @param {string | URL} address which is relative to the page
 */
function checkedAddress(option, address) {
  try {
    return new URL(address, document.baseURI).href;
  } catch {
    return refuseOption("start", `${option} is not an address: ${address}`);
  }
}

/**
 * @param {Settings} settings
 * @returns {Promise<Host>}
 */
async function hostOf(settings) {
  if (!globalThis.isSecureContext) {
    throw new SandtableError("InsecureContext", "Browsers have no storage locks or workers for a page like this: serve it over https, or from localhost.");
  }
  if (globalThis.origin === "null") {
    throw new SandtableError("NoWorker", "A page that was opened from a file, or in a sandboxed frame, has neither storage nor workers: serve it over http, add allow-same-origin to the frame's sandbox, or let the page around it answer with connect() and createClient().");
  }
  if (settings.fallback === "worker") {
    return workerHost(settings, 'start was given fallback: "worker".');
  }
  try {
    return await serviceWorkerHost(settings);
  } catch (reason) {
    if (settings.fallback === false || !(reason instanceof SandtableError) || reason.code === "InvalidOption") {
      throw reason;
    }
    console.warn("Sandtable runs without a service worker:", reason.message);
    return workerHost(settings, reason.message);
  }
}
