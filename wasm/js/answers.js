// Requests and answers on their way to Go and back: one string for the head,
// one byte array for the body (see wasm/internal/jshttp). An answer becomes a
// Response only where a fetch waits for it.

/**
 * @typedef {object} Answer
 * @property {number} status 0 for a request whose connection was cut, see responseOf
 * @property {string} head header lines, "Name:value", joined by line feeds
 * @property {Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null} body
 * @property {Promise<void>} [ended] of a stream: fulfilled when nothing more is written to it
 * @property {boolean} [lost] the worker ended before it answered: this answer is the page's own
 */

/** @typedef {Uint8Array<ArrayBuffer> | null} Body of a request */

/**
 * Returns the head of a request, as package jshttp reads it.
 *
 * @param {Pick<Request, "method" | "url" | "headers">} request
 */
export function headOf(request) {
  let head = request.method + " " + request.url;
  for (const [name, value] of request.headers) {
    head += "\n" + name + ":" + value;
  }
  return head;
}

/**
 * Reads the body of a request; null if it has none.
 *
 * @param {Pick<Request, "method" | "arrayBuffer">} request
 * @returns {Promise<Body>}
 */
export async function bodyOf(request) {
  if (request.method === "GET" || request.method === "HEAD") {
    return null;
  }
  const body = await request.arrayBuffer();
  return body.byteLength === 0 ? null : new Uint8Array(body);
}

// Chromium sends the bytes of a service worker's response to the page by way of the
// browser process, as a Blob, but a stream directly, in four fifths of the time. In
// Firefox and WebKit a stream takes longer. Only Chromium has userAgentData.
const STREAMS = "userAgentData" in (globalThis.navigator ?? {});

/**
 * Returns an answer as the response of a service worker, in the form that reaches the
 * page soonest.
 *
 * @param {Answer} answer
 */
export function workerResponseOf(answer) {
  const { body } = answer;
  return responseOf(STREAMS && body instanceof Uint8Array ? { ...answer, body: streamOf(body) } : answer);
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
function streamOf(bytes) {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

/**
 * Returns an answer as the response to a fetch. A service worker that responds with
 * an error makes the page's fetch fail.
 *
 * @param {Answer} answer
 */
export function responseOf({ status, head, body }) {
  if (status === 0) {
    return Response.error();
  }
  return new Response(body, { status, headers: fieldsOf(head) });
}

/**
 * Splits a head into names and values.
 *
 * @param {string} head
 * @returns {[string, string][]}
 */
export function fieldsOf(head) {
  return (head === "" ? [] : head.split("\n")).map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1)];
  });
}

/**
 * Returns an answer of the worker's own, in the control API's form.
 *
 * @param {object} value
 * @returns {Answer}
 */
export function documentOf(value) {
  const body = new TextEncoder().encode(JSON.stringify(value));
  return { status: 200, head: "Content-Type:application/json\nCache-Control:no-store", body };
}

/**
 * Returns a refusal in the service's form.
 *
 * @param {number} status
 * @param {string} code
 * @param {string} message
 * @param {string} [more] further lines of the head
 * @returns {Answer}
 */
export function refusal(status, code, message, more = "") {
  const error = { "odata.error": { code, message: { lang: "en-US", value: message } } };
  const head = "Content-Type:application/json;odata=minimalmetadata;charset=utf-8\nx-ms-error-code:" + code + more;
  return { status, head, body: new TextEncoder().encode(JSON.stringify(error)) };
}

/**
 * Returns the answer "cannot serve now, retry".
 *
 * @param {string} why
 * @param {object} [how]
 * @param {number} [how.delay] when to retry, in milliseconds; SDKs obey it
 * @param {string} [how.reason] why a retry is unlikely to help, if it is (see StartError)
 */
export function busy(why, { delay = 500, reason } = {}) {
  const message = "The server is currently unable to receive requests. Please retry your request. " + why;
  const more = `\nRetry-After:${Math.ceil(delay / 1000)}\nx-ms-retry-after-ms:${delay}` + (reason === undefined ? "" : "\nx-sandtable-reason:" + reason);
  return refusal(503, "ServerBusy", message, more);
}

/** Returns the answer to a request whose body is longer than any that the engine takes. */
export function tooLarge() {
  return refusal(413, "RequestBodyTooLarge", "The request body is too large and exceeds the maximum permissible limit.");
}

/**
 * Returns the answer for an internal failure.
 *
 * @param {string} why
 */
export function broken(why) {
  return refusal(500, "InternalError", "Server encountered an internal error. Please try again after some time. " + why);
}

/**
 * Returns the response to a navigation that is refused, for people to read.
 *
 * @param {string} why
 */
export function forbidden(why) {
  return new Response(why + "\n", { status: 403, headers: { "Content-Type": "text/plain;charset=utf-8" } });
}

/**
 * Returns the message of anything that was thrown.
 *
 * @param {unknown} reason
 */
export function messageOf(reason) {
  return reason instanceof Error ? reason.message : String(reason);
}
