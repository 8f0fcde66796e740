// Detects a tab that the system has suspended: it keeps its locks, and its silence is
// the only sign.

// How long a peer may be silent before it is pinged, and how long its answer to the
// ping may take, in milliseconds. A busy engine answers in a fraction of that.
const SILENCE = 5000;

export class Heartbeat {
  #ping;
  #dead;
  /** @type {ReturnType<typeof setTimeout> | undefined} set while the peer is watched */
  #timer;
  /** @type {number | null} when it was pinged, if nothing was heard since */
  #pinged = null;

  /**
   * @param {() => void} ping asks the peer for a heartbeat
   * @param {() => void} dead called once if none came
   */
  constructor(ping, dead) {
    this.#ping = ping;
    this.#dead = dead;
  }

  /** Watches the peer from now on. */
  start() {
    this.#timer ??= setTimeout(this.#check, SILENCE);
  }

  /** Records a message from the peer. */
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
    // If this tab was suspended too, the peer's messages have not been delivered yet: ping again.
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
