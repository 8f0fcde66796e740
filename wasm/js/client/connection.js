// A page's line to the engine's worker, which may end at any time: the browser
// stops it when it is idle, replaces it, or closes the tab that it belongs to.

// How long a page waits for a worker to answer that it is there, in milliseconds.
const CONNECT = 10_000;

// How often a service worker that is used hears that it is, in milliseconds.
// Chromium stops those that have heard of nothing for 30 seconds.
const STAY = 10_000;

const ended = "The worker ended while it served this request, which may or may not have been done.";

class Connection {
  #open;
  #stay;
  #stayed = -Infinity;
  #line = null; // what requests go through
  #opening = null; // the promise of it
  #last = 0; // id of the newest request
  #closed = false;

  /**
   * @param {(port: MessagePort) => void} open hands a port to the worker
   * @param {() => void} [stay] tells it that it is in use
   */
  constructor(open, stay = () => {}) {
    this.#open = open;
    this.#stay = stay;
  }

  /** The line, made if there is none. */
  line() {
    this.#opening ??= this.#connect().catch((reason) => {
      this.#opening = null;
      throw reason;
    });
    return this.#opening;
  }

  async #connect() {
    if (this.#closed) {
      throw new SandtableError("Closed", "This client was closed: start another one.");
    }
    const { port1, port2 } = new MessageChannel();
    let timer;
    const connected = new Promise((resolve, reject) => {
      port1.onmessage = ({ data }) => resolve(data);
      timer = setTimeout(reject, CONNECT, new SandtableError("NotSandtable", "The worker does not answer. If it is the site's own, its first line must be importScripts(\"sandtable-worker.js\")."));
    });
    this.#open(port2);
    const { sandtable, build, life, line: name } = await connected.finally(() => clearTimeout(timer));
    if (sandtable !== PROTOCOL) {
      port1.close();
      throw new SandtableError("OtherVersion", `The worker (build ${build}) is of another version than this page's sandtable.js: reload the page, or deploy both from one build.`);
    }
    const line = new Line(name === undefined ? port1 : tuned(name), build, life);
    line.ended.then(() => this.renew(line));
    this.#line = line;
    return line;
  }

  /** Has the next request make a line of its own, as when another worker has taken over. */
  renew(line = this.#line) {
    if (this.#line === line) {
      this.#line = null;
      this.#opening = null;
    }
  }

  /**
   * Sends a request. A worker that ends is woken up for those that only read;
   * others are answered as the service does when it is busy, which SDKs retry.
   *
   * @param {string} head as headOf writes it
   * @param {Uint8Array | null} body
   * @param {AbortSignal} [signal]
   * @returns {Promise<null | {status: number, head: string, body: Uint8Array | ReadableStream | null}>}
   *   null for a request that is not ours
   */
  async request(head, body, signal) {
    const reads = head.startsWith("GET ") || head.startsWith("HEAD ");
    for (;;) {
      const line = this.#line ?? (await this.line());
      this.#beat();
      const answer = await line.request(++this.#last, head, body, signal);
      if (answer !== undefined) {
        return answer;
      }
      if (!reads) {
        return busy(ended);
      }
    }
  }

  #beat() {
    const now = performance.now();
    if (now - this.#stayed > STAY) {
      this.#stayed = now;
      this.#stay();
    }
  }

  close() {
    this.#closed = true;
    this.#line?.close();
    this.renew();
  }
}

/** A line that another tab's worker listens to. */
function tuned(name) {
  const channel = new BroadcastChannel(name);
  live(name).then(() => channel.postMessage({ type: "here" })); // until this page has gone
  return channel;
}

/** The port to one life of a worker. */
class Line {
  #port;
  #waiting = new Map(); // what to call with the answers, by id
  #over = false;
  ended; // fulfilled when no answer will come any more
  build;

  constructor(port, build, life) {
    this.#port = port;
    this.build = build;
    port.onmessage = ({ data }) => this.#waiting.get(data.id)?.(data);
    this.ended = navigator.locks.request(life, { mode: "shared" }, () => this.close());
  }

  /** Fulfilled with the answer, or with undefined if the worker ended before. */
  request(id, head, body, signal) {
    if (this.#over) {
      return Promise.resolve(undefined);
    }
    return new Promise((resolve, reject) => {
      const settle = (data) => {
        this.#waiting.delete(id);
        signal?.removeEventListener("abort", abort);
        if (data === undefined || !data.stream) {
          resolve(data?.foreign ? null : data);
        } else {
          resolve({ status: data.status, head: data.head, body: this.#stream(id) });
        }
      };
      const abort = () => {
        this.#waiting.delete(id);
        reject(signal.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.set(id, settle);
      this.#port.postMessage({ id, head, body });
    });
  }

  /** A long body, piece by piece. */
  #stream(id) {
    let arrived;
    this.#waiting.set(id, (data) => arrived(data));
    return new ReadableStream(
      {
        pull: async (controller) => {
          const next = new Promise((resolve) => (arrived = resolve));
          this.#port.postMessage({ id, more: true });
          const data = await next;
          if (data?.piece) {
            controller.enqueue(data.piece);
          } else {
            this.#waiting.delete(id);
            data?.piece === null ? controller.close() : controller.error(new Error(data?.broken ?? ended));
          }
        },
        cancel: () => {
          this.#waiting.delete(id);
          this.#port.postMessage({ id, cancel: true });
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** Nothing comes any more: what waits hears so. */
  close() {
    this.#over = true;
    this.#port.close();
    for (const settle of this.#waiting.values()) {
      settle(undefined);
    }
  }
}
