/** @import { SandtableErrorCode } from "./error.d.ts" */

/** An error with a code for programs, and a message that says what to do. */
export class SandtableError extends Error {
  /** @type {(() => Promise<void>) | undefined} */
  reset;
  /** @type {boolean | undefined} an earlier attempt, whose answer was lost, may have succeeded */
  unsure;

  /**
   * @param {SandtableErrorCode} code
   * @param {string} message
   * @param {{cause?: unknown, status?: number}} [more] the HTTP status, if the service refused
   */
  constructor(code, message, { cause, status } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "SandtableError";
    this.code = code;
    this.status = status;
  }
}

/**
 * Returns anything that was thrown as an Error.
 *
 * @param {unknown} reason
 * @returns {Error}
 */
export function errorOf(reason) {
  return reason instanceof Error ? reason : new Error(String(reason));
}

// Why an engine does not start, by StartReason of program.js, where a retry is
// not likely to help.
/** @type {Record<string, [code: SandtableErrorCode, advice: string] | undefined>} */
export const permanent = {
  format: ["StoreFormat", "The store was written by a newer version: deploy that one, or delete the store by this error's reset()."],
  database: ["StoreClosed", "The browser does not open the store. Restart the browser and try again, or delete the store by this error's reset()."],
  program: ["EngineNotLoaded", "The engine's file is missing or cannot be reached: it belongs next to sandtable-worker.js, from the same build."],
  memory: ["EngineNotLoaded", "There is not enough memory for the engine: close other tabs."],
};
