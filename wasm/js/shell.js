// The app's own files, kept so that it opens without a network. All of them
// are one build and are installed and dropped together; no answer of the
// service is ever kept here.

class Shell {
  #prefix;
  #name;
  #scope;
  #files; // the URLs of the build

  /**
   * @param {string} scope the URL of the worker's scope
   * @param {string} version the build
   * @param {string[]} resources what belongs to it; "/" is the scope
   */
  constructor(scope, version, resources) {
    this.#scope = scope;
    this.#prefix = "sandtable-shell " + scope + " ";
    this.#name = this.#prefix + version;
    this.#files = new Set(resources.map((path) => (path.startsWith("/") ? scope + path.slice(1) : path)));
  }

  /** Fetches the whole build, asking past the HTTP cache; fails if a file is missing. */
  async install() {
    const cache = await caches.open(this.#name);
    await Promise.all(
      [...this.#files].map(async (url) => {
        const response = await fetch(url, { cache: "no-cache" });
        if (!response.ok) {
          throw new Error(`install ${url}: status ${response.status}`);
        }
        await cache.put(url, response);
      }),
    );
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

  /** A file of the build; other pages of the app come from the network, or are the app. */
  async answer(request) {
    const cache = await caches.open(this.#name);
    const kept = await cache.match(address(request));
    if (kept !== undefined) {
      return kept;
    }
    try {
      return await fetch(request);
    } catch (reason) {
      const app = request.mode === "navigate" ? await cache.match(this.#scope) : undefined;
      if (app === undefined) {
        throw reason;
      }
      return app;
    }
  }

  /** A file of the build by its path below the scope. */
  async file(path) {
    const url = this.#scope + path;
    return (await (await caches.open(this.#name)).match(url)) ?? fetch(url);
  }
}

/** Where a request goes: its URL without the fragment. */
function address(request) {
  return request.url.split("#", 1)[0];
}
