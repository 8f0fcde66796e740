// The worker of embedding sites: as their service worker, imported by it, or as a
// plain worker where there are no service workers. It answers only our requests and
// leaves the site's decisions to the site: it neither skips waiting nor claims pages
// unless a page asks for it.

import { loadGo } from "wasm_exec";
import { addressed } from "./address.js";
import { messageOf } from "./answers.js";
import { Messages } from "./messages.js";
import { OfflineFiles } from "./offline.js";
import { serviceWorker, serviceWorkerState } from "./pages.js";
import { ProgramFile } from "./program-file.js";
import { Relay } from "./relay.js";
import { Service } from "./service.js";

// The program is in the folder of this script, which another script may have
// imported. Only a stack trace reveals the folder.
const HERE = /[a-z-]+:\/\/[^\s)]+?\.[cm]?js(?=[?:#])/.exec(new Error().stack ?? "")?.[0] ?? self.location.href;

// The explorer's page is in a folder next to it.
const EXPLORER = new URL("explorer/", HERE).href;

const Go = loadGo(self);
const newGo = () => new Go();

/**
 * Runs as a service worker.
 *
 * @param {string} scope
 */
function serve(scope) {
  const worker = serviceWorker();
  const file = new ProgramFile(scope, VERSION, new URL(PROGRAM, HERE).href, DIGEST);
  const service = new Service({ scope, build: VERSION, file: () => file.get(), newGo });
  service.listen();
  new Messages(service, VERSION, navigator.locks, EXPLORER).listen();
  keepOffline(worker, scope);
  worker.addEventListener("install", (event) => event.waitUntil(file.get()));
  worker.addEventListener("activate", (event) => event.waitUntil(file.clean()));
  if (serviceWorkerState() === "activated") {
    service.wake();
  }
}

/**
 * Caches the files that pages list for offline use. If another script imported this
 * one, that is the site's own worker, which caches its files itself.
 *
 * @param {ServiceWorkerGlobalScope} worker
 * @param {string} scope
 */
function keepOffline(worker, scope) {
  const files = HERE === worker.location.href.split(/[?#]/, 1)[0] ? new OfflineFiles(scope) : null;
  worker.addEventListener("message", (event) => {
    if (typeof event.data?.sandtable === "number" && event.data.type === "offline") {
      const [port] = event.ports;
      port.postMessage({ accepted: files !== null });
      const failed = (/** @type {unknown} */ reason) => port.postMessage({ failed: messageOf(reason) });
      event.waitUntil(Promise.resolve(files?.keep(event.data.files)).catch(failed).then(() => port.close()));
    }
  });
  worker.addEventListener("fetch", (event) => {
    const { url } = event.request;
    if (files !== null && url.startsWith(scope) && addressed(url, scope) === null && files.handles(event.request)) {
      event.respondWith(files.answer(event.request));
    }
  });
}

/**
 * Runs as a plain worker.
 *
 * @param {string} scope of the pages that it serves
 */
function relay(scope) {
  // A service worker of the scope may be of another version, and needs its engine as long as it serves.
  const file = new ProgramFile("plain " + scope, VERSION, new URL(PROGRAM, HERE).href, DIGEST);
  const service = new Service({ scope, build: VERSION, file: () => file.get(), newGo });
  file.clean().catch(() => {});
  return new Relay(scope, service, new Messages(service, VERSION, navigator.locks, EXPLORER));
}

if ("registration" in self) {
  serve(serviceWorker().registration.scope);
} else {
  /** @type {Relay | null} */
  let relayed = null;
  self.addEventListener("message", (event) => {
    const { data, ports } = /** @type {MessageEvent} */ (event);
    if (typeof data?.sandtable === "number" && data.type === "connect") {
      relayed ??= relay(data.scope);
      relayed.connect(ports[0]);
    }
  });
}
