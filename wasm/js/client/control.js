// Requests to the control API (docs/control.md), with the retries that they need.

import { SandtableError, errorOf, permanent } from "./errors.js";

/** @import { Answer, Body } from "../answers.js" */

/** @typedef {(head: string, body: Body, signal?: AbortSignal) => Promise<Answer | null>} Send see Connection */

// How often a request is sent before "busy" is the result, and the pause between, in milliseconds.
const ATTEMPTS = 10;
const PAUSE = 500;

export class Control {
  #base;
  #send;

  /**
   * @param {string} base the URL of the control API, which ends in a slash
   * @param {Send} send
   */
  constructor(base, send) {
    this.#base = base;
    this.#send = send;
  }

  /**
   * Sends a request and returns the JSON document of the answer; undefined if
   * the answer has none.
   *
   * @param {string} method
   * @param {string} path
   * @param {object | Uint8Array<ArrayBuffer>} [body] bytes, or what JSON is made of
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async json(method, path, body, signal) {
    const { status, body: answered } = await this.request(method, path, body, signal);
    return status === 204 ? undefined : new Response(answered).json();
  }

  /**
   * Reads a document, or returns null if the control API has no such document.
   *
   * @param {string} path
   * @returns {Promise<any>}
   */
  find(path) {
    return this.json("GET", path).catch((reason) => {
      if (reason.status !== 404) throw reason;
      return null;
    });
  }

  /** @param {string} path of what is deleted */
  async delete(path) {
    await this.json("DELETE", path).catch((reason) => {
      if (reason.status !== 404 || !reason.unsure) throw reason; // otherwise an earlier attempt without a response has deleted it
    });
  }

  /**
   * Is json for a request whose repetition would do something else. If the answer is
   * lost, it throws NotConnected.
   *
   * @param {string} method
   * @param {string} path
   * @param {object} body
   * @returns {Promise<any>}
   */
  async once(method, path, body) {
    return new Response((await this.request(method, path, body, undefined, true)).body).json();
  }

  /**
   * Sends a request; throws what the answer refuses.
   *
   * @param {string} method
   * @param {string} path
   * @param {object | Uint8Array<ArrayBuffer>} [body]
   * @param {AbortSignal} [signal]
   * @param {boolean} [once] does not send it again if the answer is lost
   * @returns {Promise<Answer>}
   */
  async request(method, path, body, signal, once = false) {
    const binary = body instanceof Uint8Array;
    const content = body === undefined || binary ? (body ?? null) : new TextEncoder().encode(JSON.stringify(body));
    // No form can send this type: requests that change something are refused without it.
    const type = method === "GET" ? "" : "\ncontent-type:" + (binary ? "application/x-ndjson" : "application/json");
    const head = `${method} ${this.#base}${path}\naccept:application/json${type}`;
    const { answer, unsure } = await this.#retry(() => this.#send(head, content, signal), once);
    if (once && answer?.lost) {
      throw new SandtableError("NotConnected", `${method} ${path}: the worker ended before it answered, and may have done it or not. Check that before you repeat it.`);
    }
    if (answer === null || answer.status >= 400) {
      const error = await refusal(answer, method, path);
      error.unsure = unsure;
      throw error;
    }
    return answer;
  }

  /**
   * Runs an action that may take long. The last line of the answer is the result,
   * those before report progress.
   *
   * @template Result, Progress
   * @param {string} action
   * @param {(progress: Progress) => void} progress
   * @param {AbortSignal} [signal]
   * @returns {Promise<Result>}
   */
  async run(action, progress, signal) {
    const { body } = await this.request("POST", action, undefined, signal);
    const broken = (/** @type {unknown} */ reason) => {
      signal?.throwIfAborted();
      throw new SandtableError("NotConnected", `${action} did not finish: ${errorOf(reason).message} Try again.`, { cause: reason });
    };
    let result;
    for await (const line of lines(body, broken)) {
      const message = JSON.parse(line);
      if (message.progress === undefined) {
        result = message;
      } else {
        progress(message.progress);
      }
    }
    if (result === undefined) {
      return broken(new Error("the answer is incomplete."));
    }
    if (result.error !== undefined) {
      throw new SandtableError("Refused", `POST ${action}: ${result.error.code}. ${result.error.message}`);
    }
    return result;
  }

  /**
   * Sends again what is answered "busy", as SDKs do. Returns the last answer, and
   * whether the answer of another attempt was lost.
   *
   * @param {() => Promise<Answer | null>} send
   * @param {boolean} once returns a lost answer
   */
  async #retry(send, once) {
    for (let attempt = 1, unsure = false; ; attempt++) {
      const answer = await send();
      if (answer?.status !== 503 || attempt === ATTEMPTS || isPermanent(answer) || (once && answer.lost)) {
        return { answer, unsure };
      }
      unsure ||= answer.lost === true;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}

/**
 * The lines of a body, as they come.
 *
 * @param {Answer["body"]} body
 * @param {(reason: unknown) => never} broken called if the body fails
 */
async function* lines(body, broken) {
  const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (new Response(body).body).getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let last = false; !last; ) {
      const { done, value } = await reader.read().catch(broken);
      last = done;
      text += decoder.decode(value, { stream: !done });
      const complete = text.split("\n");
      text = done ? "" : (complete.pop() ?? "");
      yield* complete.filter((line) => line !== "");
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * Why the engine does not start; "" if the answer does not say.
 *
 * @param {Answer} answer
 */
function startReason({ head }) {
  return /^x-sandtable-reason:(.*)$/im.exec(head)?.[1].trim() ?? "";
}

/**
 * Whether a retry is not likely to help. IndexedDB also fails for a moment, and an
 * error that offers to delete the store must not come from that.
 *
 * @param {Answer} answer
 */
function isPermanent(answer) {
  const reason = startReason(answer);
  return reason !== "database" && permanent[reason] !== undefined;
}

/**
 * Returns the error for a refusal of the control API.
 *
 * @param {Answer | null} answer
 * @param {string} method
 * @param {string} path
 */
async function refusal(answer, method, path) {
  if (answer === null) {
    return new SandtableError("Refused", `${method} ${path}: the worker does not know this address.`);
  }
  const document = await new Response(answer.body).json().catch(() => ({}));
  const { code = "", message = "" } = document.error ?? { code: document["odata.error"]?.code, message: document["odata.error"]?.message?.value };
  const [problem, advice] = (answer.status === 503 ? permanent[startReason(answer)] : undefined) ?? /** @type {["Refused", undefined]} */ (["Refused", undefined]);
  const refused = `${method} ${path}: ${answer.status} ${code}. ${message}`;
  return new SandtableError(problem, advice === undefined ? refused : `${advice} ${refused}`, { status: answer.status });
}
