// The page's end of a port to somebody's sandbox: answers the requests that come
// over it, for the accounts and operations that the page allows. Every message is
// from a stranger's code.

import { hostAccount } from "../address.js";
import { busy, fieldsOf, refusal, tooLarge } from "../answers.js";
import { allowed, readUpTo, Refused, tooLong } from "../sandbox/bridge.js";
import { LIMITS } from "../sandbox/limits.js";
import { CLOSED } from "../sandbox/port-requests.js";
import { pipelineHead } from "./http-client.js";
import { checkedAccount, known, OPERATIONS, refuseOption } from "./options.js";

/** @import { Answer } from "../answers.js" */
/** @import { Allowed } from "../sandbox/bridge.js" */
/** @import { Limits } from "../sandbox/limits.js" */
/** @import { ConnectOptions } from "./sandbox.d.ts" */
/** @import { Send } from "./control.js" */

// The control API is no table: no name of a table begins like this.
const CONTROL = /^\/+(?:_|%5f)/i;

/**
 * Answers requests until the returned function is called or the signal aborts.
 *
 * @param {MessagePort} port
 * @param {ConnectOptions | undefined} options
 * @param {Send} send
 * @param {AbortSignal} closing
 */
export function answerPort(port, options, send, closing) {
  if (typeof port?.postMessage !== "function") {
    refuseOption("connect", "it takes a MessagePort.");
  }
  const answer = answering("connect", known("connect", options, ["accounts", "operations"]), send);
  const aborter = new AbortController();
  let pending = 0;
  let bytes = 0; // of the bodies of pending requests
  let refused = 0; // because of these two
  port.onmessage = async ({ data }) => {
    if (!Array.isArray(data) || data[0] !== "fetch" || !Number.isSafeInteger(data[1])) {
      return;
    }
    const [, id, message] = data;
    const size = message?.[3] instanceof ArrayBuffer ? message[3].byteLength : 0;
    pending++;
    bytes += size;
    try {
      const tooMuch = pending > LIMITS.pending || bytes > LIMITS.bytes;
      if (tooMuch && ++refused > LIMITS.messages) {
        disconnect(); // a flood: even refusals take the page's time
        return;
      }
      const whole = await (tooMuch ? wholeOf(busy(`More than ${LIMITS.pending} requests or ${LIMITS.bytes} bytes at the same time.`), LIMITS) : answer(message, LIMITS, aborter.signal));
      port.postMessage([id, whole], [whole.body]);
    } catch (reason) {
      port.postMessage([id, reason instanceof Refused ? reason.message : "The request failed."]);
    } finally {
      pending--;
      bytes -= size;
    }
  };
  const disconnect = () => {
    closing.removeEventListener("abort", disconnect);
    port.onmessage = null;
    aborter.abort();
    port.postMessage(CLOSED); // not every browser tells the other end
    port.close();
  };
  closing.aborted ? disconnect() : closing.addEventListener("abort", disconnect);
  return disconnect;
}

/**
 * Returns what answers a sandbox's requests: the engine, for the accounts and
 * operations that are allowed.
 *
 * @param {string} method whose options they are
 * @param {ConnectOptions} options
 * @param {Send} send
 * @param {string} [more] lines of each request's head
 * @returns {import("../sandbox/host.js").Answering}
 */
export function answering(method, { accounts = [], operations }, send, more = "") {
  if (!Array.isArray(accounts)) {
    refuseOption(method, "accounts is a list of names.");
  }
  if (operations !== undefined && (!Array.isArray(operations) || operations.length === 0 || !operations.every((name) => OPERATIONS.includes(name)))) {
    refuseOption(method, `operations is a list of ${OPERATIONS.join(", ")}.`);
  }
  const names = new Set(accounts.map((name) => checkedAccount(method, name)));
  const head = (operations === undefined ? "" : "\nx-sandtable-operations:" + operations.join(",")) + more;
  return async (message, limits, signal) => wholeOf(await answerTo(message, names, head, send, limits, signal), limits);
}

/**
 * Sends one request, or refuses it as the service would.
 *
 * @param {unknown} message as bridge.js takes it
 * @param {Set<string>} accounts
 * @param {string} more lines of the head
 * @param {Send} send
 * @param {Pick<Limits, "body">} limits
 * @param {AbortSignal} signal
 * @returns {Promise<Answer>}
 */
async function answerTo(message, accounts, more, send, limits, signal) {
  const [, address, , body] = Array.isArray(message) ? message : [];
  if (body instanceof ArrayBuffer && body.byteLength > limits.body) {
    return tooLarge();
  }
  const wanted = typeof address === "string" && URL.canParse(address) ? new URL(address) : null;
  const account = wanted === null ? null : hostAccount(wanted);
  if (wanted !== null && (account === null || !accounts.has(account) || CONTROL.test(wanted.pathname))) {
    return unauthorized(`This sandbox can reach ${[...accounts].join(", ") || "no account"} alone.`);
  }
  const origin = wanted?.origin ?? "";
  const request = allowed(message, { origin, endpoint: origin + "/" }, limits);
  const answer = await send(headOf(request) + more, request.body === null ? null : new Uint8Array(request.body), signal);
  if (answer === null) {
    return unauthorized(`There is no account ${account} here.`); // it is not looked for in the network
  }
  if (answer.status === 0) {
    throw new Refused("The connection was cut.");
  }
  return answer;
}

/** @param {string} why */
function unauthorized(why) {
  return refusal(403, "AuthorizationFailure", "This request is not authorized to perform this operation. " + why);
}

/**
 * Without the headers that a page cannot set, and those that are the page's own.
 *
 * @param {Allowed} request
 */
function headOf({ method, url, headers, body }) {
  const own = headers.filter(([name]) => !/^x-sandtable(?!-preflight-|-explain$)/i.test(name));
  return pipelineHead({ method, url, headers: own, body });
}

/**
 * Reads an answer whole, up to a limit.
 *
 * @param {Answer} answer
 * @param {Pick<Limits, "body">} limits
 */
async function wholeOf({ status, head, body }, limits) {
  const bytes = body instanceof ReadableStream ? await readUpTo(body, limits.body) : (body ?? new Uint8Array()).slice();
  if (bytes.byteLength > limits.body) {
    throw tooLong(limits.body);
  }
  return { status, statusText: "", headers: fieldsOf(head), body: bytes.buffer };
}
