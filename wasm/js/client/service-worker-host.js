// A page whose engine runs in a service worker.

import { PROTOCOL } from "../protocol.js";
import { Connection } from "./connection.js";
import { SandtableError, errorOf } from "./errors.js";
import { Health } from "./health.js";
import { checkIntercepted, Interception } from "./interception.js";
import { moduleURL } from "./module-url.js";
import { checkedScope, refuseOption } from "./options.js";
import { recalled, remember, seeding } from "./seeding.js";
import { activate, Updates } from "./updates.js";
import { currentProblems, watch, watchesProblems } from "./watching.js";

/** @import { Host } from "./client.js" */
/** @import { Settings } from "./start.js" */

export const WORKER = "sandtable-worker.js";

// How long a page waits until it is controlled, in milliseconds.
const CONTROL = 5000;

// The minimum interval between reloads to be answered by the worker, in milliseconds.
const RELOAD = 10_000;

// How long a worker may take to confirm that it caches files, in milliseconds.
const OFFLINE = 2000;

/**
 * @param {Settings} settings
 * @returns {Promise<Host>}
 */
export async function serviceWorkerHost(settings) {
  const { serviceWorker } = navigator;
  if (serviceWorker === undefined) {
    throw new SandtableError("NoServiceWorker", "This browser, or this private window, has no service workers.");
  }
  const registration = await register(settings);
  checkOffline(settings, registration);
  const health = new Health();
  await installed(registration);
  const worker = () => registration.active ?? serviceWorker.controller;
  const connection = new Connection(
    (port) => worker()?.postMessage({ sandtable: PROTOCOL, type: "connect" }, [port]),
    { keepAlive: () => worker()?.postMessage({ sandtable: PROTOCOL, type: "keepAlive" }), health },
  );
  try {
    await connection.session().catch((reason) => updated(registration, reason));
    const { build, explorer } = await connection.session();
    await controlled(registration);
    await intercepted(registration);
    await keepOffline(settings, registration);
    return host(registration, connection, health, { build, explorer });
  } catch (reason) {
    connection.close();
    throw reason;
  }
}

/**
 * Registers the worker from the first place that has it.
 *
 * @param {Settings} settings
 */
async function register({ worker, scope }) {
  if (worker instanceof ServiceWorkerRegistration) {
    checkScope(worker);
    return worker;
  }
  /** @type {unknown} */
  let refusal;
  for (const url of worker === undefined ? places() : [worker]) {
    try {
      if (worker === undefined) {
        await checkReplaced(scope ?? new URL(".", url).href);
      }
      const registration = await navigator.serviceWorker.register(url, { scope, updateViaCache: "none" });
      try {
        checkScope(registration);
      } catch (reason) {
        if (registration.active === null) {
          await registration.unregister(); // it was registered just now and does not help
        }
        throw reason;
      }
      return registration;
    } catch (reason) {
      refusal ??= reason;
    }
  }
  if (refusal instanceof SandtableError) {
    throw refusal;
  }
  throw new SandtableError("RegistrationFailed", `The service worker cannot be registered (${errorOf(refusal).message}). Is the file there, on the page's own origin?`, { cause: refusal });
}

/**
 * Throws if the site has registered a worker of its own for a scope: a second one would
 * replace it.
 *
 * @param {string} scope
 */
async function checkReplaced(scope) {
  const registration = await navigator.serviceWorker.getRegistration(scope);
  const there = registration?.scope === scope ? registration.active ?? registration.waiting ?? registration.installing : null;
  if (there && !new URL(there.scriptURL).pathname.endsWith(`/${WORKER}`)) {
    throw new SandtableError("NotSandtable", `This site has a worker of its own, ${there.scriptURL}, which would be replaced. Let its first line import ${WORKER}, and call start with its address as the option worker.`);
  }
}

/**
 * Throws unless a worker answers this page.
 *
 * @param {ServiceWorkerRegistration} registration
 */
function checkScope({ scope }) {
  if (!location.href.startsWith(checkedScope(scope))) {
    throw new SandtableError("OutOfScope", `The worker answers pages below ${scope}, and this one is not. Copy sandtable-worker.js to the folder of the page, or write a file there with the line importScripts("path/to/sandtable-worker.js").`);
  }
}

/** Where the worker's script may be: next to this one, if the page is below that, or next to the page. */
function places() {
  const here = new URL(WORKER, moduleURL());
  const page = new URL(WORKER, document.baseURI);
  return here.href === page.href || !location.href.startsWith(new URL(".", here).href) ? [page] : [here, page];
}

/**
 * Waits until a registration has an active worker.
 *
 * @param {ServiceWorkerRegistration} registration
 * @returns {Promise<void>}
 */
function installed(registration) {
  const worker = registration.installing ?? registration.waiting;
  return new Promise((resolve, reject) => {
    const check = () => {
      if (registration.active !== null) {
        resolve();
      } else if (worker === null || worker.state === "redundant") {
        reject(new SandtableError("RegistrationFailed", "The service worker could not be installed: a file that belongs next to sandtable-worker.js is missing, or there is no space for it."));
      }
    };
    worker?.addEventListener("statechange", check);
    check();
  });
}

