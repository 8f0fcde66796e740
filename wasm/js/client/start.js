// Starting in a page: with a service worker, or where there is none with a
// plain one.

// How long a page that is not controlled waits until it is, in milliseconds.
const CONTROL = 5000;

// Not more often than this is a page reloaded to become controlled, in milliseconds.
const RELOAD = 10_000;

const WORKER = "sandtable-worker.js";

/** The version of the build that this file is of. */
const version = "{{.Version}}";

async function start(options = {}) {
  const settings = checked(options);
  const host = await hostOf(settings);
  const sandtable = new Sandtable(host);
  try {
    await sandtable.prepare(settings);
  } catch (reason) {
    await sandtable.close();
    if (reason.code === "StoreFormat" || reason.code === "StoreClosed") {
      reason.reset = () => emptied(settings);
    }
    throw reason;
  }
  return sandtable;
}

/** Gives up what is in a store that does not open. */
async function emptied(settings) {
  const sandtable = new Sandtable(await hostOf(settings));
  try {
    await sandtable.reset();
  } finally {
    await sandtable.close();
  }
}

/** The options of start, as they are meant. */
function checked({ worker, scope, fallback, seed, accounts, durability, ...unknown }) {
  refuseUnknown(unknown);
  if (fallback !== undefined && fallback !== "worker" && typeof fallback !== "boolean") {
    refuseOption('fallback is true, false or "worker".');
  }
  const place = scope === undefined ? undefined : new URL(scope, document.baseURI).href;
  return { worker, scope: place, fallback, seed, ...checkedStore({ accounts, durability }) };
}

async function hostOf(settings) {
  if (!globalThis.isSecureContext) {
    throw new SandtableError("InsecureContext", "Browsers have no storage locks or workers for a page like this: serve it over https, or from localhost.");
  }
  if (settings.fallback === "worker") {
    return workerHost(settings, "It was asked for.");
  }
  try {
    return await serviceWorkerHost(settings);
  } catch (reason) {
    if (settings.fallback === false || !(reason instanceof SandtableError)) {
      throw reason;
    }
    console.warn("Sandtable runs without a service worker:", reason.message);
    return workerHost(settings, reason.message);
  }
}

// ---- with a service worker

async function serviceWorkerHost(settings) {
  const { serviceWorker } = navigator;
  if (serviceWorker === undefined) {
    throw new SandtableError("NoServiceWorker", "This browser, or this private window, has no service workers.");
  }
  const registration = await registered(settings);
  const { scope } = registration;
  const health = new Health();
  await active(registration);
  const worker = () => registration.active ?? serviceWorker.controller;
  const connection = new Connection(
    (port) => worker()?.postMessage({ sandtable: PROTOCOL, type: "connect" }, [port]),
    { stay: () => worker()?.postMessage({ sandtable: PROTOCOL, type: "stay" }), health },
  );
  try {
    await connection.line().catch((reason) => updated(registration, reason));
    const { build } = await connection.line();
    await controlled(registration);
    await intercepted(scope);
    return serviceWorkerTransport(registration, connection, health, build);
  } catch (reason) {
    connection.close();
    throw reason;
  }
}

/** Registers the worker, wherever it is. */
async function registered({ worker, scope }) {
  const { serviceWorker } = navigator;
  if (worker instanceof ServiceWorkerRegistration) {
    return worker;
  }
  let refusal;
  for (const url of worker === undefined ? places() : [new URL(worker, document.baseURI)]) {
    try {
      const registration = await serviceWorker.register(url, { scope, updateViaCache: "none" });
      if (!location.href.startsWith(registration.scope)) {
        if (registration.active === null) {
          await registration.unregister(); // it was made just now, for nothing
        }
        throw new SandtableError(
          "OutOfScope",
          `The worker ${url} answers pages below ${registration.scope}, and this one is not. Copy sandtable-worker.js beside the page, or write a file there with the line importScripts("path/to/sandtable-worker.js").`,
        );
      }
      return registration;
    } catch (reason) {
      refusal ??= reason;
    }
  }
  if (refusal instanceof SandtableError) {
    throw refusal;
  }
  throw new SandtableError("RegistrationFailed", `The service worker cannot be registered: ${refusal.message} Is the file there, on the page's own origin?`, { cause: refusal });
}

