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
