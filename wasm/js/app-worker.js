// The app's service worker: the Table service and the app's offline cache.

import { loadGo } from "wasm_exec";
import { addressed } from "./address.js";
import { messageOf } from "./answers.js";
import { Messages } from "./messages.js";
import { notifyPages, serviceWorker, serviceWorkerState } from "./pages.js";
import { Service } from "./service.js";
import { Shell } from "./shell.js";

const worker = serviceWorker();
const { scope } = worker.registration;
const Go = loadGo(self);
const shell = new Shell(scope, VERSION, FILES, PAGES);
const service = new Service({ scope, build: VERSION, file: () => shell.file(PROGRAM), newGo: () => new Go() });

service.listen();
new Messages(service, VERSION, navigator.locks, scope).listen(); // for embedding pages under the app's path

// Besides the service, only the app's own files are answered here.
worker.addEventListener("fetch", (event) => {
  if (addressed(event.request.url, scope) === null && shell.handles(event.request)) {
    event.respondWith(shell.answer(event.request));
  }
});

// The first version serves at once. A later one waits until a page activates it
// (see service.js): no page must end up with a worker of another version.
worker.addEventListener("install", (event) => {
  event.waitUntil(
    shell.install().catch(async (reason) => {
      await notifyPages({ type: "install failed", build: VERSION, message: messageOf(reason) });
      throw reason;
    }),
  );
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([shell.clean(), worker.clients.claim()]));
  service.warmUp();
});

if (serviceWorkerState() === "activated") {
  service.wake();
  shell.restore().catch(() => {}); // the host may serve another build by now, or be unreachable
}
