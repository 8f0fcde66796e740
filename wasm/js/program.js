// One run of the Go program (wasm/worker): from its start until it exits, of
// its own will or because it crashed.

// Requests and answers that are longer than this travel in arrays of their own.
const EXCHANGE = 1 << 16;

const STOPPED = "The engine stopped while it started.";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The body of an answer that Go writes while it is read: a piece whenever the reader wants one. */
class Body {
  #controller;
  #given = () => {}; // fulfils what the stream waits for

  /**
   * @param {Uint8Array | null} first piece, if there is one already
   * @param {(reads: boolean) => void} reader is told true when the reader has room for a piece, false when it has gone
   */
  constructor(first, reader) {
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
        if (first !== null) {
          controller.enqueue(first);
        }
      },
      pull: () => {
        const given = new Promise((resolve) => (this.#given = resolve));
        reader(true);
        return given;
      },
      cancel: () => {
        this.#controller = null;
        reader(false);
      },
    });
  }

  give(piece) {
    this.#controller?.enqueue(piece);
    this.#given();
  }

  /** Ends the stream, with an error if a reason is given. */
  end(reason) {
    if (reason === undefined) {
      this.#controller?.close();
    } else {
      this.#controller?.error(reason);
    }
    this.#controller = null;
    this.#given();
  }
}

/** Drops the timers that a program left behind: each would be an error, of a program that is no more. */
function dropTimers(go) {
  go._scheduledTimeouts.forEach(clearTimeout);
  go._scheduledTimeouts.clear();
}

/**
 * Why the engine cannot start, where it will not just be there a moment later.
 *
 * The reasons: "program" (it cannot be loaded), "memory", "format" (the store is
 * of a newer version), "database" (IndexedDB refuses), "room" (there is none even
 * to make one), "inUse" (another process has the folder), "held" (somebody else
 * has the store and does not let go), "crashed" (it does so when it starts).
 */
class Trouble extends Error {
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}

class Program {
  #exchange = new Uint8Array(EXCHANGE); // what either side writes before it calls the other
  #handle;
  #close;
  #reader; // tells Go what the reader of a body does
  #watch; // tells Go whether anybody wants to know of changes and requests
  #settlers = new Map(); // of the requests that Go has not answered
  #bodies = new Map(); // of the answers that it has begun and not ended
  #last = 0; // id of the newest of them
  #end;
  #connections = []; // IDBDatabases that Go has opened
  #closing = false;
  #closed = null; // the promise of that, once it was told to close
  #drained = null; // called when nothing is being served any more

  /** What tells the program's store from all others. */
  store;

  /** Whether it was told to close. */
  get closing() {
    return this.#closing;
  }

