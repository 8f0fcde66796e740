// A page's connection to the engine's worker. The worker may end at any time: the
// browser stops it when it is idle, replaces it, or closes the tab it belongs to.

import { busy } from "../answers.js";
import { PROTOCOL, startChannel } from "../protocol.js";
import { abortablePromise } from "./abortable.js";
import { SandtableError } from "./errors.js";
import { Session } from "./session.js";

/** @import { Answer, Body } from "../answers.js" */
/** @import { Health } from "./health.js" */
/** @import { Greeting } from "./session.js" */

// How long a page waits until a worker answers, in milliseconds.
const CONNECT = 5000;

// The same for a worker that waits for another tab, which has the engine.
const CONNECT_ELSEWHERE = 30_000;

// How often the page asks during that time.
const RETRY = 500;

// The interval of keep-alive messages to a service worker in use, in milliseconds.
// Chromium stops a worker after 30 seconds without an event.
const KEEP_ALIVE = 10_000;

/** @typedef {"change" | "request" | "state" | "values"} Watched */

export class Connection {
  #open;
  #keepAlive;
  #plain;
  #health;
  #locks;
  #keptAlive = -Infinity;
  /** @type {Session | null} what requests go through */
  #session = null;
  /** @type {Promise<Session> | null} */
  #opening = null;
  #last = 0; // the newest request's id
  #closed = false;
  /** @type {Set<() => void>} ends each attempt to reach the worker */
  #knocking = new Set();
  /** @type {Watched[]} */
  #names = [];
  /** @type {(name: string, detail?: any) => void} */
  #notify = () => {};
  /** @type {BroadcastChannel | null} on which workers announce themselves, while something is watched */
  #starts = null;

  /**
   * @param {(port: MessagePort) => void} open hands a port to the worker
   * @param {object} [more]
   * @param {() => void} [more.keepAlive] signals the worker that it is in use
   * @param {boolean} [more.plain] the worker is this tab's own and ends with the tab
   * @param {Pick<Health, "report" | "clear">} [more.health] gets reports when the worker stops answering and answers again
   * @param {Pick<LockManager, "request">} [more.locks]
   */
  constructor(open, { keepAlive = () => {}, plain = false, health = { report() {}, clear() {} }, locks = navigator.locks } = {}) {
    this.#open = open;
    this.#keepAlive = keepAlive;
    this.#plain = plain;
    this.#health = health;
    this.#locks = locks;
    globalThis.addEventListener?.("pageshow", this.#shown);
  }

  /** The session with the worker; opened if it does not exist yet. */
  session() {
    if (this.#opening === null) {
      const opening = this.#connect(() => this.#opening !== opening);
      opening.catch(() => {
        if (this.#opening === opening) this.#opening = null;
      });
      this.#opening = opening;
    }
    return this.#opening;
  }

  /**
   * @param {() => boolean} renewed whether another session is wanted by now
   * @returns {Promise<Session>}
   */
  async #connect(renewed) {
    if (this.#closed) {
      throw closed();
    }
    const { port, greeting } = await this.#knock();
    if (renewed()) {
      abandon(port);
      return this.session();
    }
    if (greeting.sandtable !== PROTOCOL) {
      port.close();
      throw new SandtableError("OtherVersion", `The worker (build ${greeting.build}) is of another version than this page's sandtable.js: reload the page, or deploy both from one build.`);
    }
    const session = new Session(port, greeting, this.#locks, {
      ended: () => this.#ended(session),
      used: () => this.#use(),
      dead: () => this.#suspended(),
    });
    this.#health.clear("worker");
    this.#session = session;
    if (this.#names.length > 0) {
      this.#watch(session);
    }
    return session;
  }

  /**
   * Sends the worker ports until it answers on one: messages to a worker that is
   * being stopped are lost.
   *
   * @returns {Promise<{port: MessagePort | BroadcastChannel, greeting: Greeting}>}
   */
  #knock() {
    return new Promise((resolve, reject) => {
      /** @type {Set<MessagePort | BroadcastChannel>} */
      const ports = new Set();
      const fail = (/** @type {SandtableError} */ reason) => {
        stop();
        ports.forEach(abandon);
        reject(reason);
      };
      const limit = (/** @type {number} */ timeout, /** @type {SandtableError} */ reason) => setTimeout(() => fail(reason), timeout);
      // The ports stay open until the time limit: a worker that answers late is told that its port is not used.
      const stop = () => {
        clearInterval(again);
        this.#knocking.delete(stop);
        if (this.#closed) reject(closed());
      };
      this.#knocking.add(stop);
      let elsewhere = false;
      const knock = () => {
        const { port1, port2 } = new MessageChannel();
        ports.add(port1);
        port1.onmessage = ({ data }) => {
          clearInterval(again);
          if (data.type !== "waiting") {
            clearTimeout(late);
            // Another tab's worker listens to a channel.
            const port = data.channel === undefined ? port1 : new BroadcastChannel(data.channel);
            stop();
            ports.delete(port);
            ports.forEach(abandon);
            if (this.#closed) abandon(port);
            else resolve({ port, greeting: data });
          } else if (!elsewhere) {
            elsewhere = true;
            clearTimeout(late);
            late = limit(CONNECT_ELSEWHERE, new SandtableError("NotConnected", "Another tab has the engine, and neither answers nor releases it. Close the other tabs of this site."));
          }
        };
        this.#open(port2);
      };
      const again = setInterval(knock, RETRY);
      let late = limit(CONNECT, new SandtableError("NotSandtable", 'The worker does not answer. If it is the site\'s own, its first line must be importScripts("sandtable-worker.js").'));
      knock();
    });
  }

  /**
   * Makes the next request open a new session, as after the activation of another
   * worker.
   *
   * @param {Session | null} session
   */
  renew(session = this.#session) {
    if (this.#session === session) {
      this.#session = null;
      this.#opening = null;
    }
  }

  /** @param {Session} session */
  #ended(session) {
    this.renew(session);
    // This must not restart a stopped service worker.
    if (this.#plain && this.#names.length > 0 && !this.#closed) {
      this.session().catch(this.#unreachable).catch(() => {});
    }
  }

  #suspended() {
    this.#health.report("worker", new SandtableError("Suspended", "The tab that has the engine does not answer: the system has probably suspended it. Another tab acquires the engine within seconds; a write that was under way may or may not have been done."));
  }

