// The lines of the program's calls of the SDK. The SDK makes its errors after
// answers have arrived, and their stacks lead nowhere into the program.

/** @typedef {(stack: string) => number} LineOf */

/** @type {WeakMap<object, number>} the line of the call that ended in an error */
const lines = new WeakMap();

/**
 * The line of the call that ended in this error; 0 if none is known.
 *
 * @param {any} reason
 */
export function lineOfCall(reason) {
  return lines.get(reason) ?? 0;
}

/**
 * Makes the methods of a class note their caller's line for the errors that they end in.
 *
 * @param {any} type
 * @param {LineOf} lineOf
 */
export function noteCalls(type, lineOf) {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(type.prototype))) {
    if (name !== "constructor" && typeof value === "function") {
      type.prototype[name] = withCaller(value, lineOf, 0);
    }
  }
}

/**
 * Returns a method that does the same, and notes its caller's line for its errors.
 *
 * @param {Function} method
 * @param {LineOf} lineOf
 * @param {number} before the line if the stack leads to none
 * @returns {(this: unknown, ...args: unknown[]) => unknown}
 */
function withCaller(method, lineOf, before) {
  return function (...args) {
    const line = lineOf(new Error().stack ?? "") || before;
    return noteLine(method.apply(this, args), lineOf, line);
  };
}

/**
 * Notes the line for an error that a result ends in, and returns the result.
 *
 * @param {any} result of a call: a promise, or an iterator whose steps are promises
 * @param {LineOf} lineOf
 * @param {number} line
 */
function noteLine(result, lineOf, line) {
  if (result instanceof Promise) {
    return result.catch((reason) => {
      if (line > 0 && reason instanceof Error && !lines.has(reason)) {
        lines.set(reason, line);
      }
      throw reason;
    });
  }
  if (typeof result?.[Symbol.asyncIterator] === "function") {
    for (const name of ["next", "byPage"]) {
      if (typeof result[name] === "function") {
        result[name] = withCaller(result[name].bind(result), lineOf, line);
      }
    }
  }
  return result;
}
