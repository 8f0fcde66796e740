// The engine's life: it starts with the first request that needs it, starts
// again when it has crashed, could not start or was given up, and gives its
// store up to the worker that replaces this one.

// How long a request waits for a start, in milliseconds. The next one waits
// for the same start, so a slow one is only ever delayed.
const PATIENCE = 5000;

class Engine {
  #launch;
  #patience;
  #program = null; // what serves now
  #starting = null; // the promise of it

  /**
   * @param {() => Promise<Program>} launch starts a program and takes the store
   * @param {number} patience how long a request waits for it, in milliseconds
   */
  constructor(launch, patience = PATIENCE) {
    this.#launch = launch;
    this.#patience = patience;
  }

  /** The running program; started if there is none. Rejected if it cannot. */
  start() {
    this.#starting ??= this.#launch().then(
      (program) => this.#began(program),
      (reason) => {
        this.#starting = null; // the next request tries again
        throw reason;
      },
    );
    return this.#starting;
  }

  #began(program) {
    this.#program = program;
    program.ended.then(() => this.#forget(program));
    return program;
  }

  #forget(program) {
    if (this.#program === program) {
      this.#program = null;
      this.#starting = null;
    }
  }

  /** Answers a fetch of a URL; the promise is never rejected. */
  async answer(request, url) {
    return responseOf(await this.serve(headOf(request, url), () => bodyOf(request)));
  }

  /**
   * Answers a request; the promise is never rejected.
   *
   * @param {string} head
   * @param {() => Uint8Array | null | Promise<Uint8Array | null>} body reads the body
   */
  async serve(head, body) {
    let program = this.#program;
    if (program === null) {
      try {
        program = await within(this.#patience, this.start());
      } catch (reason) {
        return busy(reason.message);
      }
    }
    try {
      return await program.serve(head, await body());
    } catch (reason) {
      return broken(reason.message); // such as a body whose page has gone
    }
  }

  /** Closes the store behind the requests being served. Later ones wait for a new start. */
  async giveUp() {
    const program = await this.#starting?.catch(() => null);
    if (program) {
      this.#forget(program);
      await program.close();
    }
  }
}

/** A promise that is rejected if it takes longer than some milliseconds. */
function within(patience, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("The engine is still starting.")), patience);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
