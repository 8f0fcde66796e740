// The app's own files, kept so that it opens without a network. All of them
// are one build and are installed and dropped together; no answer of the
// service is ever kept here.

class Shell {
  #prefix;
  #name;
  #scope;
  #version;
  #files; // what each URL of the build must hold: a digest, or "" for a page
  #pages; // the URLs at which the app is, without a query

  /**
   * @param {string} scope the URL of the worker's scope
   * @param {string} version the build
   * @param {object} files what belongs to it: digests, as fetch checks them, by
   *   path; "/" is the scope. A page has none, since hosts write into pages: it
   *   has to name the build
   * @param {string[]} pages paths of the app itself, which "/" stands in for
   */
  constructor(scope, version, files, pages = []) {
    const url = (path) => (path.startsWith("/") ? scope + path.slice(1) : path);
    this.#scope = scope;
    this.#version = version;
    this.#prefix = "sandtable-shell " + scope + " ";
    this.#name = this.#prefix + version;
    this.#files = new Map(Object.entries(files).map(([path, digest]) => [url(path), digest]));
    this.#pages = new Set([scope, ...pages.map(url)]);
  }

  /**
   * Fetches the whole build. Fails if a file is missing or is another build's,
   * as it is for a moment on a host that copies its files one by one; then
   * nothing is kept, and the browser tries again with its next look for an update.
   */
  async install() {
    const there = await caches.has(this.#name); // from an earlier worker of the same build
    const cache = await caches.open(this.#name);
    try {
      const responses = await Promise.all([...this.#files.keys()].map(async (url) => [url, await this.#fetch(url)]));
      await Promise.all(responses.map(([url, response]) => cache.put(url, response)));
    } catch (reason) {
      if (!there) {
        await caches.delete(this.#name);
      }
      throw reason;
    }
  }

  /** Fetches a file of this build and of no other; past the HTTP cache if that has another. */
  async #fetch(url) {
    let reason;
    for (const cache of ["no-cache", "reload"]) {
      try {
        return await this.#checked(url, cache);
      } catch (error) {
        reason = error;
      }
    }
    throw reason;
  }

  async #checked(url, cache) {
    const digest = this.#files.get(url);
    // fetch does not say why it failed; what is told apart here is what can be.
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

  /** Fetches the build again if the browser has dropped it, as it does when it needs the room. */
  async restore() {
    if (!(await caches.has(this.#name))) {
      await this.install();
    }
  }

  /** Drops the other builds of this scope, and nothing else of this origin. */
  async clean() {
    const names = await caches.keys();
    await Promise.all(
      names.filter((name) => name.startsWith(this.#prefix) && name !== this.#name).map((name) => caches.delete(name)),
    );
  }

  /** Whether a request is for the build, or for a page that it could stand in for. */
  handles(request) {
    return request.method === "GET" && (this.#files.has(address(request)) || request.mode === "navigate");
  }

  /**
   * A file of the build. The app's pages are the build's, too, even when there
   * is a newer one on the network: page and worker are of one version. Other
   * pages come from the network, or are the app where there is none.
   */
  async answer(request) {
    const navigates = request.mode === "navigate";
    const own = navigates && this.#pages.has(address(request).split("?", 1)[0]);
    const cache = await caches.open(this.#name);
    const kept = await cache.match(own ? this.#scope : address(request));
    if (kept !== undefined) {
      return kept;
    }
    try {
      return await fetch(request);
    } catch (reason) {
      const app = navigates ? await cache.match(this.#scope) : undefined;
      if (app === undefined) {
        throw reason;
      }
      return app;
    }
  }

  /** A file of the build by its path below the scope; fetched if the browser has lost it. */
  async file(path) {
    const url = this.#scope + path;
    return (await (await caches.open(this.#name)).match(url)) ?? this.#fetch(url);
  }
}

/** Where a request goes: its URL without the fragment. */
function address(request) {
  return request.url.split("#", 1)[0];
}
