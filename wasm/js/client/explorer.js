// The script of the explorer's page in embedding sites. It runs before the page's
// program and connects it to the engine of the embedding page: requests go by
// messages, as this page may be outside the worker's scope, or without a service
// worker.
//
// The address names the store by its scope. Any site can link to it, so it names
// nothing else: no script and no key.

import { addressed } from "../address.js";
import { PROTOCOL } from "../protocol.js";
import { Connection } from "./connection.js";
import { SandtableError, errorOf } from "./errors.js";
import { ExplorerEvents } from "./explorer-events.js";
import { Health } from "./health.js";
import { patchFetch } from "./patched-fetch.js";
import { WORKER } from "./service-worker-host.js";
import { connectWorker } from "./worker-host.js";

/** @import { Send } from "./control.js" */

const HERE = new URL(".", document.baseURI);

/**
 * Returns the store of this page's address: by default, that of the folder above.
 *
 * @returns {URL}
 */
function scopeOfAddress() {
  const store = new URLSearchParams(location.search).get("store");
  const scope = new URL(store ?? "..", HERE);
  return scope.origin === HERE.origin && scope.pathname.endsWith("/") ? new URL(scope.pathname, HERE) : new URL("..", HERE);
}

/**
 * Whether a page of another site shows this one in a frame, where it could make the
 * user click unknowingly. Static hosts cannot be expected to forbid that.
 */
function framedByOthers() {
  try {
    for (let /** @type {Window} */ frame = window; frame !== frame.parent; frame = frame.parent) {
      void frame.parent.location.href; // throws if it is of another origin
    }
    return false;
  } catch {
    return true;
  }
}

/**
 * Connects as the embedding page did. The plain worker of an open page is known by
 * its lock. Nothing is started for a scope without a store.
 *
 * @param {string} scope
 * @returns {Promise<Connection>}
 */
async function connect(scope) {
  if (framedByOthers()) {
    throw new Error("A page of another site shows this one in a frame. Open it in a window of its own.");
  }
  const plain = async () => {
    const { href } = new URL("../" + WORKER, HERE);
    return (await connectWorker(new Worker(href, { name: "Sandtable" }), href, scope, new Health())).connection;
  };
  const { held = [], pending = [] } = await navigator.locks.query();
  if ([...held, ...pending].some(({ name }) => name === "sandtable relay " + scope)) {
    return plain();
  }
  const registrations = await navigator.serviceWorker?.getRegistrations().catch(() => []);
  const registration = registrations?.find((one) => one.scope === scope && one.active !== null);
  if (registration !== undefined) {
    return serviceWorkerConnection(registration);
  }
  const databases = await indexedDB.databases?.().catch(() => []);
  if (databases?.some(({ name }) => name === "sandtable " + scope)) {
    return plain();
  }
  throw new Error(`This browser has no tables of ${scope} yet. Open the page that has them, and this one from there.`);
}

/**
 * The connection follows the registration to its next active worker: this page may be
 * outside the worker's scope, where there is no controllerchange event.
 *
 * @param {ServiceWorkerRegistration} registration
 */
function serviceWorkerConnection(registration) {
  let { active } = registration; // that the connection leads to
  const connection = new Connection(
    (port) => {
      active = registration.active;
      active?.postMessage({ sandtable: PROTOCOL, type: "connect" }, [port]);
    },
    { keepAlive: () => registration.active?.postMessage({ sandtable: PROTOCOL, type: "keepAlive" }) },
  );
  const follow = (/** @type {ServiceWorker | null} */ next) => next?.addEventListener("statechange", () => registration.active !== active && connection.replaced());
  registration.addEventListener("updatefound", () => follow(registration.installing));
  follow(registration.installing);
  follow(registration.waiting);
  return connection;
}

/**
 * @param {string} scope
 * @param {ExplorerEvents} events
 */
async function open(scope, events) {
  const connection = await connect(scope);
  await connection.session().catch((reason) => {
    connection.close();
    throw reason;
  });
  const send = async (/** @type {Parameters<Send>} */ ...request) => {
    const answer = await connection.request(...request);
    // The program would send a request that was refused again, but this one may have taken effect.
    return answer?.lost ? { ...answer, status: 0 } : answer;
  };
  patchFetch((url) => addressed(url, scope) !== null, send, () => document.baseURI);
  connection.watch(scope, ["change", "request", "state"], (name, detail) => events.notify(name, detail));
}

const { href: scope } = scopeOfAddress();
const events = new ExplorerEvents();

/** Whether requests reach the engine. */
let connected = false;
/** @type {Promise<void> | null} */
let opening = null;

// What the program (web/shell) uses.
const explorer = {
  scope,
  store: new URLSearchParams(location.search).get("store") ?? "",
  get connected() {
    return connected;
  },
  /**
   * Connects, once.
   *
   * @returns {Promise<string>} why there is no connection, "" if there is one
   */
  async connect() {
    opening ??= open(scope, events);
    try {
      await opening;
      connected = true;
      return "";
    } catch (reason) {
      opening = null;
      return reason instanceof SandtableError && reason.code === "NotSandtable" ? "No Sandtable answers at " + scope + ". Open the page that has its tables, and this one from there." : errorOf(reason).message;
    }
  },
  /** @param {((state: object) => void) | null} listener gets the worker's state whenever it changes */
  watchState: (listener) => events.watchState(listener),
};
explorer.connect(); // while the program is loaded
Object.assign(globalThis, { sandtableExplorer: explorer, EventSource: events.source });
