// What to say about an error of the program.

import { describeError } from "../service-error.js";
import { cut } from "./text.js";

/**
 * @typedef {object} Failure
 * @property {string} name
 * @property {string} message
 * @property {string} code of the service, "" for none
 * @property {number} status of the answer, 0 for none
 * @property {number} line of the code, from 1; 0 if unknown
 */

/**
 * @param {any} reason what was thrown
 * @param {(stack: string) => number} lineOf
 * @returns {Failure}
 */
export function failureOf(reason, lineOf) {
  const { name, message, code, status } = describeError(reason);
  const short = { name: cut(name, 100), message: cut(message), code: cut(code, 100), status };
  try {
    return { ...short, line: reason instanceof Error ? lineOf(String(reason.stack ?? "")) : 0 };
  } catch {
    return { ...short, line: 0 };
  }
}
