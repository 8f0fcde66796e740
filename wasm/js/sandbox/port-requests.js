// The program's end of the bridge: requests that go out over a port, and the
// answers that come back. bridge.js is the page's end.

/**
 * @typedef {object} Arrived an answer as it comes over the port
 * @property {number} status
 * @property {string} statusText
 * @property {[string, string][]} headers
 * @property {ArrayBuffer} body
 */

/** The message of a page that answers no more requests. */
export const CLOSED = "closed";

export class PortRequests {
  /** @type {Map<number, {resolve: (answer: Arrived) => void, reject: (reason: Error) => void}>} */
  #waiting = new Map();
  #post;
  #settled;
  #last = 0;

  /**
   * @param {(message: unknown[], transfer: Transferable[]) => void} post sends a message over the port
   * @param {() => void} [settled] called when a request ends without an answer
   */
  constructor(post, settled = () => {}) {
    this.#post = post;
    this.#settled = settled;
  }

  /** The number of requests without an answer. */
  get size() {
    return this.#waiting.size;
  }

  /**
   * @param {RequestInfo | URL} input
   * @param {RequestInit} [init]
   * @returns {Promise<Response>}
   */
  async fetch(input, init) {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const id = this.#reserve(); // the program is not at its end while the body is read
    try {
      const bodiless = request.method === "GET" || request.method === "HEAD";
      const body = bodiless ? null : await request.arrayBuffer();
      // A Request leaves out what only browsers may set: a program may look at a preflight all the same.
      const headers = request.method === "OPTIONS" && init?.headers !== undefined ? new Headers(init.headers) : request.headers;
      return responseOf(await this.#send(id, [request.method, request.url, [...headers], body], request.signal));
    } catch (reason) {
      this.#waiting.delete(id);
      this.#settled();
      throw reason;
    }
  }

  /**
   * @param {string} method
   * @param {string} url
   * @param {[string, string][]} headers
   * @param {ArrayBuffer | null} body which this transfers
   * @param {AbortSignal} [signal]
   * @returns {Promise<Arrived>}
   */
  send(method, url, headers, body, signal) {
    return this.#send(this.#reserve(), [method, url, headers, body], signal);
  }

  #reserve() {
    const id = ++this.#last;
    this.#waiting.set(id, { resolve() {}, reject() {} });
    return id;
  }

  /**
   * @param {number} id
   * @param {[string, string, [string, string][], ArrayBuffer | null]} message
   * @param {AbortSignal} [signal]
   * @returns {Promise<Arrived>}
   */
  #send(id, message, signal) {
    return new Promise((resolve, reject) => {
      const abort = () => {
        if (this.#waiting.delete(id)) {
          reject(signal?.reason);
          this.#settled();
        }
      };
      if (signal?.aborted) {
        return abort(); // such as while the body was read
      }
      signal?.addEventListener("abort", abort, { once: true });
      const stopListening = () => signal?.removeEventListener("abort", abort);
      this.#waiting.set(id, {
        resolve(answer) {
          stopListening();
          resolve(answer);
        },
        reject(reason) {
          stopListening();
          reject(reason);
        },
      });
      const [, , , body] = message;
      this.#post(["fetch", id, message], body === null ? [] : [body]);
    });
  }

  /** @param {any} message [id, answer], or [id, why the request failed] */
  receive([id, answer]) {
    const waiter = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (typeof answer === "string") {
      waiter?.reject(new TypeError(answer));
    } else {
      waiter?.resolve(answer);
    }
  }

  /** @param {Error} reason why no answer comes any more */
  end(reason) {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    waiting.forEach(({ reject }) => reject(reason));
  }
}

/** @param {Arrived} answer */
function responseOf({ status, statusText, headers, body }) {
  const empty = status === 204 || status === 304 || body.byteLength === 0;
  return new Response(empty ? null : body, { status, statusText, headers });
}
