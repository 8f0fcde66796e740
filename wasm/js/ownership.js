// One owner of the store: during an update two workers of a scope exist, and
// only the one that holds the Web Lock may open the store.
//
// The steps of a hand-over have the same names everywhere: a worker acquires the
// store; it releases the store when another one asks; the lock is stolen from a
// suspended worker, which cannot release it; a replaced worker shuts down.

import { StartError } from "./program.js";

// How long a worker waits for the owner to release the store, in milliseconds.
// After that the request is refused, and the next one retries. A killed worker's lock
// is free at once.
const RELEASE = 10_000;

const HELD = "Another tab or another version holds the store and does not release it. Close the other tabs of this site, or restart the browser.";

export class Ownership {
  #name;
  #release;
  #replacing; // the lock of a worker that is replacing the one that serves the scope
  #shuttingDown; // the lock of the worker that serves the scope, until it has shut down
  #channel;

  /**
   * @param {string} name of the lock and the channel: one per scope
   * @param {object} owner
   * @param {() => Promise<void>} owner.release called when another worker wants the store, or has
   *   stolen it: closes the store, and then calls what acquire returned
   * @param {() => Promise<void>} owner.shutDown called when another worker replaces this one;
   *   fulfilled when that one can start
   * @param {() => void} owner.listed called when another worker has changed the stored list of accounts
   */
  constructor(name, { release, shutDown, listed }) {
    this.#name = name;
    this.#release = release;
    this.#replacing = name + " replacing";
    this.#shuttingDown = name + " shutting down";
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => {
      if (data === "release") {
        release();
      } else if (data === "shutDown") {
        navigator.locks.request(this.#shuttingDown, shutDown);
      } else if (data === "listed") {
        listed();
      }
    };
  }

  /** Notifies the other workers that the stored list of accounts has changed. */
  announceList() {
    this.#channel.postMessage("listed");
  }

  /**
   * Makes the worker that serves the scope shut down, and runs work when it has.
   * A lock shows this for as long as work takes, because that worker may be stopped and
   * restarted in the meantime.
   *
   * @param {() => Promise<void>} work
   */
  replace(work) {
    return navigator.locks.request(this.#replacing, async () => {
      this.#channel.postMessage("shutDown");
      const release = await this.acquire(); // the owner gets the message before it releases the store
      release();
      await navigator.locks.request(this.#shuttingDown, { mode: "shared" }, () => {});
      return work();
    });
  }

  /** Whether another worker is replacing this one right now. */
  async replaced() {
    const { held } = await navigator.locks.query();
    return held?.some(({ name }) => name === this.#replacing) ?? false;
  }

  /**
   * Resolves when no worker is replacing another any more.
   *
   * @returns {Promise<void>}
   */
  settled() {
    return navigator.locks.request(this.#replacing, { mode: "shared" }, () => {});
  }

  /**
   * Acquires the store after asking its owner, if any, to release it.
   *
   * @param {object} [how]
   * @param {number} [how.timeout] how long the owner may take, in milliseconds
   * @param {boolean} [how.steal] takes it from an owner that is suspended. If that one wakes up in the
   *   middle of a write, the write fails: the store is fenced (see engine/idbstorage)
   * @returns {Promise<() => void>} the function that releases it
   */
  acquire({ timeout = RELEASE, steal = false } = {}) {
    this.#channel.postMessage("release");
    return new Promise((resolve, reject) => {
      let held = false;
      const hold = () => {
        held = true;
        return new Promise((release) => resolve(() => release(undefined)));
      };
      navigator.locks
        .request(this.#name, steal ? { steal } : { signal: AbortSignal.timeout(timeout) }, hold)
        // A lock that was held has been stolen: this worker was suspended.
        .catch(() => (held ? this.#release() : reject(new StartError("held", HELD))));
    });
  }
}