/** Where the worker's script may be: beside this one, if the page is below that, or beside the page. */
function places() {
  const beside = new URL(WORKER, import.meta.url);
  const page = new URL(WORKER, document.baseURI);
  return beside.href === page.href || !location.href.startsWith(new URL(".", beside).href) ? [page] : [beside, page];
}

/** Waits until a registration has an active worker. */
async function active(registration) {
  if (registration.active !== null) {
    return;
  }
  const worker = registration.installing ?? registration.waiting;
  await new Promise((resolve, reject) => {
    const look = () => {
      if (registration.active !== null) {
        resolve();
      } else if (worker === null || worker.state === "redundant") {
        reject(new SandtableError("RegistrationFailed", "The service worker could not be installed: one of the files that belong beside sandtable-worker.js is missing, or there is no room for them."));
      }
    };
    worker?.addEventListener("statechange", look);
    look();
  });
}

/** Lets a newer worker take over, if the active one is of another version and one is waiting. */
async function updated(registration, reason) {
  if (reason.code !== "OtherVersion" || registration.waiting === null) {
    throw reason;
  }
  await takenOver(registration.waiting);
}

/** Waits until this page's requests go through the worker. */
async function controlled(registration) {
  const { serviceWorker } = navigator;
  const done = () => serviceWorker.controller !== null && serviceWorker.controller === registration.active;
  if (done()) {
    return;
  }
  // On a first visit, and behind a reload that went past the worker.
  let look;
  const claimed = new Promise((resolve) => {
    look = () => done() && resolve(true);
    serviceWorker.addEventListener("controllerchange", look);
    setTimeout(resolve, CONTROL, false);
  });
  registration.active.postMessage({ sandtable: PROTOCOL, type: "claim" });
  const controls = await claimed;
  serviceWorker.removeEventListener("controllerchange", look);
  if (controls) {
    return;
  }
  const key = "sandtable reloaded " + registration.scope;
  if (!(Date.now() - Number(kept("sessionStorage", key) ?? 0) < RELOAD)) {
    keep("sessionStorage", key, String(Date.now()));
    location.reload();
    await new Promise(() => {}); // the page is on its way out
  }
  throw new SandtableError("NotControlled", "This page's requests do not go through the service worker, not even behind a reload. Is there another worker with a longer scope?");
}

function serviceWorkerTransport(registration, connection, health, build) {
  const { serviceWorker } = navigator;
  const { scope } = registration;
  const change = () => connection.replaced();
  serviceWorker.addEventListener("controllerchange", change);
  const updates = new Updates(registration);
  const interception = new Interception(registration, health);
  return {
    base: scope + "_sandtable/",
    request: (head, body, signal) => connection.request(head, body, signal),
    watch(names, told) {
      watch(names, told, { connection, scope, health });
      interception.watch(careful(names));
      updates.tell = (update) => told("update", update);
    },
    standing: (name) => (name === "update" ? [updates.waiting()].filter(Boolean) : standing(name, health)),
    describe: () => ({ mode: "service worker", client: version, worker: connection.build ?? build, lost: [] }),
    seeding: (work) => seeding(scope, work),
    close() {
      serviceWorker.removeEventListener("controllerchange", change);
      interception.watch(false);
      updates.close();
      connection.close();
    },
  };
}

// ---- without

const lost = [
  "Only fetch() of this page is answered, and httpClient: not XMLHttpRequest, not frames, other workers or addresses that are opened.",
  "Nothing is answered while no page of this site is open.",
];

