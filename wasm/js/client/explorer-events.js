// The events of the engine as an EventSource, which the explorer's page expects. A
// real one would have to be in the scope of a service worker. A source that says
// after which event it wants to continue gets "lost" if it has missed one.

const OPEN = 1;
const CLOSED = 2;

/** @typedef {{address: URL, target: EventTarget}} Source */

export class ExplorerEvents {
  /** @type {Set<Source>} */
  #sources = new Set();
  #last = 0; // counts the events
  /** @type {((state: object) => void) | null} */
  #listener = null;
  /** @type {object | null} the last state */
  #state = null;

  /** The class that takes the place of EventSource in this page. */
  get source() {
    const sources = this.#sources;
    const begin = (/** @type {Source} */ source) => this.#begin(source);
    return class extends EventTarget {
      readyState = OPEN;
      #source;

      /** @param {string} address */
      constructor(address) {
        super();
        this.#source = { address: new URL(address), target: this };
        sources.add(this.#source);
        setTimeout(begin, 0, this.#source); // it has its listeners by then
      }

      close() {
        this.readyState = CLOSED;
        sources.delete(this.#source);
      }
    };
  }

  /** @param {((state: object) => void) | null} listener gets the last state, and later ones */
  watchState(listener) {
    this.#listener = listener;
    if (this.#state !== null) {
      listener?.(this.#state);
    }
  }

  /**
   * Delivers an event of the worker.
   *
   * @param {string} name
   * @param {any} [detail]
   */
  notify(name, detail = {}) {
    if (name === "state") {
      this.#state = detail;
      this.#listener?.(detail);
      return;
    }
    this.#last++;
    for (const source of [...this.#sources]) {
      this.#send(source, name, detail);
    }
  }

  /** @param {Source} source */
  #begin(source) {
    const after = source.address.searchParams.get("after");
    const missed = after !== null && after !== String(this.#last);
    if (this.#sources.has(source)) {
      this.#send(source, missed ? "lost" : "start", {});
    }
  }

  /**
   * @param {Source} source
   * @param {string} name
   * @param {any} detail
   */
  #send({ target }, name, detail) {
    target.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(detail), lastEventId: String(this.#last) }));
  }
}
