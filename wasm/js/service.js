// The Table service in a worker: which requests are ours, the engine that
// answers them, and who may have its store. The same for the app's worker and
// for that of other people's sites.
//
// Thin on purpose. It decides from the URL whether a request is ours; every
// rule of the service is in Go. It can be killed at any moment and keeps
// nothing that would be missed.

const HEAD_LINE = /^(\S+) (\S+)/;

class Service {
  #scope;
  #build;
  #file;
  #accounts;
  #engine;
  #ownership;

  /**
   * @param {object} place
   * @param {string} place.scope the URL of the worker's scope, ending in a slash
   * @param {string} place.build the version of the build that worker and program are of
   * @param {() => Promise<Response>} place.file gets the program's WebAssembly
   * @param {object} [place.list] where the list of accounts outlives the worker, see Accounts
   */
  constructor({ scope, build, file, list = { open: () => caches.open("sandtable-accounts " + scope) } }) {
    this.#scope = scope;
    this.#build = build;
    this.#file = file;
    this.#accounts = new Accounts(list, scope);
    this.#engine = new Engine(() => this.#launch());
    this.#ownership = new Ownership("sandtable " + scope, () => this.#engine.giveUp());
  }

  /**
   * Answers the worker's fetches that are ours. The others are left alone: a
   * site's own listeners have them, and without those the browser. An event
   * that is ours does not reach listeners that are added later.
   */
  listen() {
    self.addEventListener("fetch", (event) => {
      const target = this.claims(event.request.url);
      if (target !== null) {
        event.respondWith(this.answer(event.request, target));
      }
    });
  }

  /**
   * Whose is the request? Decided at once, since a fetch event is ours now or
   * never.
   *
   * @param {string} url
   * @returns {null | {account: string | null, url: string}} what it addresses,
   *   if that is ours or may be
   */
  claims(url) {
    const target = addressed(url, this.#scope);
    // A cloud account of someone's own is the network's, untouched.
    const foreign = target !== null && target.account !== null && this.#accounts.has(target.account) === false;
    return foreign ? null : target;
  }

  /** Answers what is ours; the first requests of a worker's life also find out whether it is. */
  async answer(request, target) {
    if (await this.#foreign(target)) {
      return fetch(request);
    }
    const answer = await this.#serve(headOf(request, target.url), () => bodyOf(request), request.method, target);
    return responseOf(answer);
  }

  /**
   * Answers a request that came as a message.
   *
   * @param {string} head as headOf writes it
   * @param {Uint8Array | null} body
   * @returns {Promise<null | {status: number, head: string, body: Uint8Array | null}>} null for one that is not ours
   */
  async serve(head, body) {
    const [, method, url] = HEAD_LINE.exec(head);
    const target = this.claims(url);
    if (target === null || (await this.#foreign(target))) {
      return null;
    }
    const addressed = target.url === url ? head : method + " " + target.url + head.slice(method.length + 1 + url.length);
    return this.#serve(addressed, () => body, method, target);
  }

  async #serve(head, body, method, target) {
    const answer = await this.#engine.serve(head, body);
    if (method !== "GET" && answer.status < 300 && new URL(target.url).pathname.startsWith("/_sandtable/")) {
      await this.#engine
        .start()
        .then((program) => this.#recount(program))
        .catch(() => this.#accounts.forget());
    }
    return answer;
  }

  /** Whether an account turns out not to live here. */
  async #foreign({ account }) {
    if (account === null) {
      return false;
    }
    if (this.#accounts.has(account) === null) {
      await this.#findAccounts();
    }
    return this.#accounts.has(account) === false;
  }

  /** What a worker does when some event woke it up, most likely a request. */
  wake() {
    this.#accounts.recall().catch(() => {});
    this.warmUp();
  }

  /** Starts the engine before it is asked for; a failure will show in the answer to a request. */
  warmUp() {
    this.#engine.start().catch(() => {});
  }

  /** Loads the program, takes the store and runs it. */
  async #launch() {
    if (self.serviceWorker?.state === "redundant") {
      throw new Error("A newer version of Sandtable has taken over.");
    }
    const go = new Go();
    const instance = await instantiate(await this.#file(), go.importObject);
    const release = await this.#ownership.take();
    let program = null;
    try {
      program = await Program.start(go, instance, { build: this.#build, store: "sandtable " + this.#scope });
      program.ended.then(release);
      const counted = this.#recount(program);
      if (this.#accounts.known) {
        counted.catch(() => {}); // the list of the worker's last life holds: nobody has to wait for another
      } else {
        await counted;
      }
      return program;
    } catch (reason) {
      await program?.close();
      release();
      throw reason;
    }
  }

  /** Asks a program for the accounts that live here. */
  async #recount(program) {
    const answer = await program.serve("GET " + new URL(this.#scope).origin + "/_sandtable/accounts", null);
    const { accounts } = await responseOf(answer).json();
    await this.#accounts.remember(accounts.map(({ name }) => name));
  }

  /** Recalls the list of accounts, or has the engine make it; without both the engine will say what is wrong. */
  async #findAccounts() {
    try {
      (await this.#accounts.recall()) || (await within(PATIENCE, this.#engine.start()));
    } catch {
      // Unknown stays unknown.
    }
  }
}

async function instantiate(response, imports) {
  if (response.headers.get("Content-Type") === "application/wasm") {
    return (await WebAssembly.instantiateStreaming(response, imports)).instance;
  }
  return (await WebAssembly.instantiate(await response.arrayBuffer(), imports)).instance;
}
