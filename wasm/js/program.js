// One run of the Go program (wasm/worker): from its start until it exits, of
// its own will or because it crashed.

class Program {
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
        settle: (id, status, head, body) => program.#settle(id, responseOf(status, head, body)),
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

  #settle(id, response) {
    this.#settlers.get(id)?.(response);
    this.#settlers.delete(id);
    if (this.#settlers.size === 0) {
      this.#drained?.();
    }
  }

  /** Answers a request; it is answered even when the program ends before. */
  serve(head, body) {
    return new Promise((resolve) => {
      const id = ++this.#last;
      this.#settlers.set(id, resolve);
      try {
        this.#handle(id, head, body);
      } catch {
        this.#ended(); // Go had exited before, or died of this request
      }
    });
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
