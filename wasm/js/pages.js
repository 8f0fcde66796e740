// The service worker's global scope and its pages.

import { PROTOCOL } from "./protocol.js";

/** The global object, typed as a service worker's. A plain worker lacks the service worker members. */
export const serviceWorker = () => /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/** The state of this service worker; undefined in a plain worker and in browsers that do not expose it. */
export const serviceWorkerState = () => /** @type {Partial<ServiceWorkerGlobalScope>} */ (serviceWorker()).serviceWorker?.state;

/**
 * Sends a message to all pages of this scope, including those that another worker serves.
 *
 * @param {object} message
 */
export async function notifyPages(message) {
  const { clients, registration } = serviceWorker();
  if (clients === undefined) {
    return; // a plain worker's only page subscribes to what it needs
  }
  const pages = await clients.matchAll({ includeUncontrolled: true, type: "window" });
  for (const page of pages) {
    if (page.url.startsWith(registration.scope)) {
      page.postMessage({ sandtable: PROTOCOL, ...message });
    }
  }
}
