// One run of the Go program (wasm/worker), until it exits or crashes.

import { broken, tooLarge } from "./answers.js";
import { StreamedBody } from "./body.js";

/** @import { Answer, Body } from "./answers.js" */
/** @import { Watched } from "./protocol.js" */

// Longer requests and answers travel in arrays of their own.
const BUFFER_SIZE = 1 << 16;

// The longest body in bytes that any request may have but the load of a whole archive:
// maxChunk in server/control. Memory that Go gets for a longer one would never be freed.
const MAX_BODY = 16 << 20;
const LOAD = /^POST \S*\/_sandtable\/load(?:[?\n]|$)/;

export const STOPPED = "The engine stopped while it started.";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Why the engine cannot start, if a retry is unlikely to help.
 *
 * @typedef {"program" | "memory" | "format" | "database" | "quota" | "inUse" | "held" | "crashed"} StartReason
 *   program: it cannot be loaded; format: a newer version wrote the store; database: IndexedDB
 *   fails; quota: there is no space even to create a store; inUse: another process has the folder;
 *   held: another worker has the store and does not release it; crashed: it crashes at every start
 */
export class StartError extends Error {
  /**
   * @param {StartReason} reason
   * @param {string} message
   */
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Drops the timers that an exited program left behind: each would throw.
 *
 * @param {Go} go
 */
function dropTimers(go) {
  go._scheduledTimeouts.forEach((timer) => clearTimeout(timer));
  go._scheduledTimeouts.clear();
}

export class Program {
  #buffer = new Uint8Array(BUFFER_SIZE); // each side writes to it before calling the other
  /** @type {(id: number, head: number, body: number, large?: Uint8Array) => void} */
  #handle = () => {};
  #close = () => {};
  /** @type {(id: number, more: boolean) => void} notifies Go that the reader of a body wants more or is gone */
  #reader = () => {};
  /** @type {(wanted: Watched) => void} sets which events Go reports */
  #watch = () => {};
  /** @type {Map<number, (answer: Answer) => void>} the pending requests */
  #settlers = new Map();
  /** @type {Map<number, StreamedBody>} the answers being streamed */
  #bodies = new Map();
  #last = 0; // the newest request's id
  /** @type {() => void} */
  #end = () => {};
  /** @type {IDBDatabase[]} databases that Go has opened */
  #connections = [];
  #closing = false;
  /** @type {Promise<void> | null} set by close; fulfilled when the program is closed */
  #closed = null;
  /** @type {(() => void) | null} called when no request is in flight */
  #drained = null;

  /** Identifies the program's store. */
  store = "";

  /** Whether close was called. */
  get closing() {
    return this.#closing;
  }

  /**
   * Fulfilled when the program has exited or crashed.
   *
   * @type {Promise<void>}
   */
  ended = new Promise((resolve) => (this.#end = resolve));

  /**
   * Runs an instance.
   *
   * @param {Go} go not used before
   * @param {WebAssembly.Instance} instance made with its importObject
   * @param {object} settings and callbacks, see wasm/worker
   * @param {any} [global] the global object that go works on
   * @returns {Promise<Program>} fulfilled when it serves
   */
  static start(go, instance, settings, global = self) {
    return new Promise((resolve, reject) => {
      const program = new Program();
      program.ended.then(() => reject(new StartError("crashed", STOPPED)));
      program.#guard(go);
      // Go takes this object in its first turn, which ends before run returns.
      global.sandtable = {
        ...settings,
        ...program.#callbacks(),
        failed: (/** @type {string} */ why, /** @type {StartReason} */ reason) => reject(new StartError(reason, why)),
        ready: (/** @type {any} */ handle, /** @type {any} */ close, /** @type {any} */ reader, /** @type {string} */ store, /** @type {any} */ watch) => {
          program.#handle = handle;
          program.#close = close;
          program.#reader = reader;
          program.#watch = watch;
          program.store = store;
          resolve(program);
        },
      };
      program.ended.then(() => dropTimers(go));
      go.run(instance)
        .catch((reason) => console.error("Sandtable's engine crashed while it started:", reason))
        .finally(() => program.#ended());
      delete global.sandtable;
    });
  }

  /** The callbacks that Go uses while it serves. */
  #callbacks() {
    return {
      buffer: this.#buffer,
      /** @type {(id: number, status: number, head: number | string, body: number, large?: Uint8Array<ArrayBuffer>) => void} */
      settle: (id, status, head, body, large) => this.#settle(id, this.#received(status, head, body, large)),
      /** @type {(id: number, status: number, head: number | string, body: number, large?: Uint8Array<ArrayBuffer>) => void} */
      begin: (id, status, head, body, large) => this.#begin(id, this.#received(status, head, body, large)),
      /** @type {(id: number, length: number, large?: Uint8Array<ArrayBuffer>) => void} */
      chunk: (id, length, large) => this.#bodies.get(id)?.push(large ?? this.#buffer.slice(0, length)),
      /** @type {(id: number, whole: boolean) => void} */
      end: (id, whole) => this.#endBody(id, whole ? undefined : new Error("The engine aborted the answer.")),
      /** @type {(database: IDBDatabase) => void} */
      opened: (database) => void this.#connections.push(database),
    };
  }

  // A trap of WebAssembly surfaces in whatever called into Go, such as a timer or
  // an event of IndexedDB, and no exit follows: the instance is dead.
  /** @param {Go} go */
  #guard(go) {
    const resume = go._resume.bind(go);
    go._resume = () => {
      try {
        resume();
      } catch (reason) {
        go.exited = true; // no later event may resume a broken program
        this.#ended();
        throw reason;
      }
    };
  }

  #ended() {
    for (const id of this.#settlers.keys()) {
      this.#settle(id, broken("The engine stopped."));
    }
    for (const id of this.#bodies.keys()) {
      this.#endBody(id, new Error("The engine stopped."));
    }
    // A crashed program closes nothing, and the store could not be deleted.
    this.#connections.splice(0).forEach((database) => database.close());
    this.#end();
  }

