// What one run of a program may use. The page enforces all of it: the program
// can change everything in its own worker.

/**
 * @typedef {object} Limits
 * @property {number} time milliseconds
 * @property {number} lines of output
 * @property {number} text characters of output
 * @property {number} trees characters of the values that can be opened
 * @property {number} requests
 * @property {number} pending requests at the same time
 * @property {number} body bytes of one request or answer
 * @property {number} messages of any kind
 * @property {number} bytes of all messages
 */

/** @type {Readonly<Limits>} */
export const LIMITS = Object.freeze({
  time: 10_000,
  lines: 1_000,
  text: 1_000_000,
  trees: 2_000_000,
  requests: 2_000,
  pending: 64,
  body: 8 << 20,
  messages: 10_000,
  bytes: 32 << 20,
});
