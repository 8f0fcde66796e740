// The HttpClient of the Azure SDKs for JavaScript, as @azure/core-rest-pipeline
// defines it. Theirs sends requests by fetch, this one by messages.

import { fieldsOf } from "../answers.js";
import { abortable } from "./abortable.js";
import { SandtableError, errorOf } from "./errors.js";

/** @import { Answer, Body } from "../answers.js" */
/** @import { Send } from "./control.js" */

/**
 * What we use of a PipelineRequest.
 *
 * @typedef {object} PipelineRequest
 * @property {string} method
 * @property {string} url
 * @property {Iterable<[string, string]>} headers
 * @property {any} [body]
 * @property {AbortSignal} [abortSignal]
 * @property {number} [timeout]
 * @property {boolean} [withCredentials]
 * @property {boolean} [allowInsecureConnection]
 * @property {boolean} [enableBrowserStreams]
 * @property {Set<number>} [streamResponseStatusCodes]
 * @property {(progress: {loadedBytes: number}) => void} [onUploadProgress]
 * @property {(progress: {loadedBytes: number}) => void} [onDownloadProgress]
 */

// The headers that a page cannot set on a fetch, and therefore not on a message.
const FORBIDDEN =
  /^(?:accept-charset|accept-encoding|access-control-request-headers|access-control-request-method|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|proxy-.*|sec-.*)$/i;

/** A pipeline's HttpHeaders. */
class HttpHeaders {
  /** @type {Map<string, [name: string, value: string]>} by the name in lower case */
  #fields = new Map();

  /** @param {string} name */
  get(name) {
    return this.#fields.get(name.toLowerCase())?.[1];
  }
  /** @param {string} name */
  has(name) {
    return this.#fields.has(name.toLowerCase());
  }
  /**
   * @param {string} name
   * @param {unknown} value
   */
  set(name, value) {
    this.#fields.set(name.toLowerCase(), [name, String(value).trim()]);
  }
  /** @param {string} name */
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

  /**
   * Returns the headers of an answer, with names as fetch spells them.
   *
   * @param {string} head
   */
  static of(head) {
    const headers = new HttpHeaders();
    for (const [field, value] of fieldsOf(head)) {
      const name = field.toLowerCase();
      const before = headers.get(name);
      headers.set(name, before === undefined ? value : before + ", " + value);
    }
    return headers;
  }
}

export class HttpClient {
  #request;
  #cutCode;
  #label;

  /**
   * @param {Send} request
   * @param {string} cutCode the code of the error when a connection is cut
   * @param {string} [label] of the requests
   */
  constructor(request, cutCode, label) {
    this.#request = request;
    this.#cutCode = cutCode;
    this.#label = label === undefined ? "" : "\nx-sandtable-label:" + label;
    this.sendRequest = this.sendRequest.bind(this);
  }

  /**
   * Sends a request of a pipeline.
   *
   * @param {PipelineRequest} request
   * @returns {Promise<any>} PipelineResponse
   */
  async sendRequest(request) {
    // Throws a TypeError for an invalid address, as the SDK's own client does.
    const { href: url, protocol } = new URL(request.url);
    if (protocol !== "https:" && !request.allowInsecureConnection) {
      throw new Error(`Cannot connect to ${request.url} while allowInsecureConnection is false.`);
    }
    const { signal, over } = ending(request);
    let streamed = false; // then the request ends with its body
    try {
      const body = await bytesOf(request.body, signal);
      if (body !== null) {
        request.onUploadProgress?.({ loadedBytes: body.length });
      }
      const { method, headers } = request;
      const head = pipelineHead({ method, url, headers, body: request.body }); // the address as fetch sends it: a line feed in it would begin a header
      const answer = await this.#request(head + this.#label, body, signal);
      if (answer?.status === 0) {
        throw Object.assign(new Error("the connection was cut."), { code: this.#cutCode });
      }
      const response = answer === null ? await fetched(request, body, signal) : { status: answer.status, headers: HttpHeaders.of(answer.head), body: answer.body };
      if (asStream(request, response.status) && response.body instanceof ReadableStream) {
        streamed = true;
        response.body = abortable(response.body, signal, over);
      }
      return await pipelineResponse(request, response);
    } catch (reason) {
      throw sendError(request, errorOf(reason));
    } finally {
      if (!streamed) over();
    }
  }
}

/**
 * Returns the error that the SDK's own client throws when a request fails. Its name and
 * its code decide whether the pipeline retries. Node.js has the code of a failed fetch
 * in the error's cause.
 *
 * @param {PipelineRequest} request
 * @param {Error & {code?: unknown}} reason
 */
function sendError(request, reason) {
  if (reason.name === "AbortError" || reason instanceof SandtableError) {
    return reason;
  }
  const { code, message } = /** @type {typeof reason} */ (reason.cause ?? reason);
  const more = { name: "RestError", code: typeof code === "string" ? code : "REQUEST_SEND_ERROR", request };
  return Object.assign(new Error("Error sending request: " + (message || reason.message), { cause: reason }), more);
}

const always = { signal: undefined, over() {} };

/**
 * Returns the signal that aborts a request, if any, and a cleanup function.
 *
 * @param {PipelineRequest} request
 */
function ending({ abortSignal, timeout }) {
  if (!abortSignal && !timeout) {
    return always;
  }
  if (abortSignal?.aborted) {
    throw new DOMException("The operation was aborted. Request has already been canceled.", "AbortError");
  }
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException("The operation was aborted.", "AbortError"));
  const timer = timeout ? setTimeout(abort, timeout) : undefined;
  abortSignal?.addEventListener("abort", abort);
  const over = () => {
    clearTimeout(timer);
    abortSignal?.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, over };
}

/** @param {Pick<PipelineRequest, "method" | "url" | "headers" | "body">} request */
export function pipelineHead({ method, url, headers, body }) {
  let head = method + " " + url;
  let accepts = false;
  let typed = typeof body !== "string";
  for (const [name, value] of headers) {
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw new TypeError(`The value of the header ${name} cannot be sent.`);
    }
    if (!FORBIDDEN.test(name)) {
      accepts ||= /^accept$/i.test(name);
      typed ||= /^content-type$/i.test(name);
      head += "\n" + name + ":" + value;
    }
  }
  return head + (accepts ? "" : "\naccept:*/*") + (typed ? "" : "\ncontent-type:text/plain;charset=UTF-8");
}

/**
 * Returns the bytes of any kind of request body.
 *
 * @param {any} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<Body>}
 */
async function bytesOf(body, signal) {
  const given = typeof body === "function" ? body() : body;
  if (given === undefined || given === null || given === "") {
    return null;
  }
  if (typeof given === "string") {
    return new TextEncoder().encode(given);
  }
  const { body: stream } = new Response(given);
  return new Uint8Array(await new Response(stream && abortable(stream, signal)).arrayBuffer());
}

/**
 * @param {PipelineRequest} request
 * @param {number} status
 */
function asStream({ streamResponseStatusCodes: streamed }, status) {
  return streamed !== undefined && (streamed.has(status) || streamed.has(Number.POSITIVE_INFINITY));
}

/**
 * @param {PipelineRequest} request
 * @param {{status: number, headers: HttpHeaders, body: Answer["body"]}} answer
 */
async function pipelineResponse(request, { status, headers, body }) {
  /** @type {Record<string, unknown>} */
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

/**
 * Sends a request to the network, such as one to a real account.
 *
 * @param {PipelineRequest} request
 * @param {Body} body
 * @param {AbortSignal} [signal]
 */
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
