// One owner of the store: of two workers of a scope, as there are during an
// update, only the one that holds the Web Lock may open it.

// How long a new worker waits for the old one to give the store up, in
// milliseconds; after that the request is refused and the next one tries again.
// The lock of a worker that was killed is free at once.
const HANDOVER = 10000;

class Ownership {
  #name;
  #channel;

  /**
   * @param {string} name of the lock and the channel: one per scope
   * @param {() => Promise<void>} giveUp called when another worker wants the
   *   store; whoever took it closes it then, and releases it
   */
  constructor(name, giveUp) {
    this.#name = name;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => {
      if (data === "give up") {
        giveUp();
      }
    };
  }

  /** Takes the store from its owner, if it has one. Fulfilled with the function that releases it. */
  take(patience = HANDOVER) {
    this.#channel.postMessage("give up");
    return new Promise((resolve, reject) => {
      const hold = () => new Promise((release) => resolve(release));
      navigator.locks
        .request(this.#name, { signal: AbortSignal.timeout(patience) }, hold)
        .catch(() => reject(new Error("Another version of Sandtable does not give its store up.")));
    });
  }
}
