// Caches files of the embedding site, so that its pages open offline. A page lists
// them: start({ offline: ["./", "main.js"] }).

import { dropCaches, withoutFragment } from "./shell.js";

export class OfflineFiles {
  #prefix;
  /** @type {Promise<Cache | null> | null} the current set; null until it was looked up */
  #kept = null;
  /** @type {Set<string> | null} its URLs; null until they are known */
  #urls = null;
  /** The last call of keep: the next one must not delete its set. */
  #keeping = Promise.resolve();

  /** @param {string} scope the URL of the worker's scope */
  constructor(scope) {
    this.#prefix = "sandtable-offline " + scope + " ";
    this.#recall();
  }

  /** Finds the set that an earlier instance of the worker stored. */
  #recall() {
    this.#kept = (async () => {
      const names = (await caches.keys()).filter((name) => name.startsWith(this.#prefix));
      names.sort();
      // A later one is incomplete, or its predecessor was about to be dropped.
      const cache = names.length === 0 ? null : await caches.open(names[0]);
      this.#urls = new Set((await cache?.keys())?.map(({ url }) => url));
      return cache;
    })().catch(() => null);
  }

  /**
   * Whether a request is for a kept file, or may be.
   *
   * @param {Request} request
   */
  handles(request) {
    return request.method === "GET" && (this.#urls === null || this.#urls.has(keyOf(request)));
  }

  /**
   * Answers from the network, or with the kept file if that fails.
   *
   * @param {Request} request
   */
  async answer(request) {
    try {
      return await fetch(request);
    } catch (reason) {
      const kept = await (await this.#kept)?.match(keyOf(request));
      if (kept === undefined) {
        throw reason;
      }
      return kept;
    }
  }

  /**
   * Fetches files and replaces the cached ones, all or, if a fetch fails, none.
   *
   * @param {string[]} urls an empty list removes the cached files
   */
  keep(urls) {
    const kept = this.#keeping.then(() => this.#replace(urls));
    this.#keeping = kept.catch(() => {});
    return kept;
  }

  /** @param {string[]} urls */
  async #replace(urls) {
    const name = this.#prefix + String(Date.now()).padStart(15, "0"); // sorts after its predecessors
    const files = (await Promise.all(urls.map(fetched))).flat();
    if (files.length > 0) {
      const cache = await caches.open(name);
      await Promise.all(files.map(({ url, response }) => cache.put(url, response)));
    }
    await dropCaches(this.#prefix, name);
    this.#recall();
  }
}

/**
 * Fetches a file and returns it under its URL and, if a host redirected the request, as
 * those with clean URLs do, also under the other one. Browsers refuse redirected
 * responses to navigations, so each is a new response.
 *
 * @param {string} url
 */
async function fetched(url) {
  const response = await fetch(url, { cache: "no-cache" });
  const { ok, status, headers, redirected } = response;
  if (!ok) {
    throw new Error(`${url}: status ${status}`);
  }
  const body = await response.blob();
  const urls = redirected ? [url, withoutFragment(response.url)] : [url];
  return urls.map((url) => ({ url, response: new Response(body, { status, headers }) }));
}

/**
 * Returns the cache key: a page's URL without its query.
 *
 * @param {Request} request
 */
function keyOf({ url, mode }) {
  return mode === "navigate" ? withoutFragment(url).split("?", 1)[0] : withoutFragment(url);
}
