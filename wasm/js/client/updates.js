// A newer version of the service worker, which waits until a page has it take over.

// How often a worker is told to take over: what it hears while the browser
// stops it is lost. In milliseconds.
const TELL = 1000;

// How long that may take, in milliseconds. Some browsers wait until the other
// worker has had nothing to do for half a minute.
const TAKE = 60_000;

/** What a registration has of newer versions, told of once each. */
class Updates {
  #registration;
  #told = null; // the worker that was told of last
  /** Called with each version that comes. */
  tell = () => {};

  /** @param {ServiceWorkerRegistration} registration one may be under way in it already */
  constructor(registration) {
    this.#registration = registration;
    registration.addEventListener("updatefound", this.#found);
    this.#found();
  }

  /** The version that waits now, if there is one. */
  waiting() {
    const { waiting, active } = this.#registration;
    if (!waiting || !active) {
      return null;
    }
    this.#told = waiting;
    return { take: () => takenOver(waiting) };
  }

  close() {
    this.tell = () => {};
    this.#registration.removeEventListener("updatefound", this.#found);
  }

  #found = () => {
    this.#registration.installing?.addEventListener("statechange", () => this.#look());
  };

  #look() {
    const { waiting } = this.#registration;
    const update = waiting === this.#told ? null : this.waiting();
    if (update !== null) {
      this.tell(update);
    }
  }
}

/**
 * Has a worker that waits take over.
 *
 * @param {ServiceWorker | null} worker none if another page was quicker
 * @param {number} [limit] how long it may take, in milliseconds
 * @returns {Promise<void>} fulfilled when it has, by whichever page
 */
function takenOver(worker, limit = TAKE) {
  return new Promise((resolve, reject) => {
    const over = (settle, value) => {
      clearInterval(again);
      clearTimeout(late);
      worker?.removeEventListener("statechange", look);
      settle(value);
    };
    const refuse = (message) => over(reject, new SandtableError("NotControlled", message));
    const tell = () => worker.postMessage({ sandtable: PROTOCOL, type: "take over" });
    const look = () => {
      if (worker === null || worker.state === "activated") {
        over(resolve);
      } else if (worker.state === "redundant") {
        refuse("The new version could not take over: reload the page.");
      } else if (worker.state !== "installed") {
        clearInterval(again); // it is on its way
      }
    };
    const again = setInterval(() => tell(), TELL);
    const late = setTimeout(() => refuse("The new version does not take over. It will when all pages of this site were closed."), limit);
    worker?.addEventListener("statechange", look);
    if (worker?.state === "installed") {
      tell();
    }
    look();
  });
}
