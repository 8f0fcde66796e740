// The Table service in a worker: which requests are ours, and the engine that
// answers them. The app's worker and that of embedding sites share it.
//
// Deliberately thin: it decides from the URL whether a request is ours, and every
// rule of the service is in Go. It can be killed at any moment and keeps no state
// that would be lost.

import { Accounts } from "./accounts.js";
import { addressed } from "./address.js";
import { bodyOf, documentOf, forbidden, headOf, responseOf, workerResponseOf } from "./answers.js";
import { resetFull, resetUnopened } from "./discard.js";
import { Engine, START, within } from "./engine.js";
import { Launcher } from "./launcher.js";
import { refusedNavigation } from "./navigation.js";
import { Ownership } from "./ownership.js";
import { notifyPages, serviceWorker, serviceWorkerState } from "./pages.js";
import { PROTOCOL } from "./protocol.js";

/** @import { Target } from "./address.js" */
/** @import { Answer, Body } from "./answers.js" */
/** @import { Failure } from "./engine.js" */
/** @import { Program } from "./program.js" */
/** @import { End, Watched, WorkerState } from "./protocol.js" */

const HEAD_LINE = /^\S+ (\S+)/;

// How long a worker that is being activated keeps the other one shut down, in
// milliseconds. Activation takes a fraction of that, unless pages keep sending
// requests despite Retry-After.
const ACTIVATION = 5000;

export class Service {
  #scope;
  #build;
  #accounts;
  /** @type {Engine<Program>} */
  #engine;
  #launcher;
  /** @type {Ownership} */
  #ownership;
  /** @type {string | null} the store that was opened last */
  #store = null;
  /** @type {boolean | null} */
  #full = null;
  /** @type {() => void} called when this worker is activated */
  #activated = () => {};
  /** @type {Promise<void> | null} while this worker is being activated */
  #activating = null;
  /** Whether the browser was asked to activate this worker. */
  #skipped = false;
  /** @type {Program | null} the running program */
  #program = null;
  /** @type {((kind: string, detail: string) => void) | null} */
  #listener = null;
  /** @type {Watched} */
  #watchesEvents = "nothing"; // the listener also gets changes and requests