async function workerHost(settings, why) {
  const scope = settings.scope ?? new URL(".", document.baseURI).href;
  const health = new Health();
  const { worker, connection } = await plainWorker(settings, scope, health);
  const request = (head, body, signal) => connection.request(head, body, signal);
  const unpatch = patchFetch(scope, request);
  const { build } = await connection.line();
  let release = null; // what ends looking after the engine when somebody comes back
  return {
    base: scope + "_sandtable/",
    request,
    watch(names, told) {
      watch(names, told, { connection, scope, health });
      if (careful(names)) {
        release ??= onReturn(() => connection.check());
      } else {
        release = release?.() ?? null;
      }
    },
    standing: (name) => standing(name, health),
    describe: () => ({ mode: "worker", client: version, worker: connection.build ?? build, why, lost: [...lost] }),
    seeding: (work) => seeding(scope, work),
    close() {
      unpatch();
      release?.();
      connection.close();
      worker.terminate();
    },
  };
}

/** Starts a plain worker from the first place that has its script. */
async function plainWorker({ worker }, scope, health) {
  const given = typeof worker === "string" || worker instanceof URL ? [new URL(worker, document.baseURI)] : [];
  const urls = new Set([new URL(WORKER, import.meta.url), new URL(WORKER, document.baseURI), ...given].map(({ href }) => href));
  let refusal;
  for (const url of urls) {
    try {
      return await connectedTo(new Worker(url, { name: "Sandtable" }), url, scope, health);
    } catch (reason) {
      refusal ??= reason;
    }
  }
  if (refusal instanceof SandtableError) {
    throw refusal;
  }
  throw new SandtableError("NoWorker", `No worker can be started from ${[...urls].join(" or ")}: ${refusal.message}`, { cause: refusal });
}

async function connectedTo(worker, url, scope, health) {
  const open = (port) => worker.postMessage({ sandtable: PROTOCOL, type: "connect", scope, waits: true }, [port]);
  const connection = new Connection(open, { plain: true, health });
  let failed;
  const failure = new Promise((_, reject) => {
    failed = (event) => reject(new SandtableError("NoWorker", `${url} cannot be started as a worker. ${event.message ?? "Is it there, and does the page's policy (worker-src) allow it?"}`));
    worker.addEventListener("error", failed);
  });
  try {
    await Promise.race([connection.line(), failure]);
    return { worker, connection };
  } catch (reason) {
    connection.close();
    worker.terminate();
    throw reason;
  } finally {
    worker.removeEventListener("error", failed);
  }
}

// ---- both

/** Has told what is listened for, as far as a worker tells it or it is about how that is. */
function watch(names, told, { connection, scope, health }) {
  const wanted = names.filter((name) => name === "change" || name === "request");
  health.tell = told;
  connection.watch(scope, careful(names) ? [...wanted, "state"] : wanted, (name, detail) => (name === "state" ? health.learn(detail) : told(name, detail)));
}

/** Whether somebody wants to know that something does not work. */
function careful(names) {
  return names.includes("error") || names.includes("recovered");
}

/** What has been so for a while that a name is about. */
function standing(name, health) {
  return name === "error" ? health.troubles : [];
}

/** Fills the store in one page at a time, again if it was begun and the page closed before it was done. */
function seeding(scope, work) {
  const key = "sandtable seeding " + scope;
  return navigator.locks.request(key, async () => {
    await work(kept("localStorage", key) !== null, () => keep("localStorage", key, "begun"));
    keep("localStorage", key, null);
  });
}

function kept(storage, key) {
  try {
    return globalThis[storage].getItem(key);
  } catch {
    return null; // switched off
  }
}

function keep(storage, key, value) {
  try {
    value === null ? globalThis[storage].removeItem(key) : globalThis[storage].setItem(key, value);
  } catch {
    // Switched off, or full.
  }
}

export { start, SandtableError, version };
