// The app's service worker: the Table service and the app's offline cache.

const VERSION = "{{.Version}}";
const FILES = "filesOfThisBuild"; // and their digests, by path
const PAGES = "pagesOfThisBuild";
const PROGRAM = "{{.Program}}"; // named by its content, as the next is

// Go's own loader; only the top level of a classic worker may import.
importScripts("{{.WasmExec}}");

const scope = self.registration.scope;
const shell = new Shell(scope, VERSION, FILES, PAGES);
const service = new Service({ scope, build: VERSION, file: () => shell.file(PROGRAM) });

service.listen();

// Only the app's own files are answered here; for the rest the worker might as
// well not be there.
self.addEventListener("fetch", (event) => {
  if (addressed(event.request.url, scope) === null && shell.handles(event.request)) {
    event.respondWith(shell.answer(event.request));
  }
});

// A first version serves at once. Another one waits until it is told to take
// over (see service.js): no page is to find itself with a worker that is of
// another version than it is.
self.addEventListener("install", (event) => {
  event.waitUntil(
    shell.install().catch(async (reason) => {
      await tellPages({ type: "install failed", build: VERSION, message: reason.message });
      throw reason;
    }),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([shell.clean(), self.clients.claim()]));
  service.warmUp();
});

// Woken up by some event, most likely a request.
if (self.serviceWorker?.state === "activated") {
  service.wake();
  shell.restore().catch(() => {}); // the host may have another build by now, or be out of reach
}
