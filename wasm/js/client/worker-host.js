// A page whose engine runs in a plain worker, where there is no service worker.

import { addressed } from "../address.js";
import { PROTOCOL } from "../protocol.js";
import { Connection } from "./connection.js";
import { SandtableError, errorOf } from "./errors.js";
import { Health } from "./health.js";
import { onReturn } from "./interception.js";
import { moduleURL } from "./module-url.js";
import { patchFetch } from "./patched-fetch.js";
import { seeding } from "./seeding.js";
import { WORKER } from "./service-worker-host.js";
import { currentProblems, watch, watchesProblems } from "./watching.js";

/** @import { Host } from "./client.js" */
/** @import { Settings } from "./start.js" */

const lost = [
  "Only this page's fetch() and httpClient are answered, not XMLHttpRequest, frames, other workers or navigations.",
  "Nothing is answered while no page of this site is open.",
];
const lostOffline = "Pages do not open without a network.";

/**
 * @param {Settings} settings
 * @param {string} why there is no service worker
 * @returns {Promise<Host>}
 */
export async function workerHost(settings, why) {
  const health = new Health();
  const { worker, connection, scope, session } = await startWorker(settings, health);
  /** @type {Host["request"]} */
  const request = (head, body, signal) => connection.request(head, body, signal);
  const unpatch = patchFetch((url) => addressed(url, scope) !== null, request, () => document.baseURI);
  /** @type {(() => void) | null} stops checking the engine when the user returns */
  let stop = null;
  return {
    base: scope + "_sandtable/",
    explorer: session.explorer,
    request,
    watch(names, notify) {
      watch(names, notify, { connection, scope, health });
      if (watchesProblems(names)) {
        stop ??= onReturn(() => connection.check());
      } else {
        stop?.();
        stop = null;
      }
    },
    current: (name) => currentProblems(name, health),
    describe: () => ({ mode: "worker", client: VERSION, worker: connection.build ?? session.build, why, lost: settings.offline?.length ? [...lost, lostOffline] : [...lost] }),
    seeding: (work) => seeding(scope, work),
    close() {
      unpatch();
      stop?.();
      connection.close();
      worker.terminate();
    },
  };
}

/**
 * Starts a plain worker from the first place that has its script.
 *
 * @param {Settings} settings
 * @param {Health} health
 */
async function startWorker({ worker, scope: wanted }, health) {
  const registration = typeof worker === "object" ? worker : null;
  const given = typeof worker === "string" ? worker : (registration?.active ?? registration?.waiting ?? registration?.installing)?.scriptURL;
  const urls = new Set([new URL(WORKER, moduleURL()).href, new URL(WORKER, document.baseURI).href, ...(given === undefined ? [] : [given])]);
  /** @type {unknown} */
  let refusal;
  for (const url of urls) {
    const script = scriptFor(url);
    const scope = registration?.scope ?? wanted ?? scopeOf(given ?? url);
    try {
      return { ...(await connectWorker(new Worker(script, { name: "Sandtable" }), url, scope, health)), scope };
    } catch (reason) {
      refusal ??= reason;
    } finally {
      URL.revokeObjectURL(script); // nothing happens to another address
    }
  }
  if (refusal instanceof SandtableError) {
    throw refusal;
  }
  throw new SandtableError("NoWorker", `No worker can be started from ${[...urls].join(" or ")}: ${errorOf(refusal).message}`, { cause: refusal });
}

/**
 * Returns the scope that a service worker with this script would have, so that both
 * have one store. A page that is not below the script has that of its own folder.
 *
 * @param {string | URL} script
 */
function scopeOf(script) {
  const folder = new URL(".", script).href;
  return location.href.startsWith(folder) ? folder : new URL(".", document.baseURI).href;
}

/**
 * Browsers start workers from the page's own origin alone, and this module may be on
 * another one.
 *
 * @param {string} url
 */
function scriptFor(url) {
  if (new URL(url).origin === location.origin) {
    return url;
  }
  return URL.createObjectURL(new Blob([`importScripts(${JSON.stringify(url)});`], { type: "text/javascript" }));
}

/**
 * @param {Worker} worker
 * @param {string} url
 * @param {string} scope
 * @param {Health} health
 */
export async function connectWorker(worker, url, scope, health) {
  const open = (/** @type {MessagePort} */ port) => worker.postMessage({ sandtable: PROTOCOL, type: "connect", scope }, [port]);
  const connection = new Connection(open, { plain: true, health });
  /** @type {(event: ErrorEvent) => void} */
  let failed = () => {};
  /** @type {Promise<never>} */
  const failure = new Promise((_, reject) => {
    failed = ({ message }) => reject(new SandtableError("NoWorker", `${url} cannot be started as a worker${message ? ` (${message})` : ""}. Is it there, and does the page's policy (worker-src) allow it? The option worker names another place.`));
    worker.addEventListener("error", failed);
  });
  try {
    const session = await Promise.race([connection.session(), failure]);
    return { worker, connection, session };
  } catch (reason) {
    connection.close();
    worker.terminate();
    throw reason;
  } finally {
    worker.removeEventListener("error", failed);
  }
}
