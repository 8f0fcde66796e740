// Starting the engine: load the program, acquire the store, run the program.

import { rotateLog } from "./leveldb.js";
import { REPLACING } from "./engine.js";
import { messageOf } from "./answers.js";
import { serviceWorker, serviceWorkerState } from "./pages.js";
import { Program, StartError, STOPPED } from "./program.js";

/** @import { Ownership } from "./ownership.js" */
/** @import { StartReason } from "./program.js" */
/** @import { End } from "./protocol.js" */

/**
 * What a launcher reports.
 *
 * @typedef {object} LaunchCallbacks
 * @property {(program: Program) => Promise<void>} opened a program runs; fulfilled when requests may reach it
 * @property {(end: End) => void} ended it ended without being closed
 * @property {(full: boolean) => void} full writes started to fail for lack of space, or succeed again
 * @property {(kind: string, detail: string) => void} event of the program, see Program.watch
 */

export class Launcher {
  #build;
  #site;
  #database;
  #file;
  #newGo;
  #ownership;
  #callbacks;
  #steal = false; // the next start steals the store from a suspended owner
  #shutDown = false; // another worker serves the pages of this one
  /** Whether this worker is replacing another one. */
  activating = false;

  /**
   * @param {object} source
   * @param {string} source.build
   * @param {string} source.site the path of the folder that the site is in; "" for the root
   * @param {string} source.database the name of the IndexedDB database
   * @param {() => Promise<Response>} source.file fetches the program's WebAssembly
   * @param {() => Go} source.newGo
   * @param {Ownership} ownership
   * @param {LaunchCallbacks} callbacks
   */
  constructor({ build, site, database, file, newGo }, ownership, callbacks) {
    this.#build = build;
    this.#site = site;
    this.#database = database;
    this.#file = file;
    this.#newGo = newGo;
    this.#ownership = ownership;
    this.#callbacks = callbacks;
  }

  /**
   * Allows this worker to acquire the store.
   *
   * @param {boolean} steal from a suspended owner, which cannot release it
   */
  acquire(steal) {
    this.#shutDown = false;
    this.#steal = steal;
  }

  /** Keeps this worker from acquiring the store: another worker has it. */
  shutDown() {
    this.#shutDown = true;
    this.#steal = false;
  }

  /**
   * @param {(what: string) => void} step reports what it is doing
   * @returns {Promise<Program>}
   */
  async launch(step) {
    await this.#refuse();
    const go = this.#newGo();
    step("It is being loaded.");
    rotateLog(this.#database + " log"); // at the same time
    const instance = await this.#load(go.importObject);
    this.#refuseShutDown();
    step("It waits for the store, which another tab or another version holds.");
    const release = await this.#ownership.acquire({ steal: this.#steal });
    this.#steal = false;
    step("It opens the store.");
    return this.#run(go, instance, release);
  }

  /**
   * @param {Go} go
   * @param {WebAssembly.Instance} instance
   * @param {() => void} release the store
   */
  async #run(go, instance, release) {
    /** @type {Program | null} */
    let program = null;
    /** @type {End} */
    let end = "crashed"; // unless it reports something else
    let over = false;
    try {
      this.#refuseShutDown();
      program = await Program.start(go, instance, {
        build: this.#build,
        site: this.#site,
        store: this.#database,
        full: this.#callbacks.full,
        deleted: () => (end = "deleted"),
        fenced: () => (end = "superseded"),
        event: this.#callbacks.event,
      });
      const { ended } = program;
      ended
        .then(() => {
          over = true;
          release();
        })
        // One turn later, when the engine no longer refers to the program.
        .then(() => program?.closing || this.#callbacks.ended(end));
      await this.#callbacks.opened(program);
      return program;
    } catch (reason) {
      const stopped = over || /** @type {{reason?: StartReason}} */ (reason).reason === "crashed";
      await program?.close();
      release();
      if (stopped) {
        throw end === "crashed" ? new StartError(end, STOPPED) : new Error(STOPPED); // otherwise the next start works
      }
      throw reason;
    }
  }

  /** Throws if another worker has the store. */
  async #refuse() {
    if (serviceWorkerState() === "redundant") {
      throw new Error("A newer version of Sandtable has replaced this one.");
    }
    this.#refuseShutDown();
    // This worker may have been stopped and restarted since it was asked to shut down.
    if (serviceWorker().registration?.waiting && !this.activating && (await this.#ownership.replaced())) {
      throw Object.assign(new Error(REPLACING), { delay: 1000 });
    }
  }

  #refuseShutDown() {
    if (this.#shutDown) {
      throw new Error("Another tab has the engine.");
    }
  }

  /** @param {WebAssembly.Imports} imports */
  async #load(imports) {
    try {
      return await instantiate(await this.#file(), imports);
    } catch (error) {
      if (error instanceof RangeError) {
        throw new StartError("memory", "There is not enough memory for the engine.");
      }
      throw new StartError("program", "The engine's program could not be loaded: " + messageOf(error));
    }
  }
}

/**
 * @param {Response} response
 * @param {WebAssembly.Imports} imports
 */
async function instantiate(response, imports) {
  if (response.headers.get("Content-Type") === "application/wasm") {
    return (await WebAssembly.instantiateStreaming(response, imports)).instance;
  }
  return (await WebAssembly.instantiate(await response.arrayBuffer(), imports)).instance;
}