  /** Fulfilled when the program has exited or crashed. */
  ended = new Promise((resolve) => (this.#end = resolve));

  /**
   * Runs an instance, and is fulfilled when it serves.
   *
   * @param {Go} go of wasm_exec.js, not used before
   * @param {WebAssembly.Instance} instance made with its importObject
   * @param {object} settings what the program is told, and what it tells with
   *   (see wasm/worker)
   */
  static start(go, instance, settings) {
    return new Promise((resolve, reject) => {
      const program = new Program();
      program.ended.then(() => reject(new Trouble("crashed", STOPPED)));
      program.#guard(go);
      // Go takes this object in its first turn, which ends before run returns.
      self.sandtable = {
        ...settings,
        exchange: program.#exchange,
        settle: (id, status, head, body, large) => program.#settle(id, program.#received(status, head, body, large)),
        begin: (id, status, head, body, large) => program.#begin(id, program.#received(status, head, body, large)),
        piece: (id, length, large = program.#exchange) => program.#bodies.get(id)?.give(large.slice(0, length)),
        end: (id, whole) => program.#endBody(id, whole ? undefined : new Error("The engine broke the answer off.")),
        opened: (db) => program.#connections.push(db),
        failed: (why, reason) => reject(new Trouble(reason, why)),
        ready: (handle, close, reader, store, watch) => {
          program.#handle = handle;
          program.#close = close;
          program.#reader = reader;
          program.#watch = watch;
          program.store = store;
          resolve(program);
        },
      };
      program.ended.then(() => dropTimers(go));
      go.run(instance).finally(() => program.#ended());
      delete self.sandtable;
    });
  }

  // A trap of WebAssembly leaves through whatever called into Go, a timer or
  // an event of IndexedDB perhaps, and no exit follows: the instance is dead.
  #guard(go) {
    const resume = go._resume.bind(go);
    go._resume = () => {
      try {
        resume();
      } catch (reason) {
        go.exited = true; // no event still to come may wake half a program
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
    // One that crashed lets go of nothing: the store could not be deleted.
    this.#connections.splice(0).forEach((db) => db.close());
    this.#end();
  }

  #settle(id, answer) {
    this.#settlers.get(id)?.(answer);
    this.#settlers.delete(id);
    this.#rest();
  }

  // An answer of which Go has written a part, and which is streamed.
  #begin(id, { status, head, body }) {
    const streamed = new Body(body, (reads) => this.#read(id, reads));
    this.#bodies.set(id, streamed);
    this.#settle(id, { status, head, body: streamed.stream });
    if (this.#closing) {
      queueMicrotask(() => this.#breakOff(id));
    }
  }

  // Ends a body for its reader, and lets Go know, which will then end it too.
  #breakOff(id) {
    this.#bodies.get(id)?.end(new Error("The engine is being closed. Ask again."));
    this.#read(id, false);
  }

  #read(id, reads) {
    const reader = this.#reader;
    try {
      reader(id, reads);
    } catch {
      this.#ended(); // Go had exited before, or died of this
    }
  }

  #endBody(id, reason) {
    this.#bodies.get(id)?.end(reason);
    this.#bodies.delete(id);
    this.#rest();
  }

  #rest() {
    if (this.#settlers.size === 0 && this.#bodies.size === 0) {
      this.#drained?.();
    }
  }

  /**
   * Answers a request; it is answered even when the program ends before. A body
   * that is streamed fails when the program ends, or is closed.
   *
   * @param {string} head
   * @param {Uint8Array | null} body
   * @returns {Promise<{status: number, head: string, body: Uint8Array | ReadableStream | null}>}
   */
  serve(head, body) {
    return new Promise((resolve) => {
      const id = ++this.#last;
      this.#settlers.set(id, resolve);
      try {
        this.#send(id, head, body);
      } catch {
        this.#ended(); // Go had exited before, or died of this request
      }
    });
  }

  // Numbers are all that is passed, unless a request is large: objects cost
  // time in Go. Not a method call, for the same reason: "this" would be one.
  #send(id, head, body) {
    const handle = this.#handle;
    const { read, written } = encoder.encodeInto(head, this.#exchange);
    const bodyLength = body === null ? 0 : body.length;
    if (read === head.length && written + bodyLength <= EXCHANGE) {
      if (body !== null) {
        this.#exchange.set(body, written);
      }
      handle(id, written, bodyLength);
      return;
    }
    const text = encoder.encode(head);
    const large = new Uint8Array(text.length + bodyLength);
    large.set(text);
    if (body !== null) {
      large.set(body, text.length);
    }
    handle(id, text.length, bodyLength, large);
  }

  // An answer, which has to be taken out of the exchange now.
  #received(status, headLength, bodyLength, large = this.#exchange) {
    const head = decoder.decode(large.subarray(0, headLength));
    const body = bodyLength === 0 ? null : large.slice(headLength, headLength + bodyLength);
    return { status, head, body };
  }

  /** Has the program tell of changes and requests, through its setting "event", or not any more. */
  watch(wanted) {
    const watch = this.#watch;
    try {
      watch(wanted);
    } catch {
      this.#ended(); // Go had exited before, or died of this
    }
  }

  /**
   * Lets the program close its store and exit, behind what it still serves. Only
   * bodies that are being streamed are broken off: some would never end, and
   * others last as long as their reader takes. More than one may ask for it.
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
      await new Promise((resolve) => (this.#drained = resolve));
    }
    try {
      this.#close();
    } catch {
      this.#ended(); // it had exited before
    }
    await this.ended;
  }
}
