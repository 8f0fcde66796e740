// A newer version of the service worker, which waits until a page activates it.

import { PROTOCOL } from "../protocol.js";
import { SandtableError } from "./errors.js";

/** @import { UpdateEvent } from "./sandtable.d.ts" */

// The interval between requests to a worker to activate itself, in milliseconds:
// messages to a worker that is being stopped are lost.
const REPEAT = 1000;

// The limit for the activation, in milliseconds. Some browsers wait until the other
// worker has been idle for half a minute.
const TIMEOUT = 60_000;

/** Reports each newer version of a registration once. */
export class Updates {
  #registration;
  /** @type {ServiceWorker | null} the version reported last */
  #notified = null;
  /** @type {(update: UpdateEvent) => void} called with each version that comes */
  notify = () => {};

  /** @param {ServiceWorkerRegistration} registration that may be installing one already */
  constructor(registration) {
    this.#registration = registration;
    registration.addEventListener("updatefound", this.#found);
    this.#found();
  }

  /**
   * The currently waiting version, if any.
   *
   * @returns {UpdateEvent | null}
   */
  waiting() {
    const { waiting, active } = this.#registration;
    if (!waiting || !active) {
      return null;
    }
    this.#notified = waiting;
    return { take: () => activate(waiting) };
  }

  close() {
    this.notify = () => {};
    this.#registration.removeEventListener("updatefound", this.#found);
  }

  #found = () => {
    this.#registration.installing?.addEventListener("statechange", () => this.#changed());
  };

  #changed() {
    const update = this.#registration.waiting === this.#notified ? null : this.waiting();
    if (update !== null) {
      this.notify(update);
    }
  }
}

/**
 * Activates a waiting worker.
 *
 * @param {ServiceWorker | null} worker null if another page was faster
 * @param {number} [timeout] in milliseconds
 * @returns {Promise<void>} fulfilled when it is active, by whichever page
 */
export function activate(worker, timeout = TIMEOUT) {
  if (worker === null) {
    return Promise.resolve();
  }
  return new Promise((resolve, reject) => {
    const end = () => {
      clearInterval(again);
      clearTimeout(late);
      worker.removeEventListener("statechange", check);
    };
    const refuse = (/** @type {string} */ message) => {
      end();
      reject(new SandtableError("NotControlled", message));
    };
    const activate = () => worker.postMessage({ sandtable: PROTOCOL, type: "activate" });
    const check = () => {
      if (worker.state === "activated") {
        end();
        resolve();
      } else if (worker.state === "redundant") {
        refuse("The new version could not be activated: reload the page.");
      } else if (worker.state !== "installed") {
        clearInterval(again); // it is being activated
      }
    };
    const again = setInterval(activate, REPEAT);
    const late = setTimeout(() => refuse("The new version was not activated yet. It will be when no page of this site has sent a request for half a minute, or when all are closed."), timeout);
    worker.addEventListener("statechange", check);
    if (worker.state === "installed") {
      activate();
    }
    check();
  });
}
