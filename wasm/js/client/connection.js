// A page's line to the engine's worker, which may end at any time: the browser
// stops it when it is idle, replaces it, or closes the tab that it belongs to.

// How long a page waits for a worker to answer that it is there, in milliseconds.
const CONNECT = 5000;

// The same for one that says that it waits for another tab, which has the engine.
const CONNECT_ELSEWHERE = 30_000;

// After how long it asks again.
const KNOCK = 500;

// How often a service worker that is used hears that it is, in milliseconds.
// Chromium stops those that have heard of nothing for 30 seconds.
const STAY = 10_000;

const ended = "The worker ended while it served this request, which may or may not have been done.";

class Connection {
  #open;
  #stay;
  #plain;
  #health;
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
   * @param {object} [more]
   * @param {() => void} [more.stay] tells it that it is in use
   * @param {boolean} [more.plain] it is this tab's own, and lives as long as that
   * @param {{begins: (about: string, error: SandtableError) => void, ends: (about: string) => void}} [more.health]
   *   hears that the worker is out of reach, and that it is not any more
   */
  constructor(open, { stay = () => {}, plain = false, health = { begins() {}, ends() {} } } = {}) {
    this.#open = open;
    this.#stay = stay;
    this.#plain = plain;
    this.#health = health;
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
      throw closedBefore();
    }
    const { port, told } = await this.#knock();
    if (this.#closed) {
      abandon(port);
      throw closedBefore();
    }
    if (told.sandtable !== PROTOCOL) {
      port.close();
      throw new SandtableError("OtherVersion", `The worker (build ${told.build}) is of another version than this page's sandtable.js: reload the page, or deploy both from one build.`);
    }
    if (told.line !== undefined) {
      port.close(); // another tab's worker listens, to a channel of this name
    }
    const line = new Line(told.line === undefined ? port : new BroadcastChannel(told.line), told, {
      ended: () => this.#ended(line),
      asked: () => this.#beat(),
      silent: () => this.#suspended(),
    });
    this.#health.ends("worker");
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
      let elsewhere = false;
      const knock = () => {
        const { port1, port2 } = new MessageChannel();
        ports.add(port1);
        port1.onmessage = ({ data }) => {
          clearInterval(again);
          if (data.type !== "waiting") {
            clearTimeout(late);
            ports.delete(port1);
            ports.forEach(abandon);
            resolve({ port: port1, told: data });
          } else if (!elsewhere) {
            elsewhere = true;
            clearTimeout(late);
            late = setTimeout(() => giveUp(new SandtableError("NotConnected", "Another tab has the engine, and neither answers nor lets it go. Close the other tabs of this site.")), CONNECT_ELSEWHERE);
          }
        };
        this.#open(port2);
      };
      const giveUp = (reason) => {
        clearInterval(again);
        ports.forEach(abandon);
        reject(reason);
      };
      const again = setInterval(knock, KNOCK);
      let late = setTimeout(() => giveUp(new SandtableError("NotSandtable", 'The worker does not answer. If it is the site\'s own, its first line must be importScripts("sandtable-worker.js").')), CONNECT);
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

  #ended(line) {
    this.renew(line);
    // A service worker that was stopped is not to be woken up for this.
    if (this.#plain && this.#names.length > 0 && !this.#closed) {
      this.line().catch(this.#unreachable).catch(() => {});
    }
  }