/**
 * Activates a newer worker if the active one is of another version.
 *
 * @param {ServiceWorkerRegistration} registration
 * @param {SandtableError} reason why the active one cannot be used
 */
async function updated(registration, reason) {
  if (reason.code !== "OtherVersion" || registration.waiting === null) {
    throw reason;
  }
  await activate(registration.waiting);
}

/**
 * Waits until this page's requests go through the worker.
 *
 * @param {ServiceWorkerRegistration} registration
 */
async function controlled(registration) {
  const { serviceWorker } = navigator;
  const done = () => serviceWorker.controller !== null && serviceWorker.controller === registration.active;
  if (done()) {
    return;
  }
  // On a first visit, and after a reload that bypassed the worker.
  let check = () => {};
  const claimed = new Promise((resolve) => {
    check = () => {
      if (done()) resolve(true);
    };
    serviceWorker.addEventListener("controllerchange", check);
    setTimeout(resolve, CONTROL, false);
  });
  registration.active?.postMessage({ sandtable: PROTOCOL, type: "claim" });
  const controls = await claimed;
  serviceWorker.removeEventListener("controllerchange", check);
  if (controls) {
    return;
  }
  await reload(registration);
  throw new SandtableError("NotControlled", "This page's requests do not go through the service worker, not even after a reload. Is there another worker with a longer scope?");
}

/**
 * Throws unless the worker answers a fetch of this page. Chromium loads a page without
 * its worker while it stops that to activate a newer one.
 *
 * @param {ServiceWorkerRegistration} registration
 */
async function intercepted(registration) {
  try {
    await checkIntercepted(registration.scope);
    remember("sessionStorage", reloaded(registration), null);
  } catch (reason) {
    if (registration.waiting !== null) {
      await reload(registration);
    }
    throw reason;
  }
}

/**
 * Reloads the page, unless that has just been tried without success.
 *
 * @param {ServiceWorkerRegistration} registration
 */
async function reload(registration) {
  const key = reloaded(registration);
  if (!(Date.now() - Number(recalled("sessionStorage", key) ?? 0) < RELOAD)) {
    remember("sessionStorage", key, String(Date.now()));
    location.reload();
    await new Promise(() => {}); // the page is being unloaded
  }
}

/**
 * The key of the time at which this tab was reloaded.
 *
 * @param {ServiceWorkerRegistration} registration
 */
function reloaded({ scope }) {
  return "sandtable reloaded " + scope;
}

/**
 * @param {Settings} settings
 * @param {ServiceWorkerRegistration} registration
 */
function checkOffline({ offline }, { scope }) {
  for (const url of offline ?? []) {
    if (!url.startsWith(scope)) {
      refuseOption("start", `offline: ${url} is not below ${scope}, where the worker answers.`);
    }
  }
}

/**
 * Makes the worker cache the site's files. Resolves before they are fetched; a
 * failure keeps the cached ones.
 *
 * @param {Settings} settings
 * @param {ServiceWorkerRegistration} registration
 */
async function keepOffline({ offline }, { active, scope }) {
  if (offline === undefined) {
    return;
  }
  const module = (import.meta.url ?? "").split("#", 1)[0];
  const files = offline.length > 0 && module.startsWith(scope) ? [...new Set([...offline, module])] : offline;
  const { port1, port2 } = new MessageChannel();
  const accepted = new Promise((resolve) => {
    setTimeout(resolve, OFFLINE);
    port1.onmessage = ({ data }) => (data.failed === undefined ? resolve(data.accepted) : console.warn("Sandtable keeps no newer files for when there is no network:", data.failed));
  });
  active?.postMessage({ sandtable: PROTOCOL, type: "offline", files }, [port2]);
  const answer = await accepted;
  if (answer === false) {
    refuseOption("start", "offline: this site's own service worker has to keep its files.");
  } else if (answer === undefined) {
    console.warn("Sandtable's worker is busy, and may keep no newer files for when there is no network.");
  }
}

/**
 * @param {ServiceWorkerRegistration} registration
 * @param {Connection} connection
 * @param {Health} health
 * @param {{build: string, explorer?: string}} worker
 * @returns {Host}
 */
function host(registration, connection, health, { build, explorer }) {
  const { serviceWorker } = navigator;
  const { scope } = registration;
  const replaced = () => connection.replaced();
  serviceWorker.addEventListener("controllerchange", replaced);
  const updates = new Updates(registration);
  const interception = new Interception(registration, health);
  return {
    base: scope + "_sandtable/",
    explorer,
    request: (head, body, signal) => connection.request(head, body, signal),
    watch(names, notify) {
      watch(names, notify, { connection, scope, health });
      interception.watch(watchesProblems(names));
      updates.notify = (update) => notify("update", update);
    },
    current: (name) => (name === "update" ? [updates.waiting()].filter((update) => update !== null) : currentProblems(name, health)),
    describe: () => ({ mode: "service worker", client: VERSION, worker: connection.build ?? build, lost: [] }),
    seeding: (work) => seeding(scope, work),
    close() {
      serviceWorker.removeEventListener("controllerchange", replaced);
      interception.watch(false);
      updates.close();
      connection.close();
    },
  };
}
