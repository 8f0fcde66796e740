// The Table service in a worker: which requests are ours, the engine that
// answers them, and who may have its store. The same for the app's worker and
// for that of other people's sites.
//
// Thin on purpose. It decides from the URL whether a request is ours; every
// rule of the service is in Go. It can be killed at any moment and keeps
// nothing that would be missed.

const HEAD_LINE = /^(\S+) (\S+)/;

// How long a worker that takes over has the other one refuse requests, in
// milliseconds. It takes a small part of that, unless pages go on asking without
// a pause although they are told to come back later.
const TAKEOVER = 5000;

class Service {
  #scope;
  #build;
  #file;
  #accounts;
  #engine;
  #ownership;
  #store = null; // the store that was opened last
  #full = null; // whether the last write found no room, if there was one
  #seizes = false; // the next start takes the store from an owner that is suspended
  #retired = false; // another worker serves the pages of this one
  #activated = null; // what activation calls
  #taking = null; // the promise of taking over, while that is under way
  #program = null; // that was started last
  #listener = null; // who wants to know what happens
  #tellsEvents = false; // of changes and requests, too

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
    this.#engine = new Engine((step) => this.#launch(step), PATIENCE, () => this.#tellState());
    this.#ownership = new Ownership(this.#database, { giveUp: () => this.#engine.giveUp(), leave: () => this.#leave() });
  }

  /** The name of the IndexedDB database, and of what guards it. */
  get #database() {
    return "sandtable " + this.#scope;
  }

  /**
   * Answers the worker's fetches that are ours. The others are left alone: a
   * site's own listeners have them, and without those the browser. An event
   * that is ours does not reach listeners that are added later.
   *
   * Takes over when a page says so; a worker's script that does not wait for
   * that when it is installed never hears it.
   */
  listen() {
    self.addEventListener("message", (event) => {
      if (typeof event.data?.sandtable === "number" && event.data.type === "take over") {
        event.waitUntil(this.takeOver());
      }
    });
    self.addEventListener("activate", () => this.#activated?.());
    self.addEventListener("fetch", (event) => {
      const target = this.claims(event.request.url);
      if (target !== null) {
        const refused = refusedNavigation(event.request, this.#scope);
        event.respondWith(refused === null ? this.answer(event.request, target) : forbidden(refused));
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

  /**
   * Makes this worker, which has been installed and waits, the one that serves
   * all pages of the scope. They see a controllerchange when it does.
   */
  async takeOver() {
    if ((self.serviceWorker?.state ?? "installed") !== "installed") {
      return; // it does already
    }
    // Pages say it again and again: what a worker hears while it is stopped is lost.
    this.#taking ??= this.#succeed().finally(() => (this.#taking = null));
    await this.#taking;
  }

  async #succeed() {
    const activated = new Promise((resolve) => (this.#activated = resolve));
    await this.#ownership.succeed(() => {
      // Now the pages are quiet. Chromium tries once, and then again when the
      // other worker has had nothing to do for half a minute, or after five.
      self.skipWaiting();
      this.warmUp();
      return within(TAKEOVER, activated).catch(() => {}); // the browser still does it when it finds the time
    });
  }

  /** Makes way for a worker that takes over. */
  #leave() {
    return this.#engine.leave(this.#ownership.settled());
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
    const path = target.account === null ? new URL(target.url).pathname : "";
    if (path === "/_sandtable/worker") {
      return documentOf(this.state);
    }
    if (path === "/_sandtable/reset" && method === "POST") {
      const trouble = await this.#trouble();
      if (trouble !== null) {
        return this.#resetUnopened(trouble, new URL(target.url).search, body);
      }
    }
    const answer = await this.#engine.serve(head, body);
    if (method !== "GET" && answer.status < 300 && path.startsWith("/_sandtable/")) {
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

  /** The URL of the worker's scope. */
  get scope() {
    return this.#scope;
  }

  /**
   * Tells how the worker is from now on, as "state", or no more.
   *
   * @param {null | ((kind: string, detail: string) => void)} listener gets the
   *   kind and a text in JSON
   * @param {boolean} events tells of changes and requests, too: the kinds are
   *   those of Events in server
   */
  watch(listener, events) {
    this.#listener = listener;
    const tells = listener !== null && events;
    if (tells !== this.#tellsEvents) {
      this.#tellsEvents = tells;
      this.#program?.watch(tells);
    }
  }

  /** Has the next start take the store from an owner that is suspended, and so cannot give it up. */
  seize() {
    this.#seizes = true;
  }

  /** Leaves the store to another worker, which serves from now on. */
  retire() {
    this.#retired = true;
    this.#seizes = false;
    this.#engine.giveUp();
  }

  /** It is this worker's turn again. */
  resume() {
    this.#retired = false;
  }

  /** What is thrown here would end the engine, which calls it. */
  #told(kind, detail) {
    try {
      this.#listener?.(kind, detail);
    } catch (reason) {
      console.error("Sandtable could not tell of what happened:", reason);
    }
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

  /**
   * What a page wants to know of its worker: the build, how the engine is, which
   * store it has, and whether there is room, null if no write has shown it. It
   * costs nothing and starts nothing.
   */
  get state() {
    return { sandtable: 1, build: this.#build, full: this.#full, ...this.#engine.state };
  }

  /** Why the engine does not start, null if it does. */
  async #trouble() {
    try {
      await within(PATIENCE, this.#engine.start());
      return null;
    } catch (reason) {
      return reason;
    }
  }

  /**
   * Answers a reset where no engine runs. All that can be done then is to delete
   * the whole store; so that has to be what was asked for, with no query that
   * might mean less, and the store has to be what is in the way: a program that
   * could not be loaded says nothing against the data.
   */
  async #resetUnopened(trouble, query, body) {
    let asked;
    try {
      asked = await body();
    } catch (error) {
      return broken(error.message); // such as a body whose page has gone
    }
    const bad = trouble.reason === "format" || trouble.reason === "database";
    return bad && query === "" && meansAll(asked) ? this.#discard() : busy(trouble.message, trouble);
  }

  /** Deletes a store that no engine can open: what is in it is lost, and the next start makes another. */
  async #discard() {
    let release = () => {};
    try {
      release = await this.#ownership.take();
      await deleted(indexedDB.deleteDatabase(this.#database));
      return { status: 204, head: "", body: null };
    } catch (reason) {
      return busy(reason.message, { reason: reason.reason ?? "database" });
    } finally {
      release();
    }
  }

  /**
   * Loads the program, takes the store and runs it.
   *
   * @param {(what: string) => void} step is told what it is at
   */
  async #launch(step) {
    if (self.serviceWorker?.state === "redundant") {
      throw new Error("A newer version of Sandtable has taken over.");
    }
    this.#refuseRetired();
    // It may be in the middle of that, and this worker may have been stopped
    // and started again since it was told.
    if (self.registration?.waiting && this.#activated === null && (await this.#ownership.succeeded())) {
      throw takingOver();
    }
    const go = new Go();
    step("It is being loaded.");
    beginNewLog(this.#database + " log"); // meanwhile
    const instance = await this.#load(go.importObject);
    this.#refuseRetired(); // meanwhile
    step("It waits for the store, which another tab or another version holds.");
    const release = await this.#ownership.take({ steal: this.#seizes });
    this.#seizes = false;
    step("It opens the store.");
    let program = null;
    let end = "crashed"; // unless it says, or is told, something else
    let over = false;
    try {
      this.#refuseRetired();
      program = await Program.start(go, instance, {
        build: this.#build,
        store: this.#database,
        full: (full) => this.#filled(full),
        again: () => {
          end = "deleted";
          program?.ended.then(() => this.warmUp());
        },
        fenced: () => (end = "superseded"),
        event: (kind, detail) => this.#told(kind, detail),
      });
      program.ended.then(release);
      program.ended.then(() => (over = true));
      program.ended.then(() => program.closing || end === "deleted" || this.#tellState({ engine: "stopped", store: undefined, happened: end }));
      this.#opened(program.store);
      this.#program = program;
      if (this.#tellsEvents) {
        program.watch(true);
      }
      const counted = this.#recount(program);
      if (this.#accounts.known) {
        counted.catch(() => {}); // the list of the worker's last life holds: nobody has to wait for another
      } else {
        await counted;
      }
      return program;
    } catch (reason) {
      const stopped = over || reason.reason === "crashed";
      await program?.close();
      release();
      if (stopped) {
        throw end === "crashed" ? new Trouble(end, STOPPED) : new Error(STOPPED); // that one will just start again
      }
      throw reason;
    }
  }

  /** Throws where another worker serves the pages of this one. */
  #refuseRetired() {
    if (this.#retired) {
      throw new Error("Another tab has the engine.");
    }
  }

  async #load(imports) {
    try {
      return await instantiate(await this.#file(), imports);
    } catch (error) {
      if (error instanceof RangeError) {
        throw new Trouble("memory", "There is not enough memory for the engine.");
      }
      throw new Trouble("program", "The engine's program could not be loaded: " + error.message);
    }
  }

  #filled(full) {
    this.#full = full;
    tellPages({ type: "state", ...this.state });
    this.#tellState();
  }

  /** Tells whoever listens how the worker is; what is said beside that counts more. */
  #tellState(more = {}) {
    this.#told("state", JSON.stringify({ ...this.state, ...more }));
  }

  /** Tells the pages when the store is another one than before: somebody cleared the browser's data. */
  #opened(store) {
    if (this.#store !== null && this.#store !== store) {
      tellPages({ type: "state", ...this.state, engine: "running", store });
    }
    this.#store = store;
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

/** Whether the body of a reset asks for the whole store. Anything else is for the engine to accept or refuse. */
function meansAll(body) {
  try {
    return JSON.stringify(JSON.parse(new TextDecoder().decode(body ?? new Uint8Array()))) === '{"what":"all"}';
  } catch {
    return false;
  }
}

/** Waits until a database is deleted, but not for pages that hold it. */
function deleted(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = resolve;
    request.onerror = () => reject(new Error("The browser could not delete the store: " + request.error.message));
    request.onblocked = () => reject(new Error("Another page of this site holds the store. It is deleted when that page is closed."));
  });
}

/** Sends a message to the pages of this scope, those that another worker serves among them. */
async function tellPages(message) {
  if (!("clients" in self)) {
    return; // a plain worker has one page, which asks for what it wants to know
  }
  const pages = await self.clients.matchAll({ includeUncontrolled: true, type: "window" });
  for (const page of pages) {
    if (page.url.startsWith(self.registration.scope)) {
      page.postMessage({ sandtable: 1, ...message });
    }
  }
}