  /**
   * Calls into Go.
   *
   * @param {() => void} call
   */
  #call(call) {
    try {
      call();
    } catch {
      this.#ended(); // Go had already exited, or this call crashed it
    }
  }

  /**
   * @param {number} id
   * @param {Answer} answer
   */
  #settle(id, answer) {
    this.#settlers.get(id)?.(answer);
    this.#settlers.delete(id);
    this.#drain();
  }

  /**
   * Settles a request with a streamed answer.
   *
   * @param {number} id
   * @param {{status: number, head: string, body: Uint8Array<ArrayBuffer> | null}} answer with the first chunk
   */
  #begin(id, { status, head, body }) {
    const streamed = new StreamedBody(body, (more) => this.#read(id, more));
    this.#bodies.set(id, streamed);
    this.#settle(id, { status, head, body: streamed.stream, ended: streamed.ended });
    if (this.#closing) {
      queueMicrotask(() => this.#breakOff(id));
    }
  }

  /**
   * Ends a body for its reader, and makes Go end it too.
   *
   * @param {number} id
   */
  #breakOff(id) {
    this.#bodies.get(id)?.end(new Error("The engine is being closed. Retry."));
    this.#read(id, false);
  }

  /**
   * @param {number} id
   * @param {boolean} more
   */
  #read(id, more) {
    const reader = this.#reader;
    this.#call(() => reader(id, more));
  }

  /**
   * @param {number} id
   * @param {Error} [reason]
   */
  #endBody(id, reason) {
    this.#bodies.get(id)?.end(reason);
    this.#bodies.delete(id);
    this.#drain();
  }

  #drain() {
    if (this.#settlers.size === 0 && this.#bodies.size === 0) {
      this.#drained?.();
    }
  }

  /**
   * Answers a request, even if the program ends first. A streamed body fails when the
   * program ends or is closed.
   *
   * @param {string} head
   * @param {Body} body
   * @returns {Promise<Answer>}
   */
  serve(head, body) {
    if (body !== null && body.length > MAX_BODY && !LOAD.test(head)) {
      return Promise.resolve(tooLarge());
    }
    return new Promise((resolve) => {
      const id = ++this.#last;
      this.#settlers.set(id, resolve);
      try {
        this.#send(id, head, body);
      } catch {
        this.#ended(); // Go had already exited, or this request crashed it
      }
    });
  }

  /**
   * Passes numbers only, unless a request is large: objects cost time in Go. Not
   * a method call, for the same reason: "this" would be an object.
   *
   * @param {number} id
   * @param {string} head
   * @param {Body} body
   */
  #send(id, head, body) {
    const handle = this.#handle;
    const { read, written } = encoder.encodeInto(head, this.#buffer);
    const bodyLength = body === null ? 0 : body.length;
    if (read === head.length && written + bodyLength <= BUFFER_SIZE) {
      if (body !== null) {
        this.#buffer.set(body, written);
      }
      handle(id, written, bodyLength);
      return;
    }
    const encoded = encoder.encode(head);
    const large = new Uint8Array(encoded.length + bodyLength);
    large.set(encoded);
    if (body !== null) {
      large.set(body, encoded.length);
    }
    handle(id, encoded.length, bodyLength, large);
  }

  /**
   * Returns an answer, copied out of the shared buffer, which Go is about to reuse.
   *
   * @param {number} status
   * @param {number | string} head its length in the shared buffer, or the head of a large answer
   * @param {number} bodyLength
   * @param {Uint8Array<ArrayBuffer>} [large] the body of a large answer
   */
  #received(status, head, bodyLength, large) {
    if (typeof head === "string") {
      return { status, head, body: bodyLength === 0 ? null : (large ?? null) };
    }
    const body = bodyLength === 0 ? null : this.#buffer.slice(head, head + bodyLength);
    return { status, head: decoder.decode(this.#buffer.subarray(0, head)), body };
  }

  /**
   * Makes the program report changes and requests through its callback "event",
   * or stop doing so.
   *
   * @param {Watched} wanted
   */
  watch(wanted) {
    const watch = this.#watch;
    this.#call(() => watch(wanted));
  }

  /**
   * Closes the store and ends the program after the requests in flight. Streamed bodies
   * are aborted: some would never end, and others last as long as their reader takes. It
   * may be called again.
   */
  close() {
    this.#closing = true;
    return (this.#closed ??= this.#finish());
  }

  async #finish() {
    for (const id of this.#bodies.keys()) {
      this.#breakOff(id);
    }
    if (this.#settlers.size > 0 || this.#bodies.size > 0) {
      await new Promise((resolve) => (this.#drained = () => resolve(undefined)));
    }
    const close = this.#close;
    this.#call(() => close());
    await this.ended;
  }
}
