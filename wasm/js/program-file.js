// The engine's program in an embedding site's worker, cached for offline use.

import { dropOtherBuilds } from "./shell.js";

export class ProgramFile {
  #prefix;
  #name;
  #url;
  #digest;

  /**
   * @param {string} owner what has one build of its own: a scope's service worker, or its plain workers
   * @param {string} version the build
   * @param {string} url
   * @param {string} digest of the file, as fetch checks it: some hosts answer with a page for a file that is missing
   */
  constructor(owner, version, url, digest) {
    this.#prefix = "sandtable-embed " + owner + " ";
    this.#name = this.#prefix + version;
    this.#url = url;
    this.#digest = digest;
  }

  /** Returns the file from the cache, or fetches and caches it. */
  async get() {
    const cache = await caches.open(this.#name).catch(() => null); // some private windows have no caches
    const kept = await cache?.match(this.#url);
    if (kept) {
      return kept;
    }
    const response = await this.#fetch("default").catch(() => this.#fetch("reload")); // the HTTP cache may have another one
    await cache?.put(this.#url, response.clone()).catch(() => {}); // perhaps no space: the network still has it
    return response;
  }

  /** @param {RequestCache} cache */
  async #fetch(cache) {
    const response = await fetch(this.#url, { cache, integrity: this.#digest });
    if (!response.ok) {
      throw new Error(`${this.#url}: status ${response.status}`);
    }
    return response;
  }

  /** Deletes other builds of this owner, but nothing else of this origin. */
  async clean() {
    await dropOtherBuilds(this.#prefix, this.#name);
  }
}
