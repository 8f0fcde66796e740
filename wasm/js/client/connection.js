// A page's line to the engine's worker, which may end at any time: the browser
// stops it when it is idle, replaces it, or closes the tab that it belongs to.

// How long a page waits for a worker to answer that it is there, in milliseconds.
const CONNECT = 5000;

// After how long it asks again.
const KNOCK = 500;

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
  #names = []; // what is to be told
  #tell = () => {};
  #awake = null; // the channel of workers that begin to live, while there is something to be told

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
    const { port, told } = await this.#knock();
    if (told.sandtable !== PROTOCOL) {
      port.close();
      throw new SandtableError("OtherVersion", `The worker (build ${told.build}) is of another version than this page's sandtable.js: reload the page, or deploy both from one build.`);
    }
    const { build, life, line: name } = told;
    if (name !== undefined) {
      port.close(); // another tab's worker listens, to a channel of this name
    }
    const line = new Line(name === undefined ? port : new BroadcastChannel(name), build, life, {
      ended: () => this.renew(line),
      asked: () => this.#beat(),
    });
    this.#line = line;
    if (this.#names.length > 0) {
      this.#watch(line);
    }
    return line;
  }

  /**
   * Asks for a line until the worker answers: what a worker is told while it
   * is being stopped is lost.
   */
  #knock() {
    return new Promise((resolve, reject) => {
      const ports = new Set();
      const knock = () => {
        const { port1, port2 } = new MessageChannel();
        ports.add(port1);
        port1.onmessage = ({ data }) => {
          clearInterval(again);
          clearTimeout(late);
          ports.delete(port1);
          ports.forEach((port) => port.close());
          resolve({ port: port1, told: data });
        };
        this.#open(port2);
      };
      const again = setInterval(knock, KNOCK);
      const late = setTimeout(() => {
        clearInterval(again);
        ports.forEach((port) => port.close());
        reject(new SandtableError("NotSandtable", 'The worker does not answer. If it is the site\'s own, its first line must be importScripts("sandtable-worker.js").'));
      }, CONNECT);
      knock();
    });
  }

  /** Has the next request make a line of its own, as when another worker has taken over. */
  renew(line = this.#line) {
    if (this.#line === line) {
      this.#line = null;
      this.#opening = null;
    }
  }

  /** Another worker has taken over: it does not know what this page listens for. */
  replaced() {
    this.renew();
    if (this.#names.length > 0) {
      this.line().catch(() => {});
    }
  }

  /** The version of the worker that the line is to, if there is one. */
  get build() {
    return this.#line?.build;
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
      const line = this.#line ?? (await this.line().catch(this.#unreachable));
      if (line === null) {
        this.#tell("error", new SandtableError("NotConnected", "The worker of this page does not answer. Reload the page if that does not pass."));
        return busy("The worker does not answer.");
      }
      signal?.throwIfAborted();
      const answer = await line.request(++this.#last, head, body, signal);
      if (answer !== undefined) {
        return answer;
      }
      if (!reads) {
        return busy(ended);
      }
    }
  }

  // A worker that was there before and does not answer is one that starts, or
  // one that is replaced. What else is wrong is for the caller to hear.
  #unreachable = (reason) => {
    if (reason.code === "NotSandtable") {
      return null;
    }
    throw reason;
  };

  /**
   * Has the worker tell of what happens, in this life of it and the next ones.
   *
   * @param {string} scope of the worker
   * @param {string[]} names "change", "request"; none ends it
   * @param {(name: string, detail: object) => void} tell also hears of an
   *   "error", and of what is "lost": it may have missed something
   */
  watch(scope, names, tell) {
    this.#names = names;
    this.#tell = tell;
    if (names.length === 0) {
      this.#awake?.close();
      this.#awake = null;
    } else if (this.#awake === null) {
      this.#awake = new BroadcastChannel(awakening(scope));
      // A line of its own would wake a worker up that has nothing to tell.
      this.#awake.onmessage = () => this.line().catch(() => {});
    }
    if (this.#line !== null) {
      this.#watch(this.#line);
    } else if (names.length > 0) {
      this.line().catch(() => {});
    }
  }

  #watch(line) {
    line.watch(this.#names, (name, detail) => this.#tell(name, detail));
  }

  /** Tells the worker that it is in use, behind what it is in use for. */
  #beat() {
    const now = performance.now();
    if (now - this.#stayed > STAY) {
      this.#stayed = now;
      this.#stay();
    }
  }

  close() {
    this.#closed = true;
    this.#awake?.close();
    this.#line?.close();
    this.renew();
  }
}

/** The port to one life of a worker. */
class Line {
  #port;
  #waiting = new Map(); // what to call with the answers, by id
  #over = false;
  #ended;
  #asked;
  #release; // lets the lock go that says that somebody listens here
  #life = new AbortController(); // of the wish for the worker's lock
  #watched = null; // what to call with what is told
  build;

  /**
   * @param {MessagePort | BroadcastChannel} port
   * @param {string} build of the worker
   * @param {string} life of the worker, see protocol.js
   * @param {object} calls
   * @param {() => void} calls.ended called when no answer will come any more, before what waits hears so
   * @param {() => void} calls.asked called behind each message that has the worker do something
   */
  constructor(port, build, life, { ended, asked }) {
    this.#port = port;
    this.#ended = ended;
    this.#asked = asked;
    this.build = build;
    port.onmessage = ({ data }) => this.#hear(data);
    const released = new Promise((resolve) => (this.#release = resolve));
    live("sandtable page " + crypto.randomUUID(), released).then((page) => this.#over || port.postMessage({ page }));
    navigator.locks.request(life, { mode: "shared", signal: this.#life.signal }, () => this.close()).catch(() => {}); // closed before
  }

  #hear(data) {
    const waiting = this.#waiting.get(data.id);
    if (data.event !== undefined) {
      this.#watched?.(data.event, JSON.parse(data.detail));
    } else if (waiting !== undefined) {
      waiting(data);
    } else if (data.stream) {
      this.#port.postMessage({ id: data.id, cancel: true }); // whoever asked for it has gone
    }
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
          resolve({ status: data.status, head: data.head, body: abortable(this.#stream(id), signal) });
        }
      };
      const abort = () => {
        this.#waiting.delete(id);
        reject(signal.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.set(id, settle);
      this.#port.postMessage({ id, head, body });
      this.#asked();
    });
  }

  /** Has the worker tell of something from now on; what was before nobody told. */
  watch(names, tell) {
    if (this.#over) {
      return;
    }
    this.#port.postMessage({ watch: names });
    if (this.#watched === null && names.length > 0) {
      tell("lost");
    }
    this.#watched = names.length > 0 ? tell : null;
  }

  /** A long body, piece by piece. */
  #stream(id) {
    let arrived = () => {};
    this.#waiting.set(id, (data) => arrived(data));
    return new ReadableStream(
      {
        pull: async (controller) => {
          const next = new Promise((resolve) => (arrived = resolve));
          if (this.#over) {
            arrived(undefined);
          } else {
            this.#port.postMessage({ id, more: true });
            this.#asked();
          }
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
          if (!this.#over) {
            this.#port.postMessage({ id, cancel: true });
          }
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** Nothing comes any more: what waits hears so. */
  close() {
    this.#over = true;
    this.#release();
    this.#life.abort();
    this.#port.close();
    this.#ended();
    for (const settle of this.#waiting.values()) {
      settle(undefined);
    }
  }
}