  /** Checks whether the other tab with the engine still answers. */
  check() {
    this.#session?.check(++this.#last);
  }

  /** Another worker was activated: it does not know what this page watches. */
  replaced() {
    this.renew();
    if (this.#names.length > 0) {
      this.session().catch(() => {});
    }
  }

  /**
   * Opens another session when the page is restored from the back-forward cache: WebKit
   * releases the locks of a page there, so the worker has dropped its port.
   *
   * @param {PageTransitionEvent} event
   */
  #shown = ({ persisted }) => {
    if (persisted) {
      this.#session?.close();
      this.replaced();
    }
  };

  /** The version of the worker that the session is with, if there is one. */
  get build() {
    return this.#session?.build;
  }

  /**
   * Sends a request. If the worker ends before the answer, a request that only reads
   * is retried, which starts the worker; others get the service's busy error, which
   * SDKs retry.
   *
   * @param {string} head as headOf writes it
   * @param {Body} body
   * @param {AbortSignal} [signal]
   * @returns {Promise<Answer | null>} null for a request that is not ours
   */
  async request(head, body, signal) {
    const reads = head.startsWith("GET ") || head.startsWith("HEAD ");
    for (;;) {
      const session = this.#session ?? (await abortablePromise(() => this.session(), signal).catch(this.#unreachable));
      if (session === null) {
        return busy("The worker does not answer.");
      }
      signal?.throwIfAborted();
      const answer = await session.request(++this.#last, head, body, signal);
      if (answer !== undefined) {
        return answer;
      }
      if (!reads) {
        return { ...busy(Session.ENDED), lost: true };
      }
    }
  }

  /**
   * A known worker that does not answer is starting or being replaced. The caller
   * handles anything else.
   *
   * @param {unknown} reason
   * @returns {null}
   */
  #unreachable = (reason) => {
    if (!(reason instanceof SandtableError) || (reason.code !== "NotSandtable" && reason.code !== "NotConnected")) {
      throw reason;
    }
    this.#health.report("worker", new SandtableError("NotConnected", "The worker of this page does not answer. Reload the page if that does not pass."));
    return null;
  };

  /**
   * Makes this instance of the worker, and the next ones, notify of events.
   *
   * @param {string} scope of the worker
   * @param {Watched[]} names none ends it
   * @param {(name: string, detail?: any) => void} notify also called with "lost": a change may have been missed
   */
  watch(scope, names, notify) {
    this.#names = names;
    this.#notify = notify;
    if (names.length === 0) {
      this.#starts?.close();
      this.#starts = null;
    } else if (this.#starts === null) {
      this.#starts = new BroadcastChannel(startChannel(scope));
      // Connecting now would start a worker that has nothing to report.
      this.#starts.onmessage = () => void this.session().catch(() => {});
    }
    if (this.#session !== null) {
      this.#watch(this.#session);
    } else if (names.length > 0) {
      this.session().catch(() => {});
    }
  }

  /** @param {Session} session */
  #watch(session) {
    session.watch(this.#names, (name, detail) => this.#notify(name, detail));
  }

  /** Sends a keep-alive after each use of the worker. */
  #use() {
    const now = performance.now();
    if (now - this.#keptAlive > KEEP_ALIVE) {
      this.#keptAlive = now;
      this.#keepAlive();
    }
  }

  close() {
    this.#closed = true;
    globalThis.removeEventListener?.("pageshow", this.#shown);
    this.#knocking.forEach((stop) => stop());
    this.#starts?.close();
    this.#session?.close();
    this.renew();
  }
}

const closed = () => new SandtableError("Closed", "This client was closed: start another one.");

/**
 * Closes a port without a listener. The worker notices because it is granted the
 * port's lock.
 *
 * @param {MessagePort | BroadcastChannel} port
 */
function abandon(port) {
  port.postMessage({ page: "sandtable page " + crypto.randomUUID() });
  port.close();
}
