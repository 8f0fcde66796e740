// The app's service worker: the Table service and the app's offline cache.

const VERSION = "{{.Version}}";
const RESOURCES = {{.ResourcesToCache}};
const PROGRAM = "{{.Program}}"; // named by its content, as the next is

// Go's own loader; only the top level of a classic worker may import.
importScripts("{{.WasmExec}}");

const scope = self.registration.scope;
const shell = new Shell(scope, VERSION, RESOURCES);
const service = new Service({ scope, build: VERSION, file: () => shell.file(PROGRAM) });

service.listen();

// Only the app's own files are answered here; for the rest the worker might as
// well not be there.
self.addEventListener("fetch", (event) => {
  if (addressed(event.request.url, scope) === null && shell.handles(event.request)) {
    event.respondWith(shell.answer(event.request));
  }
});

self.addEventListener("install", (event) => {
  event.waitUntil(shell.install().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([shell.clean(), self.clients.claim()]));
  service.warmUp();
});

// Woken up by some event, most likely a request.
if (self.serviceWorker?.state === "activated") {
  service.wake();
}
