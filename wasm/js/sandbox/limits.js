// What one run of a program may use. The page enforces all of it: the program
// can change everything in its own worker.

/**
 * @typedef {object} Limits
 * @property {number} code characters of the program
 * @property {number} time milliseconds
 * @property {number} lines of output
 * @property {number} text characters of output; the values in it may take twice as many
 * @property {number} requests
 * @property {number} pending requests at the same time
 * @property {number} body bytes of one request or answer
 * @property {number} messages of any kind
 * @property {number} bytes of all messages
 */

/** @type {Readonly<Limits>} */
export const LIMITS = Object.freeze({
  code: 1_000_000,
  time: 10_000,
  lines: 1_000,
  text: 1_000_000,
  requests: 2_000,
  pending: 64,
  body: 8 << 20,
  messages: 10_000,
  bytes: 32 << 20,
});

/**
 * Returns about how many bytes a message of the program has, or more than the
 * limit for what no message of ours contains, such as a map.
 *
 * @param {unknown} data
 * @param {number} limit
 * @param {number} [depth]
 * @returns {number}
 */
export function weigh(data, limit, depth = 0) {
  if (typeof data === "string") {
    return data.length;
  }
  if (data instanceof ArrayBuffer) {
    return data.byteLength;
  }
  if (Array.isArray(data) && depth < 4) { // a header is three deep; an array may contain itself
    let sum = 8;
    for (let i = 0; i < data.length && sum <= limit; i++) {
      sum += weigh(data[i], limit, depth + 1);
    }
    return sum;
  }
  return data === null || (typeof data !== "object" && typeof data !== "bigint") ? 8 : limit + 1; // a bigint may be as large as any text
}

/**
 * Returns a function that sends messages over a port. The page ends the run at the
 * message that passes a limit, so nothing follows it: a loop that prints would fill
 * the memory faster than a busy page reads.
 *
 * @param {MessagePort} port
 * @param {Pick<Limits, "messages" | "bytes">} limits
 */
export function limitedSender(port, limits) {
  let messages = 0;
  let bytes = 0;
  return (/** @type {unknown[]} */ message, /** @type {Transferable[]} */ transfer = []) => {
    if (messages <= limits.messages && bytes <= limits.bytes) {
      messages++;
      bytes += weigh(message, limits.bytes);
      port.postMessage(message, transfer);
    }
  };
}
