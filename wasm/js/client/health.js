// The problems of a page's Sandtable. A page is notified once when a problem starts
// and once when it ends.

import { SandtableError, permanent } from "./errors.js";

/** @import { SandtableErrorCode } from "./error.d.ts" */
/** @import { WorkerState } from "../protocol.js" */

/** @typedef {"worker" | "interception" | "engine" | "space"} Subject of a problem; each has one at a time */

// The reasons why an engine does not start, including those that a retry may solve.
/** @type {Record<string, [code: SandtableErrorCode, advice: string] | undefined>} */
const startProblems = {
  ...permanent,
  quota: ["StoreFull", "This browser has no space left, not even to open the store. Nothing that was saved is lost."],
  crashed: ["EngineCrashed", "The engine crashes when it starts. The next request tries again; nothing that was acknowledged is lost."],
  held: ["StoreHeld", "Another tab or version holds the store and does not release it: close the other tabs of this site, or restart the browser."],
};

export class Health {
  /** @type {Map<Subject, SandtableError>} */
  #problems = new Map();
  /** @type {string | null} identifies the store that was seen last */
  #store = null;
  /** @type {(name: "error" | "recovered", detail: any) => void} called when a problem begins or is over */
  notify = () => {};

  /** The current problems. */
  get problems() {
    return [...this.#problems.values()];
  }

  /**
   * Reports a problem. It replaces an earlier one of the same subject.
   *
   * @param {Subject} subject
   * @param {SandtableError} error
   */
  report(subject, error) {
    if (this.#problems.get(subject)?.code !== error.code) {
      this.clear(subject);
      this.#problems.set(subject, error);
      this.notify("error", error);
    }
  }

  /**
   * Reports that a subject has no problem any more.
   *
   * @param {Subject} subject
   */
  clear(subject) {
    const error = this.#problems.get(subject);
    if (error !== undefined) {
      this.#problems.delete(subject);
      this.notify("recovered", { code: error.code });
    }
  }

  /**
   * Processes a worker's report of its state.
   *
   * @param {Partial<WorkerState>} state
   */
  update({ engine, store, full, reason, message, happened }) {
    const problem = engine === "failed" ? startProblems[reason ?? ""] : undefined;
    if (happened !== undefined) {
      this.report("engine", happened === "superseded" ? superseded() : crashed());
    } else if (problem !== undefined) {
      const [code, advice] = problem;
      this.report("engine", new SandtableError(code, `${advice} ${message}`));
    } else if (engine === "running") {
      this.clear("engine");
    }
    if (full === true) {
      this.report("space", new SandtableError("StoreFull", "This browser has no space left: writes are refused, and nothing that was saved is lost. Delete something, here or of other sites; the next write tries again."));
    } else if (full === false) {
      this.clear("space");
    }
    if (store !== undefined) {
      this.#seen(store);
    }
  }

  /** @param {string} store */
  #seen(store) {
    if (this.#store !== null && this.#store !== store) {
      this.notify("error", new SandtableError("Emptied", "The store that was here is gone, as when a site's data are cleared, and there is a new one. Fill it, or load() a dump, and read everything again."));
    }
    this.#store = store;
  }
}

function crashed() {
  return new SandtableError("EngineCrashed", "The engine crashed. The next request starts it again, with everything that was acknowledged; what was under way may or may not have been done.");
}

function superseded() {
  return new SandtableError("Superseded", "Another worker has the store now, and this one can write no more. The next request acquires the store again, or is refused with the reason.");
}
