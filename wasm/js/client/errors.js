/**
 * What went wrong, by a code that a program can read and a message that says
 * what to do.
 */
class SandtableError extends Error {
  /**
   * @param {string} code see SandtableErrorCode in sandtable.d.ts
   * @param {string} message
   * @param {{cause?: unknown, status?: number}} [more] the HTTP status, if the service refused
   */
  constructor(code, message, { cause, status } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "SandtableError";
    this.code = code;
    if (status !== undefined) {
      this.status = status;
    }
  }
}

// Why an engine does not start, by what a worker says is in the way (see Trouble in program.js),
// where asking again is not likely to help.
const troubles = {
  format: ["StoreFormat", "The store was written by a newer version: deploy that one, or give up what is in it by this error's reset()."],
  database: ["StoreClosed", "The browser does not open the store. Try again behind a restart of the browser, or give up what is in it by this error's reset()."],
  program: ["EngineNotLoaded", "The engine's file is not there, or cannot be reached: it belongs beside sandtable-worker.js, and its name is of one build with it."],
  memory: ["EngineNotLoaded", "There is not enough memory for the engine: close other tabs."],
};
