// The engine's program in an embedding site's worker, cached for offline use.

import { dropOtherBuilds } from "./shell.js";

export class ProgramFile {
  #prefix;
  #name;
  #url;

  /**
   * @param {string} scope of the worker; another scope may have another build
   * @param {string} version the build
   * @param {string} url
   */
  constructor(scope, version, url) {
    this.#prefix = "sandtable-embed " + scope + " ";
    this.#name = this.#prefix + version;
    this.#url = url;
  }

  /** Returns the file from the cache, or fetches and caches it. */
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
    await cache?.put(this.#url, response.clone()).catch(() => {}); // perhaps no space: the network still has it
    return response;
  }

  /** Deletes other builds of this scope, but nothing else of this origin. */
  async clean() {
    await dropOtherBuilds(this.#prefix, this.#name);
  }
}
