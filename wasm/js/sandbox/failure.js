// What to say about an error of the program. The SDK leaves the service's answer
// as JSON inside the error's message.

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
  try {
    if (!(reason instanceof Error)) {
      return { name: "Thrown", message: cut(String(reason)), code: "", status: 0, line: 0 };
    }
    const { code, message } = serviceError(reason);
    const status = Number(/** @type {any} */ (reason).statusCode ?? 0);
    return { name: cut(String(reason.name), 100), message: cut(message), code: cut(code, 100), status, line: lineOf(String(reason.stack ?? "")) };
  } catch {
    return { name: "Thrown", message: "an object that cannot be shown", code: "", status: 0, line: 0 };
  }
}

/** @param {any} reason */
function serviceError(reason) {
  const message = String(reason.message);
  try {
    const document = JSON.parse(message)["odata.error"];
    // The service's text goes on with its RequestId and Time, which explain nothing.
    return { code: String(document.code), message: String(document.message.value).split("\nRequestId:")[0] };
  } catch {
    const error = reason.details?.odataError ?? {};
    return { code: String(error.code ?? reason.code ?? ""), message: String(error.message?.value ?? message).split("\nRequestId:")[0] };
  }
}

/**
 * Returns an error in one line, as the console prints it.
 *
 * @param {any} reason
 */
export function messageOf(reason) {
  const { name, message, code, status } = failureOf(reason, () => 0);
  const answer = [status === 0 ? "" : String(status), code].filter((part) => part !== "").join(" ");
  return answer === "" ? `${name}: ${message}` : `${name} (${answer}): ${message}`;
}
