// The engine's program in the worker of somebody else's site, kept for when there
// is no network.

import { dropCaches } from "./shell.js";

export class ProgramFile {
  #prefix;
  #name;
  #url;

  /**
   * @param {string} scope whose file it is; another scope may have another build
   * @param {string} version the build
   * @param {string} url
   */
  constructor(scope, version, url) {
    this.#prefix = "sandtable-embed " + scope + " ";
    this.#name = this.#prefix + version;
    this.#url = url;
  }

  /** Returns the file from the cache, or from the network, and then it is cached. */
  async get() {
    const cache = await caches.open(this.#name).catch(() => null); // some private windows have no caches
    const kept = await cache?.match(this.#url);
    if (kept) {
      return kept;
    }
    const response = await fetch(this.#url);
    if (!response.ok) {
      throw new Error(`${this.#url}: status ${response.status}`);
    }
    await cache?.put(this.#url, response.clone()).catch(() => {}); // no space, perhaps: the network has it
    return response;
  }

  /** Drops other builds of this scope, and nothing else of this origin. */
  async clean() {
    await dropCaches(this.#prefix, this.#name);
  }
}
