// The engine's life: it starts with the first request that needs it, starts
// again when it has crashed, could not start or was given up, and gives its
// store up to the worker that replaces this one.

// How long a request waits for a start, in milliseconds. The next one waits
// for the same start, so a slow one is only ever delayed.
const PATIENCE = 5000;

// How long nobody may have asked before pages count as quiet, in milliseconds.
const QUIET = 100;

class Engine {
  #launch;
  #patience;
  #changed;
  #program = null; // what serves now
  #starting = null; // the promise of it
  #step = ""; // what the start is at
  #failure = null; // why the last start failed
  #refused = 0; // requests, for the sake of another worker
  #leaving = null; // while another worker is made way for: fulfilled when nothing is being served

  /**
   * @param {(step: (what: string) => void) => Promise<Program>} launch starts a
   *   program and takes the store; it says what it is at, for those who wait too long
   * @param {number} [patience] how long a request waits for it, in milliseconds
   * @param {() => void} [changed] called when it runs, and when it cannot
   */
  constructor(launch, patience = PATIENCE, changed = () => {}) {
    this.#launch = launch;
    this.#patience = patience;
    this.#changed = changed;
  }

  /** The running program; started if there is none. Rejected if it cannot. */
  start() {
    this.#starting ??= this.#launch((what) => (this.#step = what)).then(
      (program) => this.#began(program),
      (reason) => {
        this.#starting = null; // the next request tries again
        this.#failure = reason;
        this.#changed();
        throw reason;
      },
    );
    return this.#starting;
  }

  #awaitStart() {
    return within(this.#patience, this.start(), () => "The engine is still starting. " + this.#step);
  }

  /** How it is, for people who wonder why nothing works. */
  get state() {
    if (this.#program !== null) {
      return { engine: "running", store: this.#program.store };
    }
    if (this.#failure !== null) {
      return { engine: "failed", reason: this.#failure.reason, message: this.#failure.message };
    }
    return { engine: this.#starting === null ? "stopped" : "starting" };
  }

  #began(program) {
    this.#program = program;
    this.#failure = null;
    program.ended.then(() => this.#forget(program));
    this.#changed();
    return program;
  }

  #forget(program) {
    if (this.#program === program) {
      this.#program = null;
      this.#starting = null;
    }
  }

  /**
   * Answers a request; the promise is never rejected.
   *
   * @param {string} head
   * @param {() => Uint8Array | null | Promise<Uint8Array | null>} body reads the body
   */
  async serve(head, body) {
    let bytes;
    try {
      bytes = await body();
    } catch (error) {
      return broken(error.message); // such as a body whose page has gone
    }
    for (;;) {
      if (this.#leaving !== null) {
        await this.#leaving;
        this.#refused++;
        const why = takingOver();
        return busy(why.message, why);
      }
      try {
        const program = this.#program ?? (await this.#awaitStart());
        if (program === this.#program) {
          return program.serve(head, bytes); // at once: a program that is closed waits for those it serves only
        }
      } catch (error) {
        return busy(error.message, error);
      }
    }
  }

  /**
   * Makes way for another worker until a promise is settled.
   *
   * The browser lets the other one take over when this one is idle, and stays so
   * until it is stopped; with pages that never stop asking, that does not come.
   * So whoever asks now is refused when the last request that is under way was
   * answered: all of them at one moment, and for long enough.
   *
   * @returns {Promise<void>} fulfilled when that moment has come: the store is
   *   closed, and nobody has asked for a while
   */
  async leave(until) {
    const leaving = this.giveUp();
    this.#leaving = leaving;
    until.then(() => {
      if (this.#leaving === leaving) {
        this.#leaving = null;
      }
    });
    await leaving;
    for (let round = 0, heard = -1; round < 5 && heard !== this.#refused; round++) {
      heard = this.#refused;
      await new Promise((resolve) => setTimeout(resolve, QUIET));
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

/** The error of a request that comes while another worker takes over, which takes less than the delay. */
function takingOver() {
  return Object.assign(new Error("Another version of Sandtable is taking over."), { delay: 1000 });
}

/** A promise that is rejected if it takes longer than some milliseconds, with a text that is made then. */
function within(patience, promise, why = () => "The engine is still starting.") {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(why())), patience);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
