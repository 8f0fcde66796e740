// Detects a tab that the system has suspended: it keeps its locks and falls
// silent, and its silence is the only sign.

// How long a peer may be silent before it is pinged, and how long its answer to
// the ping may take then, in milliseconds. A busy engine answers in a fraction
// of that.
const SILENCE = 5000;

export class Heartbeat {
  #ping;
  #dead;
  /** @type {ReturnType<typeof setTimeout> | undefined} set while the peer is watched */
  #timer;
  /** @type {number | null} when it was pinged, if nothing was heard since */
  #pinged = null;

  /**
   * @param {() => void} ping asks the peer for a sign of life
   * @param {() => void} dead called once when none came
   */
  constructor(ping, dead) {
    this.#ping = ping;
    this.#dead = dead;
  }

  /** Watches the peer from now on. */
  start() {
    this.#timer ??= setTimeout(this.#check, SILENCE);
  }

  /** The peer said something. */
  heard() {
    this.#pinged = null;
  }

  /** Stops watching. */
  stop() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pinged = null;
  }

  #check = () => {
    const now = performance.now();
    // If this tab was suspended as well, what came meanwhile has not been delivered yet: ping again.
    if (this.#pinged !== null && now - this.#pinged < 2 * SILENCE) {
      this.stop();
      this.#dead();
      return;
    }
    this.#pinged = now;
    this.#timer = setTimeout(this.#check, SILENCE);
    this.#ping();
  };
}