  #suspended() {
    this.#health.begins("worker", new SandtableError("Suspended", "The tab that has the engine does not answer, as one that the system has suspended. Another tab takes the engine over in some seconds; a write that was under way may or may not have been done."));
  }

  /** Looks whether another tab that has the engine still answers. */
  check() {
    this.#line?.check(++this.#last);
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
   * @returns {Promise<null | {status: number, head: string, body: Uint8Array | ReadableStream | null, lost?: boolean}>}
   *   null for a request that is not ours; lost if the worker's own answer was, if there was one
   */
  async request(head, body, signal) {
    const reads = head.startsWith("GET ") || head.startsWith("HEAD ");
    for (;;) {
      const line = this.#line ?? (await this.line().catch(this.#unreachable));
      if (line === null) {
        return busy("The worker does not answer.");
      }
      signal?.throwIfAborted();
      const answer = await line.request(++this.#last, head, body, signal);
      if (answer !== undefined) {
        return answer;
      }
      if (!reads) {
        return { ...busy(ended), lost: true };
      }
    }
  }

  // A worker that was there before and does not answer is one that starts, or
  // one that is replaced. What else is wrong is for the caller to hear.
  #unreachable = (reason) => {
    if (reason.code !== "NotSandtable" && reason.code !== "NotConnected") {
      throw reason;
    }
    this.#health.begins("worker", new SandtableError("NotConnected", "The worker of this page does not answer. Reload the page if that does not pass."));
    return null;
  };

  /**
   * Has the worker tell of what happens, in this life of it and the next ones.
   *
   * @param {string} scope of the worker
   * @param {string[]} names "change", "request", "state"; none ends it
   * @param {(name: string, detail: object) => void} tell also hears of what is
   *   "lost": it may have missed a change
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

function closedBefore() {
  return new SandtableError("Closed", "This client was closed: start another one.");
}

/** Closes a port that nobody listens on: a worker that is asked for a lock which is free hears so. */
function abandon(port) {
  port.postMessage({ page: "sandtable page " + crypto.randomUUID() });
  port.close();
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
  #names = []; // what is told of
  #tell = () => {}; // what to call with that
  #pulse = null; // of another tab's worker
  build;

  /**
   * @param {MessagePort | BroadcastChannel} port
   * @param {{build: string, life: string, line?: string, pings?: boolean}} told what the worker said when it
   *   was connected with, see protocol.js
   * @param {object} calls
   * @param {() => void} calls.ended called when no answer will come any more, before what waits hears so
   * @param {() => void} calls.asked called behind each message that has the worker do something
   * @param {() => void} calls.silent called before, where the worker is another tab's and has fallen silent
   */
  constructor(port, { build, life, line, pings }, { ended, asked, silent }) {
    this.#port = port;
    this.#ended = ended;
    this.#asked = asked;
    this.build = build;
    if (line !== undefined && pings) {
      const dead = () => {
        silent();
        this.close();
      };
      this.#pulse = new Pulse(() => port.postMessage({ ping: true }), dead);
    }
    port.onmessage = ({ data }) => this.#hear(data);
    const released = new Promise((resolve) => (this.#release = resolve));
    live("sandtable page " + crypto.randomUUID(), released).then((page) => this.#over || port.postMessage({ page }));
    navigator.locks.request(life, { mode: "shared", signal: this.#life.signal }, () => this.close()).catch(() => {}); // closed before
  }

  #hear(data) {
    this.#pulse?.heard();
    const waiting = this.#waiting.get(data.id);
    if (data.event !== undefined) {
      this.#tell(data.event, JSON.parse(data.detail));
    } else if (waiting !== undefined) {
      waiting(data);
    } else if (data.stream) {
      this.#port.postMessage({ id: data.id, cancel: true }); // whoever asked for it has gone
    }
  }

  /** Has what comes for an id handled. */
  #await(id, handle) {
    this.#waiting.set(id, handle);
    if (!this.#over) {
      this.#pulse?.begin();
    }
  }

  #forget(id) {
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) {
      this.#pulse?.end();
    }
  }

  /** Finds out whether another tab's worker still answers; what is to be done if not is done. */
  check(id) {
    if (this.#pulse !== null && !this.#over) {
      this.#await(id, () => this.#forget(id));
      this.#port.postMessage({ id, ping: true });
    }
  }

  /** Fulfilled with the answer, or with undefined if the worker ended before. */
  request(id, head, body, signal) {
    if (this.#over) {
      return Promise.resolve(undefined);
    }
    return new Promise((resolve, reject) => {
      const settle = (data) => {
        this.#forget(id);
        signal?.removeEventListener("abort", abort);
        if (data === undefined || !data.stream) {
          resolve(data?.foreign ? null : data);
        } else {
          resolve({ status: data.status, head: data.head, body: abortable(this.#stream(id), signal) });
        }
      };
      const abort = () => {
        this.#forget(id);
        reject(signal.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#await(id, settle);
      this.#port.postMessage({ id, head, body });
      this.#asked();
    });
  }

  /** Has the worker tell of something from now on; of changes before that nobody told. */
  watch(names, tell) {
    if (this.#over) {
      return;
    }
    this.#port.postMessage({ watch: names });
    if (names.includes("change") && !this.#names.includes("change")) {
      tell("lost");
    }
    this.#names = names;
    this.#tell = names.length > 0 ? tell : () => {};
  }

  /** A long body, piece by piece. */
  #stream(id) {
    let arrived = () => {};
    this.#await(id, (data) => arrived(data));
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
            this.#forget(id);
            data?.piece === null ? controller.close() : controller.error(new Error(data?.broken ?? ended));
          }
        },
        cancel: () => {
          this.#forget(id);
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
    this.#pulse?.end();
    this.#release();
    this.#life.abort();
    this.#port.close();
    this.#ended();
    for (const settle of this.#waiting.values()) {
      settle(undefined);
    }
  }
}
