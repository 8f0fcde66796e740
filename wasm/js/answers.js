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

/** A refusal in the service's form, with the delay that SDKs obey. */
function refusal(status, code, message) {
  const error = { "odata.error": { code, message: { lang: "en-US", value: message } } };
  let head = "Content-Type:application/json;odata=minimalmetadata;charset=utf-8\nx-ms-error-code:" + code;
  if (status === 503) {
    head += "\nRetry-After:1\nx-ms-retry-after-ms:500";
  }
  return { status, head, body: new TextEncoder().encode(JSON.stringify(error)) };
}

/** Cannot serve now; ask again. */
function busy(why) {
  return refusal(503, "ServerBusy", "The server is currently unable to receive requests. Please retry your request. " + why);
}

/** Something broke while a request was being served. */
function broken(why) {
  return refusal(500, "InternalError", "Server encountered an internal error. Please try again after some time. " + why);
}
