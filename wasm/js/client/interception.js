// Whether a page's requests reach its service worker. That can change while the
// page is open: developer tools switch it off, site data are cleared, another
// worker takes the scope.

import { SandtableError } from "./errors.js";

/** @import { Health } from "./health.js" */

const bypassed = 'Requests of this page are not answered by its worker. Is "Bypass for network" on in the developer tools, or does a listener of the site\'s own worker answer first?';

/**
 * Reads the worker's state by a fetch; null if the response is not the worker's.
 *
 * @param {string} scope
 */
async function stateByFetch(scope) {
  const state = await fetch(scope + "_sandtable/worker", { cache: "no-store" })
    .then((response) => response.json())
    .catch(() => null);
  return typeof state?.sandtable === "number" ? state : null;
}

/**
 * Throws unless the worker answers a fetch of this page.
 *
 * @param {string} scope
 */
export async function checkIntercepted(scope) {
  if ((await stateByFetch(scope)) === null) {
    throw new SandtableError("NotIntercepted", bypassed);
  }
}

/** Repeats the check when the user returns to the page and when another worker controls it. */
export class Interception {
  #registration;
  #health;
  /** @type {Promise<void> | null} */
  #checking = null;
  #stale = false; // the state may have changed during the check
  /** @type {(() => void) | null} ends watching */
  #stop = null;

  /**
   * @param {Pick<ServiceWorkerRegistration, "scope" | "active">} registration
   * @param {Health} health gets the result
   */
  constructor(registration, health) {
    this.#registration = registration;
    this.#health = health;
  }

  /**
   * Starts or stops checking.
   *
   * @param {boolean} wanted
   */
  watch(wanted) {
    if (wanted === (this.#stop !== null)) {
      return;
    }
    if (!wanted) {
      this.#stop?.();
      this.#stop = null;
      return;
    }
    const { serviceWorker } = navigator;
    const changed = () => {
      this.#stale = true;
      this.#check();
    };
    const stop = onReturn(() => this.#check());
    serviceWorker.addEventListener("controllerchange", changed);
    this.#stop = () => {
      stop();
      serviceWorker.removeEventListener("controllerchange", changed);
    };
    if (this.#health.problems.some(({ code }) => code === "NotIntercepted")) {
      changed(); // the last check is out of date
    }
  }

  #check() {
    this.#checking ??= this.#judge().finally(() => (this.#checking = null));
  }

  async #judge() {
    let state;
    do {
      this.#stale = false;
      state = await stateByFetch(this.#registration.scope);
    } while (this.#stale);
    if (this.#stop === null) {
      return; // no longer watched
    }
    if (state === null) {
      this.#health.report("interception", new SandtableError("NotIntercepted", this.#why()));
    } else {
      this.#health.clear("interception");
      this.#health.update(state);
    }
  }

  #why() {
    const { controller } = navigator.serviceWorker;
    if (controller === null) {
      return "This page's service worker was removed, as when a site's data are cleared. Reload the page to bring it back.";
    }
    if (controller !== this.#registration.active) {
      return `Another worker answers the requests of this page: ${controller.scriptURL}. Was it registered for the same scope?`;
    }
    return bypassed;
  }
}

/**
 * Calls a listener, perhaps more than once, when the user returns to the page.
 *
 * @param {() => void} listener
 * @returns {() => void} ends it
 */
export function onReturn(listener) {
  const returned = () => {
    if (document.visibilityState === "visible") listener();
  };
  /** @type {[EventTarget, string][]} */
  const targets = [
    [window, "focus"],
    [window, "pageshow"],
    [document, "visibilitychange"],
  ];
  targets.forEach(([target, event]) => target.addEventListener(event, returned));
  return () => targets.forEach(([target, event]) => target.removeEventListener(event, returned));
}
