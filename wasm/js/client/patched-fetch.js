// Where no service worker answers a page's fetches, the page's own fetch does,
// for addresses that are ours. XMLHttpRequest, frames and navigations are not
// reached this way; status() says so.

/**
 * Replaces the page's fetch.
 *
 * @param {string} scope the URL that our own addresses are below
 * @param {(head: string, body: Uint8Array | null, signal?: AbortSignal) => Promise<object | null>} request see Connection
 * @returns {() => void} puts the page's own fetch back
 */
function patchFetch(scope, request) {
  const own = globalThis.fetch;
  let undone = false; // but somebody may have patched the patch
  const patched = async function fetch(input, init) {
    const url = input instanceof Request ? input.url : new URL(input, document.baseURI).href;
    if (undone || addressed(url, scope) === null) {
      return own.call(globalThis, input, init);
    }
    const asked = new Request(input, init);
    const { signal } = asked;
    signal.throwIfAborted();
    const foreign = asked.clone(); // in case it is not ours
    const accept = asked.headers.has("accept") ? "" : "\naccept:*/*"; // a fetch would add it
    const answer = await request(headOf(asked, asked.url) + accept, await bodyOf(asked), signal);
    if (answer === null) {
      return own.call(globalThis, foreign);
    }
    const response = responseOf(answer);
    Object.defineProperty(response, "url", { value: asked.url.split("#", 1)[0] });
    return response;
  };
  globalThis.fetch = patched;
  return () => {
    undone = true;
    if (globalThis.fetch === patched) {
      globalThis.fetch = own;
    }
  };
}
