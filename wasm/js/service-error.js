// What an error of the SDK says. The SDK leaves the service's answer as JSON inside
// the error's message, and its code empty.

/**
 * @typedef {object} ServiceError
 * @property {string} name
 * @property {string} message
 * @property {string} code of the service or of the network error, "" for none
 * @property {number} status of the answer, 0 for none
 */

/**
 * @param {unknown} reason anything that was thrown
 * @returns {ServiceError}
 */
export function describeError(reason) {
  try {
    if (!(reason instanceof Error)) {
      return { name: "Thrown", message: String(reason), code: "", status: 0 };
    }
    const { code, message } = answerOf(reason);
    const status = Number(/** @type {any} */ (reason).statusCode ?? 0);
    return { name: String(reason.name), message, code, status };
  } catch {
    return { name: "Thrown", message: "an object that cannot be shown", code: "", status: 0 };
  }
}

/** @param {any} reason */
function answerOf(reason) {
  const message = String(reason.message);
  try {
    const document = JSON.parse(message)["odata.error"];
    // The service's text ends with its RequestId and Time, which explain nothing.
    return { code: String(document.code), message: String(document.message.value).split("\nRequestId:")[0] };
  } catch {
    const error = reason.details?.odataError ?? {};
    return { code: String(error.code ?? reason.code ?? ""), message: String(error.message?.value ?? message).split("\nRequestId:")[0] };
  }
}

/**
 * Returns anything that was thrown in one line.
 *
 * @param {unknown} reason
 */
export function formatError(reason) {
  const { name, message, code, status } = describeError(reason);
  const answer = [status === 0 ? "" : String(status), code].filter((part) => part !== "").join(" ");
  return answer === "" ? `${name}: ${message}` : `${name} (${answer}): ${message}`;
}
