// The HttpClient of the Azure SDKs for JavaScript, as @azure/core-rest-pipeline
// has it: what their own does by fetch is done by messages here.

// What a page cannot set on a fetch, and so does not on a message.
const FORBIDDEN =
  /^(?:accept-charset|accept-encoding|access-control-request-headers|access-control-request-method|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|proxy-.*|sec-.*)$/i;

/** A pipeline's HttpHeaders. */
class HttpHeaders {
  #fields = new Map(); // [name, value] by the name in lower case

  get(name) {
    return this.#fields.get(name.toLowerCase())?.[1];
  }
  has(name) {
    return this.#fields.has(name.toLowerCase());
  }
  set(name, value) {
    this.#fields.set(name.toLowerCase(), [name, String(value).trim()]);
  }
  delete(name) {
    this.#fields.delete(name.toLowerCase());
  }
  toJSON({ preserveCase = false } = {}) {
    return Object.fromEntries([...this.#fields].map(([key, [name, value]]) => [preserveCase ? name : key, value]));
  }
  toString() {
    return JSON.stringify(this.toJSON({ preserveCase: true }));
  }
  [Symbol.iterator]() {
    return this.#fields.values();
  }

  /** The headers of an answer's head, their names as fetch spells them. */
  static of(head) {
    const headers = new HttpHeaders();
    for (const line of head === "" ? [] : head.split("\n")) {
      const colon = line.indexOf(":");
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1);
      const before = headers.get(name);
      headers.set(name, before === undefined ? value : before + ", " + value);
    }
    return headers;
  }
}

class HttpClient {
  #request;

  /** @param {(head: string, body: Uint8Array | null, signal?: AbortSignal) => Promise<object | null>} request see Connection */
  constructor(request) {
    this.#request = request;
    this.sendRequest = this.sendRequest.bind(this);
  }

  /**
   * Sends a request of a pipeline.
   *
   * @param {object} request PipelineRequest
   * @returns {Promise<object>} PipelineResponse
   */
  async sendRequest(request) {
    if (!request.url.startsWith("https:") && !request.allowInsecureConnection) {
      throw new Error(`Cannot connect to ${request.url} while allowInsecureConnection is false.`);
    }
    const { signal, over } = ending(request);
    let streamed = false; // then it is over when the body was read
    try {
      const body = await bytesOf(request.body);
      if (body !== null) {
        request.onUploadProgress?.({ loadedBytes: body.length });
      }
      const answer = await this.#request(pipelineHead(request), body, signal);
      const response = answer === null ? await fetched(request, body, signal) : { status: answer.status, headers: HttpHeaders.of(answer.head), body: answer.body };
      streamed = asStream(request, response.status) && response.body instanceof ReadableStream;
      return await pipelineResponse(request, streamed ? { ...response, body: abortable(response.body, signal, over) } : response);
    } finally {
      if (!streamed) over();
    }
  }
}

const always = { signal: undefined, over() {} };

/** What ends a request before its answer is whole, if anything can, and what to call behind it. */
function ending({ abortSignal, timeout }) {
  if (!abortSignal && !(timeout > 0)) {
    return always;
  }
  if (abortSignal?.aborted) {
    throw new DOMException("The operation was aborted. Request has already been canceled.", "AbortError");
  }
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException("The operation was aborted.", "AbortError"));
  const timer = timeout > 0 ? setTimeout(abort, timeout) : undefined;
  abortSignal?.addEventListener("abort", abort);
  const over = () => {
    clearTimeout(timer);
    abortSignal?.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, over };
}

function pipelineHead({ method, url, headers, body }) {
  let head = method + " " + url;
  let accepts = false;
  let typed = typeof body !== "string";
  for (const [name, value] of headers) {
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw new TypeError(`The value of the header ${name} is not one that can be sent.`);
    }
    if (!FORBIDDEN.test(name)) {
      accepts ||= /^accept$/i.test(name);
      typed ||= /^content-type$/i.test(name);
      head += "\n" + name + ":" + value;
    }
  }
  return head + (accepts ? "" : "\naccept:*/*") + (typed ? "" : "\ncontent-type:text/plain;charset=UTF-8");
}

/** The bytes of any body that a request may have. */
async function bytesOf(body) {
  const given = typeof body === "function" ? body() : body;
  if (given === undefined || given === null || given === "") {
    return null;
  }
  return typeof given === "string" ? new TextEncoder().encode(given) : new Uint8Array(await new Response(given).arrayBuffer());
}

function asStream({ streamResponseStatusCodes: streamed }, status) {
  return streamed !== undefined && (streamed.has(status) || streamed.has(Number.POSITIVE_INFINITY));
}

async function pipelineResponse(request, { status, headers, body }) {
  const response = { request, status, headers };
  if (asStream(request, status)) {
    if (request.enableBrowserStreams) {
      response.browserStreamBody = new Response(body).body ?? undefined;
    } else {
      response.blobBody = new Response(body).blob();
    }
    return response;
  }
  const bytes = body instanceof ReadableStream ? new Uint8Array(await new Response(body).arrayBuffer()) : body;
  if (bytes !== null) {
    request.onDownloadProgress?.({ loadedBytes: bytes.length });
  }
  response.bodyAsText = bytes === null ? "" : new TextDecoder().decode(bytes);
  return response;
}

/** A request that is not ours, such as one to a real account. */
async function fetched(request, body, signal) {
  const { url, method, withCredentials } = request;
  const fields = [...request.headers].filter(([name]) => !FORBIDDEN.test(name));
  const response = await fetch(url, { method, headers: fields, body, signal, cache: "no-store", credentials: withCredentials ? "include" : "same-origin" });
  const headers = new HttpHeaders();
  for (const [name, value] of response.headers) {
    headers.set(name, value);
  }
  return { status: response.status, headers, body: response.body };
}
