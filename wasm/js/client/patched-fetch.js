// Where no service worker answers a page's fetches, the page's own fetch does,
// for addresses that are ours. XMLHttpRequest, frames and navigations are not
// reached this way; status() says so.

import { bodyOf, headOf, responseOf } from "../answers.js";
import { abortableAnswer } from "./abortable.js";

/** @import { Send } from "./control.js" */

/** The error of a fetch whose connection was cut, here by the account's faults. */
function cutError() {
  return new TypeError("Failed to fetch", { cause: Object.assign(new Error("The connection was cut."), { code: "ECONNRESET" }) });
}

/** @type {WeakMap<typeof fetch, typeof fetch>} what each patch that was undone had replaced */
const replaced = new WeakMap();

/**
 * Replaces fetch.
 *
 * @param {(url: string) => boolean} ours whether an address is, or may be, ours
 * @param {Send} send
 * @param {() => string | undefined} base that relative addresses are resolved against
 * @returns {() => void} puts the original fetch back, or leaves that to the patch that came after
 */
export function patchFetch(ours, send, base) {
  const original = globalThis.fetch;
  let undone = false; // another script may have patched fetch again
  /** @type {typeof fetch} */
  const patched = async function fetch(input, init) {
    const url = input instanceof Request ? input.url : new URL(input, base()).href;
    if (undone || !ours(url)) {
      return original.call(globalThis, input, init);
    }
    const request = new Request(input, init);
    const { signal } = request;
    const foreign = request.clone(); // needed if the request is not ours
    const accept = request.headers.has("accept") ? "" : "\naccept:*/*"; // like fetch
    const answer = await abortableAnswer(async () => send(headOf(request) + accept, await bodyOf(request), signal), signal);
    if (answer === null) {
      return original.call(globalThis, foreign);
    }
    if (answer.status === 0) {
      throw cutError();
    }
    const response = responseOf(answer);
    Object.defineProperty(response, "url", { value: request.url.split("#", 1)[0] });
    return response;
  };
  globalThis.fetch = patched;
  return () => {
    undone = true;
    replaced.set(patched, original);
    for (let before; (before = replaced.get(globalThis.fetch)) !== undefined; ) {
      globalThis.fetch = before;
    }
  };
}
