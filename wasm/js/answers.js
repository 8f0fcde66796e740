// Requests and answers on their way to Go and back: one text for the head, one
// byte array for the body (see wasm/internal/jshttp). An answer is
//
//	{ status: number, head: string, body: Uint8Array | ReadableStream | null }
//
// and becomes a Response only where a fetch is waiting for it.

/** The head of a request to a URL, as jshttp.NewRequest reads it. */
function headOf(request, url) {
  let head = request.method + " " + url;
  for (const [name, value] of request.headers) {
    head += "\n" + name + ":" + value;
  }
  return head;
}

/** The body of a request, or null where there can be none. */
async function bodyOf(request) {
  if (request.method === "GET" || request.method === "HEAD") {
    return null;
  }
  const body = await request.arrayBuffer();
  return body.byteLength === 0 ? null : new Uint8Array(body);
}

/** The response that an answer is to a fetch. */
function responseOf({ status, head, body }) {
  const headers = [];
  for (const line of head === "" ? [] : head.split("\n")) {
    const colon = line.indexOf(":");
    headers.push([line.slice(0, colon), line.slice(colon + 1)]);
  }
  return new Response(body, { status, headers });
}

/** An answer of the script's own, such as the control API gives. */
function documentOf(value) {
  const body = new TextEncoder().encode(JSON.stringify(value));
  return { status: 200, head: "Content-Type:application/json\nCache-Control:no-store", body };
}

/**
 * A refusal in the service's form.
 *
 * @param {number} status
 * @param {string} code
 * @param {string} message
 * @param {string} [more] further lines of the head
 */
function refusal(status, code, message, more = "") {
  const error = { "odata.error": { code, message: { lang: "en-US", value: message } } };
  const head = "Content-Type:application/json;odata=minimalmetadata;charset=utf-8\nx-ms-error-code:" + code + more;
  return { status, head, body: new TextEncoder().encode(JSON.stringify(error)) };
}

/**
 * Cannot serve now; ask again.
 *
 * @param {string} why
 * @param {object} [how]
 * @param {number} [how.delay] when to ask again, in milliseconds; SDKs obey
 * @param {string} [how.reason] what is in the way, where asking again alone is
 *   not likely to help (see Trouble)
 */
function busy(why, { delay = 500, reason } = {}) {
  const message = "The server is currently unable to receive requests. Please retry your request. " + why;
  const more = `\nRetry-After:1\nx-ms-retry-after-ms:${delay}` + (reason === undefined ? "" : "\nx-sandtable-reason:" + reason);
  return refusal(503, "ServerBusy", message, more);
}

/** Something broke while a request was being served. */
function broken(why) {
  return refusal(500, "InternalError", "Server encountered an internal error. Please try again after some time. " + why);
}

/** The response to a navigation that is refused, for people to read. */
function forbidden(why) {
  return new Response(why + "\n", { status: 403, headers: { "Content-Type": "text/plain;charset=utf-8" } });
}
