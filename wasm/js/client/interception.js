// Whether a page's requests come to its service worker. It can change while the
// page is open: tools switch that off, site data are cleared, another worker
// takes the scope.

const bypassed = 'Requests of this page are not answered by its worker. Does the developer tool have "Bypass for network" on, or does a listener of the site\'s own worker answer them first?';

/** Asks the worker how it is, by a fetch; fulfilled with null if somebody else answered. */
async function stateByFetch(scope) {
  const state = await fetch(scope + "_sandtable/worker", { cache: "no-store" })
    .then((response) => response.json())
    .catch(() => null);
  return typeof state?.sandtable === "number" ? state : null;
}

/** Shows that a fetch of this page is answered by the worker: tools can switch that off. */
async function intercepted(scope) {
  if ((await stateByFetch(scope)) === null) {
    throw new SandtableError("NotIntercepted", bypassed);
  }
}

/** Looks whether it is still so when somebody comes back to the page, and when another worker controls it. */
class Interception {
  #registration;
  #health;
  #looking = null; // the promise of it
  #again = false; // what is being looked at may have changed since
  #release = null; // what ends watching

  /**
   * @param {ServiceWorkerRegistration} registration
   * @param {Health} health is told
   */
  constructor(registration, health) {
    this.#registration = registration;
    this.#health = health;
  }

  /** Looks from now on, or no more. */
  watch(wanted) {
    if (wanted === (this.#release !== null)) {
      return;
    }
    if (!wanted) {
      this.#release();
      this.#release = null;
      return;
    }
    const { serviceWorker } = navigator;
    const lookAnew = () => {
      this.#again = true;
      this.#look();
    };
    const release = onReturn(() => this.#look());
    serviceWorker.addEventListener("controllerchange", lookAnew);
    this.#release = () => {
      release();
      serviceWorker.removeEventListener("controllerchange", lookAnew);
    };
    if (this.#health.troubles.some(({ code }) => code === "NotIntercepted")) {
      lookAnew(); // nobody has, for a while
    }
  }

  #look() {
    this.#looking ??= this.#judge().finally(() => (this.#looking = null));
  }

  async #judge() {
    let state;
    do {
      this.#again = false;
      state = await stateByFetch(this.#registration.scope);
    } while (this.#again);
    if (this.#release === null) {
      return; // nobody wants to know any more
    }
    if (state === null) {
      this.#health.begins("interception", new SandtableError("NotIntercepted", this.#why()));
    } else {
      this.#health.ends("interception");
      this.#health.learn(state);
    }
  }

  #why() {
    const { controller } = navigator.serviceWorker;
    if (controller === null) {
      return "This page's service worker was removed, as when a site's data are cleared. A reload of the page brings it back.";
    }
    if (controller !== this.#registration.active) {
      return `Another worker answers the requests of this page: ${controller.scriptURL}. Was it registered for the same scope?`;
    }
    return bypassed;
  }
}

/**
 * Calls a listener, perhaps more than once, when somebody comes back to the page.
 *
 * @returns {() => void} ends it
 */
function onReturn(listener) {
  const returned = () => document.visibilityState === "visible" && listener();
  const targets = [
    [globalThis, "focus"],
    [globalThis, "pageshow"],
    [document, "visibilitychange"],
  ];
  targets.forEach(([target, event]) => target.addEventListener(event, returned));
  return () => targets.forEach(([target, event]) => target.removeEventListener(event, returned));
}
