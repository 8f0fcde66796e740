// Caches the app's own files for offline use. They are one build, installed and
// deleted together. No answer of the service is cached here.

import { serviceWorker } from "./pages.js";

export class Shell {
  #prefix;
  #name;
  #scope;
  #version;
  /** @type {Map<string, string>} what each URL of the build must contain: a digest, or "" for a page */
  #files;
  /** @type {Set<string>} the URLs of the app's pages, without a query */
  #pages;

  /**
   * @param {string} scope the URL of the worker's scope
   * @param {string} version the build
   * @param {Record<string, string>} files digests, as fetch checks them, by path; "/" is the scope. A
   *   page has none, because hosts modify pages: it must name the build
   * @param {string[]} pages paths of the app's pages, for which "/" is served
   */
  constructor(scope, version, files, pages = []) {
    const url = (/** @type {string} */ path) => (path.startsWith("/") ? scope + path.slice(1) : path);
    this.#scope = scope;
    this.#version = version;
    this.#prefix = "sandtable-shell " + scope + " ";
    this.#name = this.#prefix + version;
    this.#files = new Map(Object.entries(files).map(([path, digest]) => [url(path), digest]));
    this.#pages = new Set([scope, ...pages.map(url)]);
  }

  /**
   * Fetches the whole build, and caches each file as soon as it is there. If one is
   * missing or of another build, as happens briefly on a host that copies files one by
   * one, it fails and leaves no cache, and the browser retries at its next update check.
   */
  async install() {
    const existed = await caches.has(this.#name); // from an earlier worker of the same build
    const cache = await caches.open(this.#name);
    try {
      await Promise.all([...this.#files.keys()].map(async (url) => cache.put(url, await this.#fetch(url))));
      // Another build may have deleted the cache meanwhile; put succeeds all the same.
      if (!(await caches.has(this.#name))) {
        throw new Error("The files of this version were deleted while they were loaded.");
      }
    } catch (reason) {
      if (!existed) {
        await caches.delete(this.#name);
      }
      throw reason;
    }
  }

  /**
   * Fetches a file of exactly this build: what the page has just loaded comes from the
   * HTTP cache, and where that has another one, from the network.
   *
   * @param {string} url
   */
  async #fetch(url) {
    return this.#checked(url, "default").catch(() => this.#checked(url, "reload"));
  }

  /**
   * @param {string} url
   * @param {RequestCache} cache
   */
  async #checked(url, cache) {
    const digest = this.#files.get(url) ?? "";
    // fetch does not report why it failed: the messages are as specific as possible.
    const response = await fetch(url, digest === "" ? { cache } : { cache, integrity: digest }).catch(() => null);
    if (response === null) {
      throw new Error(`${url} could not be loaded, or is not that of this version.`);
    }
    if (!response.ok) {
      throw new Error(`${url} could not be loaded: status ${response.status}.`);
    }
    if (digest === "" && !(await response.clone().text()).includes(this.#version)) {
      throw new Error(`${url} is not that of this version.`);
    }
    return response;
  }

  /** Fetches the build again if the browser has evicted it for lack of space, or an earlier attempt was cut short. */
  async restore() {
    const kept = (await caches.has(this.#name)) ? await (await caches.open(this.#name)).keys() : [];
    if (kept.length < this.#files.size) {
      await this.install();
    }
  }

  /** Deletes other builds of this scope, but nothing else of this origin. */
  async clean() {
    await dropOtherBuilds(this.#prefix, this.#name);
  }

  /**
   * Whether a request is for a file of the build or for a page, which the app can replace.
   *
   * @param {Request} request
   */
  handles(request) {
    return request.method === "GET" && (this.#files.has(withoutFragment(request.url)) || request.mode === "navigate");
  }

  /**
   * Answers with a file of the build. The app's pages come from the build even if the
   * network has a newer one, so that page and worker have the same version. Other pages
   * come from the network, with the app as the fallback.
   *
   * @param {Request} request
   */
  async answer(request) {
    const navigates = request.mode === "navigate";
    const url = withoutFragment(request.url);
    const own = navigates && this.#pages.has(url.split("?", 1)[0]);
    const kept = await this.#kept(own ? this.#scope : url);
    if (kept !== undefined) {
      return own ? unframed(kept) : kept;
    }
    try {
      return await fetch(request);
    } catch (reason) {
      const app = navigates ? await this.#kept(this.#scope) : undefined;
      if (app === undefined) {
        throw reason;
      }
      return unframed(app);
    }
  }

  /**
   * Returns a file of the build; fetches it if the browser has evicted it.
   *
   * @param {string} path below the scope
   */
  async file(path) {
    const url = this.#scope + path;
    return (await this.#kept(url)) ?? this.#fetch(url);
  }

  /**
   * Returns a file from the cache, or undefined if it is not there or Cache Storage fails.
   *
   * @param {string} url
   */
  async #kept(url) {
    try {
      return await (await caches.open(this.#name)).match(url);
    } catch {
      return undefined;
    }
  }
}

/**
 * Adds headers that keep other origins from framing a page of the app. A static host
 * sends no policy, and a page on another port or subdomain shares the store: it could
 * make a visitor click on invisible elements.
 *
 * @param {Response} page
 */
function unframed(page) {
  const headers = new Headers(page.headers);
  headers.append("Content-Security-Policy", "frame-ancestors 'self'");
  return new Response(page.body, { status: page.status, statusText: page.statusText, headers });
}

/** @param {string} url */
export function withoutFragment(url) {
  return url.split("#", 1)[0];
}

/**
 * Deletes the caches of other builds. A newer build that is being installed, or waits,
 * needs one of them: all stay until that build is activated.
 *
 * @param {string} prefix of the caches of all builds
 * @param {string} own
 */
export async function dropOtherBuilds(prefix, own) {
  const { registration } = serviceWorker();
  if (!registration?.installing && !registration?.waiting) {
    await dropCaches(prefix, own);
  }
}

/**
 * Deletes the caches whose names have a prefix, except one.
 *
 * @param {string} prefix
 * @param {string} except
 */
export async function dropCaches(prefix, except) {
  const old = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== except);
  await Promise.all(old.map((name) => caches.delete(name)));
}
