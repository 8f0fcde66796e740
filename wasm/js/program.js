// One run of the Go program (wasm/worker): from its start until it exits, of
// its own will or because it crashed.

// Requests and answers that are longer than this travel in arrays of their own.
const EXCHANGE = 1 << 16;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

class Program {
  #exchange = new Uint8Array(EXCHANGE); // what either side writes before it calls the other
  #handle;
  #close;
  #settlers = new Map(); // of the requests that Go has not answered
  #last = 0; // id of the newest of them
  #end;
  #drained = null; // called when the last of them is settled

  /** Fulfilled when the program has exited or crashed. */
  ended = new Promise((resolve) => (this.#end = resolve));

  /**
   * Runs an instance, and is fulfilled when it serves.
   *
   * @param {Go} go of wasm_exec.js, not used before
   * @param {WebAssembly.Instance} instance made with its importObject
   * @param {object} settings what the program is told (see wasm/worker)
   */
  static start(go, instance, settings) {
    return new Promise((resolve, reject) => {
      const program = new Program();
      program.ended.then(() => reject(new Error("The engine stopped while it started.")));
      program.#watch(go);
      // Go takes this object in its first turn, which ends before run returns.
      self.sandtable = {
        ...settings,
        exchange: program.#exchange,
        settle: (id, status, head, body, large) => program.#settle(id, program.#received(status, head, body, large)),
        failed: (why) => reject(new Error(why)),
        ready: (handle, close) => {
          program.#handle = handle;
          program.#close = close;
          resolve(program);
        },
      };
      go.run(instance).finally(() => program.#ended());
      delete self.sandtable;
    });
  }

  // A trap of WebAssembly leaves through whatever called into Go, a timer or
  // an event of IndexedDB perhaps, and no exit follows: the instance is dead.
  #watch(go) {
    const resume = go._resume.bind(go);
    go._resume = () => {
      try {
        resume();
      } catch (reason) {
        this.#ended();
        throw reason;
      }
    };
  }

  #ended() {
    for (const id of this.#settlers.keys()) {
      this.#settle(id, broken("The engine stopped."));
    }
    this.#end();
  }

  #settle(id, answer) {
    this.#settlers.get(id)?.(answer);
    this.#settlers.delete(id);
    if (this.#settlers.size === 0) {
      this.#drained?.();
    }
  }

  /**
   * Answers a request; it is answered even when the program ends before.
   *
   * @param {string} head
   * @param {Uint8Array | null} body
   * @returns {Promise<{status: number, head: string, body: Uint8Array | null}>}
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

  /** Lets the program close its store and exit, behind what it still serves. */
  async close() {
    if (this.#settlers.size > 0) {
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
