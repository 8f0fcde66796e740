// The service worker: Sandtable's engine and the app's offline cache.
//
// Thin on purpose. It decides from the URL whether a request is ours; every
// rule of the service is in Go. It can be killed at any moment and keeps
// nothing that would be missed.

const VERSION = "{{.Version}}";
const RESOURCES = {{.ResourcesToCache}};
const PROGRAM = "{{.Program}}"; // named by its content, as the next is

// Go's own loader; only the top level of a classic worker may import.
importScripts("{{.WasmExec}}");

const scope = self.registration.scope;
const shell = new Shell(scope, VERSION, RESOURCES);
const accounts = new Accounts({ open: () => caches.open("sandtable-accounts " + scope) }, scope);
const engine = new Engine(launch);
const ownership = new Ownership("sandtable " + scope, () => engine.giveUp());

/** Loads the program, takes the store and runs it. */
async function launch() {
  if (self.serviceWorker?.state === "redundant") {
    throw new Error("A newer version of Sandtable has taken over.");
  }
  const go = new Go();
  const instance = await instantiate(go.importObject);
  const release = await ownership.take();
  let program = null;
  try {
    program = await Program.start(go, instance, { build: VERSION, store: "sandtable " + scope });
    program.ended.then(release);
    const counted = recount(program);
    if (accounts.known) {
      counted.catch(() => {}); // the list of the worker's last life holds: nobody has to wait for another
    } else {
      await counted;
    }
    return program;
  } catch (reason) {
    await program?.close();
    release();
    throw reason;
  }
}

async function instantiate(imports) {
  const response = await shell.file(PROGRAM);
  if (response.headers.get("Content-Type") === "application/wasm") {
    return (await WebAssembly.instantiateStreaming(response, imports)).instance;
  }
  return (await WebAssembly.instantiate(await response.arrayBuffer(), imports)).instance;
}

/** Asks a program for the accounts that live here. */
async function recount(program) {
  const response = await program.serve("GET " + new URL(scope).origin + "/_sandtable/accounts", null);
  const answer = await response.json();
  await accounts.remember(answer.accounts.map(({ name }) => name));
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const target = addressed(request.url, scope);
  if (target === null) {
    // Not the service. Only the app's own files are answered, for the rest
    // the worker might as well not be there.
    if (shell.handles(request)) {
      event.respondWith(shell.answer(request));
    }
    return;
  }
  // A cloud account of someone's own: the network's, untouched.
  if (target.account !== null && accounts.has(target.account) === false) {
    return;
  }
  event.respondWith(answer(request, target));
});

/** Answers what is ours; the first requests of a worker's life also find out whether it is. */
async function answer(request, target) {
  if (target.account !== null && accounts.has(target.account) === null) {
    await findAccounts();
    if (accounts.has(target.account) === false) {
      return fetch(request);
    }
  }
  const response = await engine.answer(request, target.url);
  if (request.method !== "GET" && response.ok && new URL(target.url).pathname.startsWith("/_sandtable/accounts")) {
    await engine.start().then(recount).catch(() => accounts.forget());
  }
  return response;
}

/** Recalls the list of accounts, or has the engine make it; without both the engine will say what is wrong. */
async function findAccounts() {
  try {
    (await accounts.recall()) || (await within(PATIENCE, engine.start()));
  } catch {
    // Unknown stays unknown.
  }
}

self.addEventListener("install", (event) => {
  event.waitUntil(shell.install().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([shell.clean(), self.clients.claim()]));
  warmUp();
});

/** Starts the engine before it is asked for; a failure will show in the answer to a request. */
function warmUp() {
  engine.start().catch(() => {});
}

// Woken up by some event, most likely a request.
if (self.serviceWorker?.state === "activated") {
  accounts.recall().catch(() => {});
  warmUp();
}
