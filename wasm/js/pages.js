// The service worker's own global scope, and the pages below it.

import { PROTOCOL } from "./protocol.js";

/** The global object as a service worker's. In a plain worker it lacks what service workers alone have. */
export const serviceWorker = () => /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/** The state of this service worker; undefined in a plain worker, and where a browser does not say. */
export const serviceWorkerState = () => /** @type {Partial<ServiceWorkerGlobalScope>} */ (serviceWorker()).serviceWorker?.state;

/**
 * Sends a message to all pages of this scope, including those that another worker serves.
 *
 * @param {object} message
 */
export async function notifyPages(message) {
  const { clients, registration } = serviceWorker();
  if (clients === undefined) {
    return; // a plain worker has one page, which watches what it wants to know
  }
  const pages = await clients.matchAll({ includeUncontrolled: true, type: "window" });
  for (const page of pages) {
    if (page.url.startsWith(registration.scope)) {
      page.postMessage({ sandtable: PROTOCOL, ...message });
    }
  }
}
