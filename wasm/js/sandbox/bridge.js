// The page's end of the bridge: which requests of a sandboxed program are sent,
// and where to. Every message is from a stranger's code.

/** @import { Limits } from "./limits.js" */

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "MERGE", "DELETE", "OPTIONS"]);
const HEADER = /^[a-z0-9-]{1,100}$/i;
const MAX_HEADERS = 50;
const MAX_HEADER = 4096; // characters of a value
const MAX_URL = 16_384;

/** A request that is not sent, with the reason for the program. Known by its name: several scripts contain this module. */
export class Refused extends Error {
  name = "Refused";
}

/**
 * @typedef {object} Allowed
 * @property {string} url
 * @property {string} method
 * @property {[string, string][]} headers
 * @property {ArrayBuffer | null} body
 */

/**
 * Returns the request to send for one of the program.
 *
 * @param {unknown} message [method, url, headers, body] as the program sent it
 * @param {object} where
 * @param {string} where.origin the only one that the program may name, such as https://playground.table.core.windows.net
 * @param {string} where.endpoint the URL of the account that answers; ends in a slash
 * @param {Pick<Limits, "body">} limits
 * @returns {Allowed}
 */
export function allowed(message, { origin, endpoint }, limits) {
  if (!Array.isArray(message) || message.length !== 4) {
    throw new Refused("This is not a request.");
  }
  const [method, address, headers, body] = message;
  if (typeof method !== "string" || !METHODS.has(method)) {
    throw new Refused("This method is not one of the Table service.");
  }
  if (body !== null && !(body instanceof ArrayBuffer)) {
    throw new Refused("The body of a request must be bytes.");
  }
  if (body !== null && body.byteLength > limits.body) {
    throw new Refused(`A request may have ${limits.body} bytes here, not ${body.byteLength}.`);
  }
  const sent = headersOf(headers);
  return { method, url: urlOf(address, origin, endpoint), headers: method === "OPTIONS" ? sent.map(preflightHeader) : sent, body };
}

const PREFLIGHT = new Set(["origin", "access-control-request-method", "access-control-request-headers"]);

/**
 * Browsers let no script set the headers of a preflight. The engine takes them by
 * these names from OPTIONS requests, which do nothing but answer by CORS rules.
 *
 * @param {[string, string]} header
 * @returns {[string, string]}
 */
function preflightHeader([name, value]) {
  return PREFLIGHT.has(name.toLowerCase()) ? ["x-sandtable-preflight-" + name.toLowerCase(), value] : [name, value];
}

/**
 * @param {unknown} address
 * @param {string} origin
 * @param {string} endpoint
 */
function urlOf(address, origin, endpoint) {
  if (typeof address !== "string" || address.length > MAX_URL || !URL.canParse(address)) {
    throw new Refused("The address of a request must be a whole URL.");
  }
  const wanted = new URL(address);
  if (wanted.origin !== origin) {
    throw new Refused(`This program can reach ${origin} alone, not ${wanted.origin.slice(0, 200)}.`);
  }
  const url = new URL(endpoint);
  url.pathname = url.pathname.slice(0, -1) + wanted.pathname; // parsing has resolved the dots in it
  url.search = wanted.search;
  if (!url.href.startsWith(endpoint)) {
    throw new Refused("The path of a request leads out of its account.");
  }
  return url.href;
}

/**
 * @param {unknown} headers
 * @returns {[string, string][]}
 */
function headersOf(headers) {
  if (!Array.isArray(headers) || headers.length > MAX_HEADERS) {
    throw new Refused(`A request may have ${MAX_HEADERS} headers here.`);
  }
  return headers.map((header) => {
    const [name, value] = Array.isArray(header) ? header : [];
    if (typeof name !== "string" || typeof value !== "string" || !HEADER.test(name) || value.length > MAX_HEADER) {
      throw new Refused("A header of the request is malformed or too long.");
    }
    return [name, value];
  });
}

/**
 * Returns what answers a program's requests: one account at an address of the page.
 *
 * @param {object} where as {@link allowed} takes it
 * @param {string} where.origin
 * @param {string} where.endpoint
 * @returns {import("./host.js").Answering}
 */
export function oneAccount(where) {
  return async (message, limits, signal) => linked(await send(allowed(message, where, limits), limits, signal), where);
}

/**
 * Returns an answer whose links lead to the address that the program knows, so that it
 * can follow them.
 *
 * @param {Awaited<ReturnType<typeof send>>} answer
 * @param {{ origin: string, endpoint: string }} where as {@link allowed} takes it
 * @returns {Awaited<ReturnType<typeof send>>}
 */
function linked(answer, { origin, endpoint }) {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(answer.body);
  const headers = answer.headers.map(([name, value]) => /** @type {[string, string]} */ ([name, value.replaceAll(endpoint, origin + "/")]));
  if (!text.includes(endpoint)) {
    return { ...answer, headers };
  }
  const body = new TextEncoder().encode(text.replaceAll(endpoint, origin + "/")).buffer;
  return { ...answer, headers: headers.map(([name, value]) => [name, name === "content-length" ? String(body.byteLength) : value]), body };
}

/**
 * Sends a request and reads the answer whole, up to a limit.
 *
 * @param {Allowed} request
 * @param {Pick<Limits, "body">} limits
 * @param {AbortSignal} signal
 */
async function send({ url, method, headers, body }, limits, signal) {
  const response = await fetch(url, { method, headers, body, signal, credentials: "omit", redirect: "error", cache: "no-store", referrerPolicy: "no-referrer" });
  const answer = response.body === null ? new Uint8Array() : await readUpTo(response.body, limits.body);
  return { status: response.status, statusText: response.statusText, headers: [...response.headers], body: answer.buffer };
}

/**
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} stream
 * @param {number} limit in bytes
 */
export async function readUpTo(stream, limit) {
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const chunks = [];
  let size = 0;
  const reader = stream.getReader(); // not every browser iterates over streams
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if ((size += part.value.length) > limit) {
      await reader.cancel();
      throw tooLong(limit);
    }
    chunks.push(part.value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** @param {number} limit */
export const tooLong = (limit) => new Refused(`The answer has more than the ${limit} bytes that a sandbox can read.`);
