// The engine's life cycle: it starts with the first request that needs it, restarts
// after a crash, a failed start or a release of its store, and shuts down when another
// worker replaces this one.

import { broken, busy, messageOf } from "./answers.js";

/** @import { Answer, Body } from "./answers.js" */
/** @import { StartReason } from "./program.js" */

/**
 * A running program.
 *
 * @typedef {object} Running
 * @property {string} store
 * @property {Promise<void>} ended
 * @property {(head: string, body: Body) => Promise<Answer>} serve
 * @property {() => Promise<void>} close
 */

/** @typedef {Error & {reason?: StartReason, delay?: number}} Failure */

/**
 * @typedef {object} EngineState
 * @property {"running" | "failed" | "stopped" | "starting"} engine
 * @property {string} [store]
 * @property {StartReason} [reason]
 * @property {string} [message]
 */

// How long a request waits for a start, in milliseconds. The next one waits for the
// same start, so a slow start only delays.
export const START = 5000;

// How long no request may come before pages count as quiet, in milliseconds.
const QUIET = 100;

// How long refused requests stay away, in milliseconds. All get the same moment for
// their retry: the browser needs a pause that is long enough to stop this worker.
const AWAY = 2000;

/** @template {Running} P */
export class Engine {
  #launch;
  #timeout;
  #changed;
  /** @type {P | null} the serving program */
  #program = null;
  /** @type {Promise<P> | null} */
  #starting = null;
  #step = ""; // of the current start
  /** @type {Failure | null} why the last start failed */
  #failure = null;
  #refused = 0; // requests, because another worker replaces this one
  #back = 0; // when refused requests come back
  /** @type {Promise<void> | null} while another worker replaces this one: fulfilled when nothing is being served */
  #closing = null;

  /**
   * @param {(step: (what: string) => void) => Promise<P>} launch acquires the store and starts a
   *   program; reports its steps, for those who wait too long
   * @param {number} [timeout] how long a request waits for that, in milliseconds
   * @param {() => void} [changed] called when it runs, and when it cannot start
   */
  constructor(launch, timeout = START, changed = () => {}) {
    this.#launch = launch;
    this.#timeout = timeout;
    this.#changed = changed;
  }

  /**
   * Returns the running program; starts one if necessary.
   *
   * @returns {Promise<P>}
   */
  start() {
    this.#starting ??= this.#launch((what) => (this.#step = what)).then(
      (program) => this.#started(program),
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
    return within(this.#timeout, this.start(), () => "The engine is still starting. " + this.#step);
  }

  /**
   * The engine's state, for diagnosis.
   *
   * @returns {EngineState}
   */
  get state() {
    if (this.#program !== null) {
      return { engine: "running", store: this.#program.store };
    }
    if (this.#failure !== null) {
      return { engine: "failed", reason: this.#failure.reason, message: this.#failure.message };
    }
    return { engine: this.#starting === null ? "stopped" : "starting" };
  }

  /** @param {P} program */
  #started(program) {
    this.#program = program;
    this.#failure = null;
    program.ended.then(() => this.#forget(program));
    this.#changed();
    return program;
  }

  /** @param {P} program */
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
   * @param {() => Body | Promise<Body>} body reads the body
   * @returns {Promise<Answer>}
   */
  async serve(head, body) {
    let bytes;
    try {
      bytes = await body();
    } catch (error) {
      return broken(messageOf(error)); // such as a body whose page is gone
    }
    for (;;) {
      if (this.#closing !== null) {
        await this.#closing;
        return this.#refuse();
      }
      try {
        const program = this.#program ?? (await this.#awaitStart());
        if (program === this.#program) {
          return program.serve(head, bytes); // at once: close waits for what is already being served
        }
      } catch (error) {
        return busy(messageOf(error), /** @type {Failure} */ (error));
      }
    }
  }

  #refuse() {
    this.#refused++;
    const now = performance.now();
    if (this.#back - now < QUIET) {
      this.#back = now + AWAY;
    }
    return busy(REPLACING, { delay: Math.ceil(this.#back - now) });
  }

  /**
   * Refuses requests until a promise settles, while another worker replaces this one.
   *
   * The browser activates the other worker when this one is idle and keeps it idle
   * until it is stopped, but with pages that never pause it is never idle. So requests
   * are refused once all requests in flight are answered.
   *
   * @param {Promise<void>} until
   * @returns {Promise<void>} fulfilled when the store is closed and no request has come
   *   for a while
   */
  async shutDown(until) {
    const closing = this.release();
    this.#closing = closing;
    until.then(() => {
      if (this.#closing === closing) {
        this.#closing = null;
      }
    });
    await closing;
    for (let round = 0, seen = -1; round < 5 && seen !== this.#refused; round++) {
      seen = this.#refused;
      await new Promise((resolve) => setTimeout(resolve, QUIET));
    }
  }

  /** Closes the store after the requests being served. Later requests wait for a new start. */
  async release() {
    const program = this.#program ?? (await this.#starting?.then(nextTurn, () => null));
    if (program) {
      this.#forget(program);
      await program.close();
    }
  }
}

/**
 * Returns a program one turn of the event loop later, when the requests that waited for
 * its start have reached it.
 *
 * @template P
 * @param {P} program
 * @returns {Promise<P>}
 */
const nextTurn = (program) => new Promise((resolve) => setTimeout(resolve, 0, program));

/** Why requests are refused while another worker is replacing this one. */
export const REPLACING = "Another version of Sandtable is being activated.";

/**
 * Returns a promise that is rejected after some milliseconds.
 *
 * @template T
 * @param {number} timeout
 * @param {Promise<T>} promise
 * @param {() => string} [why] returns the error's message
 * @returns {Promise<T>}
 */
export function within(timeout, promise, why = () => "The engine is still starting.") {
  /** @type {ReturnType<typeof setTimeout>} */
  let timer;
  /** @type {Promise<never>} */
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(why())), timeout);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
