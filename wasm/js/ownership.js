// One owner of the store: of two workers of a scope, as there are during an
// update, only the one that holds the Web Lock may open it.

// How long a new worker waits for the old one to give the store up, in
// milliseconds; after that the request is refused and the next one tries again.
// The lock of a worker that was killed is free at once.
const HANDOVER = 10000;

const HELD = "Another tab or another version holds the store and does not give it up. Close the other tabs of this site, or restart the browser.";

class Ownership {
  #name;
  #giveUp;
  #next; // the lock of a worker that is taking the scope over
  #left; // the lock of a worker that is making way for it
  #channel;

  /**
   * @param {string} name of the lock and the channel: one per scope
   * @param {object} owner
   * @param {() => Promise<void>} owner.giveUp called when another worker wants
   *   the store, or has it already; whoever took it closes it then, and releases it
   * @param {() => Promise<void>} owner.leave called when another worker is to
   *   serve the scope from now on; fulfilled when that one can
   */
  constructor(name, { giveUp, leave }) {
    this.#name = name;
    this.#giveUp = giveUp;
    this.#next = name + " next";
    this.#left = name + " left";
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => {
      if (data === "give up") {
        giveUp();
      } else if (data === "leave") {
        navigator.locks.request(this.#left, leave);
      }
    };
  }

  /**
   * Has the worker that serves the scope make way for as long as some work
   * takes, which begins when it has. A lock says so, since that worker may be
   * stopped and started again in the meantime.
   */
  succeed(work) {
    return navigator.locks.request(this.#next, async () => {
      this.#channel.postMessage("leave");
      const release = await this.take(); // one that has the store has heard it then
      release();
      await navigator.locks.request(this.#left, { mode: "shared" }, () => {});
      return work();
    });
  }

  /** Whether another worker is taking the scope over at this moment. */
  async succeeded() {
    const { held } = await navigator.locks.query();
    return held.some(({ name }) => name === this.#next);
  }

  /** Fulfilled when no worker is taking the scope over, be it that one has or that it gave up. */
  settled() {
    return navigator.locks.request(this.#next, { mode: "shared" }, () => {});
  }

  /**
   * Takes the store from its owner, if it has one. Fulfilled with the function that releases it.
   *
   * @param {object} [how]
   * @param {number} [how.patience] how long the owner may take to give it up, in milliseconds
   * @param {boolean} [how.steal] does not ask the owner, which is suspended. If that wakes up in the
   *   middle of a write, the write fails: the storage sees to that (see engine/idbstorage)
   */
  take({ patience = HANDOVER, steal = false } = {}) {
    this.#channel.postMessage("give up");
    return new Promise((resolve, reject) => {
      let held = false;
      const hold = () => {
        held = true;
        return new Promise((release) => resolve(release));
      };
      navigator.locks
        .request(this.#name, steal ? { steal } : { signal: AbortSignal.timeout(patience) }, hold)
        // A lock that was held is stolen: by one that found this worker suspended.
        .catch(() => (held ? this.#giveUp() : reject(new Trouble("held", HELD))));
    });
  }
}