  /**
   * @param {object} place
   * @param {string} place.scope the URL of the worker's scope, which ends in a slash
   * @param {string} place.build the version of the build that worker and program are of
   * @param {() => Promise<Response>} place.file fetches the program's WebAssembly
   * @param {() => Go} place.newGo
   */
  constructor({ scope, build, file, newGo }) {
    this.#scope = scope;
    this.#build = build;
    this.#accounts = new Accounts({ open: () => caches.open("sandtable-accounts " + scope) }, scope);
    this.#ownership = new Ownership(this.#database, {
      release: () => this.#engine.release(),
      shutDown: () => this.#engine.shutDown(this.#ownership.settled()),
      listed: () => this.#accounts.forget(),
    });
    this.#launcher = new Launcher({ build, site: new URL(scope).pathname.slice(0, -1), database: this.#database, file, newGo }, this.#ownership, {
      opened: (program) => this.#opened(program),
      ended: (end) => this.#ended(end),
      full: (full) => this.#filled(full),
      event: (kind, detail) => this.#notify(kind, detail),
    });
    this.#engine = new Engine((step) => this.#launcher.launch(step), START, () => this.#notifyState());
  }

  /** The name of the IndexedDB database, and of the lock that guards it. */
  get #database() {
    return "sandtable " + this.#scope;
  }

  /** The URL of the worker's scope. */
  get scope() {
    return this.#scope;
  }

  /**
   * Answers the service worker's fetches that are ours. The others are left to
   * the site's own listeners, and without those to the browser. An event that is
   * ours does not reach listeners that are added later.
   *
   * Activates this worker on a page's request.
   */
  listen() {
    const worker = serviceWorker();
    worker.addEventListener("message", (event) => {
      if (typeof event.data?.sandtable === "number" && event.data.type === "activate") {
        event.waitUntil(this.activate());
      }
    });
    worker.addEventListener("activate", () => this.#activated());
    worker.addEventListener("fetch", (event) => {
      const target = this.claims(event.request.url);
      if (target !== null) {
        const refused = refusedNavigation(event.request, this.#scope);
        event.respondWith(refused === null ? this.answer(event.request, target, (ended) => event.waitUntil(ended)) : forbidden(refused));
      }
    });
  }

  /**
   * Returns the target of a URL that is or may be ours, otherwise null.
   * Synchronous, since a fetch event must be claimed at once.
   *
   * @param {string} url
   */
  claims(url) {
    const target = addressed(url, this.#scope);
    // A real cloud account's requests go to the network untouched.
    const foreign = target !== null && target.account !== null && this.#accounts.has(target.account) === false;
    return foreign ? null : target;
  }

  /**
   * Makes this waiting worker the one that serves all pages of the scope. They get a
   * controllerchange event.
   */
  async activate() {
    // Chromium ignores all requests to activate it but the first one.
    if ((serviceWorkerState() ?? "installed") !== "installed" || (this.#skipped && this.#activating === null)) {
      return;
    }
    // Pages repeat the message, because messages to a worker that is being stopped are lost.
    this.#activating ??= this.#replaceOther().finally(() => (this.#activating = null));
    await this.#activating;
  }

  async #replaceOther() {
    this.#launcher.activating = true;
    notifyPages({ type: "taking over" });
    /** @type {Promise<void>} */
    const activated = new Promise((resolve) => (this.#activated = resolve));
    await this.#ownership.replace(() => {
      // No requests are in flight now. If Chromium cannot stop the other worker before
      // the next one, it tries again when that worker has been idle for half a minute,
      // and activates this one anyway after five. Until then the other one serves.
      serviceWorker().skipWaiting();
      this.#skipped = true;
      this.warmUp();
      return within(ACTIVATION, activated).catch(() => {});
    });
  }

  /**
   * Answers a request that is ours; an instance's first requests also find out whether
   * they are.
   *
   * @param {Request} request
   * @param {Target} target
   * @param {(ended: Promise<void>) => void} [running] gets the end of a streamed body, until which the worker must run
   */
  async answer(request, target, running = () => {}) {
    if (await this.#foreign(target)) {
      return fetch(request);
    }
    const answer = await this.#serve(headOf(request), () => bodyOf(request), target);
    if (answer.ended !== undefined) {
      running(answer.ended);
    }
    return workerResponseOf(answer);
  }

  /**
   * Answers a request that came as a message; null if it is not ours.
   *
   * @param {string} head as headOf writes it
   * @param {Body} body
   * @returns {Promise<Answer | null>}
   */
  async serve(head, body) {
    const [, url = ""] = HEAD_LINE.exec(head) ?? [];
    const target = this.claims(url);
    if (target === null || (await this.#foreign(target))) {
      return null;
    }
    return this.#serve(head, () => body, target);
  }

  /**
   * @param {string} head
   * @param {() => Body | Promise<Body>} body
   * @param {Target} target
   * @returns {Promise<Answer>}
   */
  async #serve(head, body, target) {
    const method = head.slice(0, head.indexOf(" "));
    const [path] = target.path.split("?", 1);
    if (path === "_sandtable/worker") {
      return documentOf(this.state);
    }
    const reset = path === "_sandtable/reset" && method === "POST";
    const answer = await (reset ? this.#reset(head, body, target.path.slice(path.length)) : this.#engine.serve(head, body));
    // What fails can have changed accounts, too: an archive is loaded up to its bad line.
    // After 503 the engine cannot be asked: it was not reached, or its store has failed.
    if (method !== "GET" && answer.status !== 503 && path.startsWith("_sandtable/")) {
      await this.#engine
        .start()
        .then((program) => this.#listAccounts(program))
        .catch(() => this.#accounts.discard())
        .catch(() => {}); // without Cache Storage nothing is stored
    }
    return answer;
  }

  /**
   * @param {string} head
   * @param {() => Body | Promise<Body>} body
   * @param {string} query
   * @returns {Promise<Answer>}
   */
  async #reset(head, body, query) {
    const failure = await this.#startFailure();
    if (failure !== null) {
      return resetUnopened(failure, query, body, this.#database, this.#ownership);
    }
    /** @type {Body} */
    let read = null;
    const answer = await this.#engine.serve(head, async () => (read = await body()));
    return resetFull(answer, query, read, this.#database, this.#ownership, () => this.#engine.release());
  }

  /**
   * Whether an account turns out to be foreign.
   *
   * @param {Target} target
   */
  async #foreign({ account }) {
    if (account === null) {
      return false;
    }
    if (this.#accounts.has(account) === null) {
      await this.#findAccounts();
    }
    return this.#accounts.has(account) === false;
  }

  /**
   * Sets the listener for the worker's state (kind "state").
   *
   * @param {null | ((kind: string, detail: string) => void)} listener gets the kind, and a JSON document
   * @param {Watched} events also report changes and requests: the kinds are those of Event in server/control
   */
  watch(listener, events) {
    this.#listener = listener;
    const wanted = listener === null ? "nothing" : events;
    if (wanted !== this.#watchesEvents) {
      this.#watchesEvents = wanted;
      this.#program?.watch(wanted);
    }
  }

  /**
   * Allows this worker to acquire the store.
   *
   * @param {{steal?: boolean}} [how] the next start steals it from a suspended owner
   */
  acquire({ steal = false } = {}) {
    this.#launcher.acquire(steal);
  }

  /** Leaves the store to another worker. */
  shutDown() {
    this.#launcher.shutDown();
    this.#engine.release();
  }

  /**
   * @param {string} kind
   * @param {string} detail
   */
  #notify(kind, detail) {
    try {
      this.#listener?.(kind, detail);
    } catch (reason) {
      console.error("Sandtable could not notify a listener:", reason); // thrown, it would end the engine
    }
  }

  /** Does the work that is due whenever an event has started the worker, usually a request. */
  wake() {
    this.#accounts.recall().catch(() => {});
    this.warmUp();
  }

  /** Starts the engine before a request needs it. A later request's answer shows a failure. */
  warmUp() {
    this.#engine.start().catch(() => {});
  }

  /**
   * The worker's state. Reading it starts nothing.
   *
   * @returns {WorkerState}
   */
  get state() {
    return { sandtable: PROTOCOL, build: this.#build, full: this.#full, ...this.#engine.state };
  }

  /**
   * Returns why the engine does not start; null if it does.
   *
   * @returns {Promise<Failure | null>}
   */
  async #startFailure() {
    try {
      await within(START, this.#engine.start());
      return null;
    } catch (reason) {
      return /** @type {Failure} */ (reason);
    }
  }

  /** @param {Program} program */
  async #opened(program) {
    const { store } = program;
    const again = this.#store !== null;
    if (again && this.#store !== store) {
      notifyPages({ type: "state", ...this.state, engine: "running", store }); // the user cleared the browser's data
    }
    this.#store = store;
    this.#program = program;
    program.ended.then(() => {
      if (this.#program === program) this.#program = null; // its memory is large
    });
    if (this.#watchesEvents !== "nothing") {
      program.watch(this.#watchesEvents);
      if (again) {
        this.#notify("lost", "{}"); // the last program may have ended before it reported everything
      }
    }
    const listed = this.#listAccounts(program);
    if (this.#accounts.known) {
      listed.catch(() => {}); // the stored list is valid: no need to wait for a new one
    } else {
      await listed;
    }
  }

  /** @param {End} end */
  #ended(end) {
    if (end === "deleted") {
      this.warmUp();
    } else {
      this.#notifyState({ engine: "stopped", store: undefined, happened: end });
    }
  }

  /** @param {boolean} full */
  #filled(full) {
    this.#full = full;
    notifyPages({ type: "state", ...this.state });
    this.#notifyState();
  }

  /** @param {Partial<WorkerState>} [changes] to what the state says */
  #notifyState(changes = {}) {
    this.#notify("state", JSON.stringify({ ...this.state, ...changes }));
  }

  /**
   * Asks a program for the list of accounts.
   *
   * @param {Program} program
   */
  async #listAccounts(program) {
    const answer = await program.serve("GET " + this.#scope + "_sandtable/accounts", null);
    const { accounts } = await responseOf(answer).json();
    if (await this.#accounts.remember(accounts.map((/** @type {{name: string}} */ { name }) => name))) {
      this.#ownership.announceList(); // a page's service worker and another page's plain worker share the list
    }
  }

  /** Recalls the list of accounts, or makes the engine write it. */
  async #findAccounts() {
    try {
      (await this.#accounts.recall()) || (await within(START, this.#engine.start()));
    } catch {
      // The list stays unknown; the engine reports the failure.
    }
  }
}
