// Serves requests that pages send as messages, because a fetch through a service
// worker costs the browser more time than the engine needs for an answer.

import { broken, messageOf } from "./answers.js";
import { serviceWorker } from "./pages.js";
import { hold, PROTOCOL, startChannel, watched } from "./protocol.js";

/** @import { Answer, Body } from "./answers.js" */
/** @import { Service } from "./service.js" */

// How long a busy worker extends an event to keep running, in milliseconds. Chromium
// stops a worker whose event takes five minutes.
const KEEP = 120_000;

/**
 * A MessagePort, or a BroadcastChannel to one page of another tab.
 *
 * @typedef {object} Port
 * @property {((event: MessageEvent) => void) | null} onmessage
 * @property {(message: any, transfer?: any) => void} postMessage
 * @property {() => void} close
 */

/** @typedef {{more: () => void, cancel: () => void}} ChunkReader what a page reads in chunks */

export class Messages {
  #service;
  #build;
  #locks;
  #explorer;
  /** @type {Promise<string> | null} this worker's instance, see protocol.js */
  #instance = null;
  /** @type {(value?: unknown) => void} */
  #endInstance = () => {};
  /** @type {Set<Promise<unknown>>} pending answers and chunks */
  #serving = new Set();
  /** @type {Map<Port, Map<number, ChunkReader>>} by port, and by the id of the request */
  #readers = new Map();
  /** @type {Map<Port, string[]>} the events that pages watch */
  #watching = new Map();

  /**
   * @param {Pick<Service, "scope" | "serve" | "watch" | "state">} service answers
   * @param {string} build the version of this worker
   * @param {Pick<LockManager, "request">} [locks]
   * @param {string} [explorer] the URL of the explorer of this build
   */
  constructor(service, build, locks = navigator.locks, explorer = undefined) {
    this.#service = service;
    this.#build = build;
    this.#locks = locks;
    this.#explorer = explorer;
  }

  /** Listens to the pages of a service worker. Messages that are not ours are left to other listeners. */
  listen() {
    this.announce();
    serviceWorker().addEventListener("message", (event) => {
      switch (typeof event.data?.sandtable === "number" && event.data.type) {
        case "connect":
          event.waitUntil(this.connect(event.ports[0]));
          break;
        case "claim": // the page wants to be controlled now, not only on its next visit
          event.waitUntil(serviceWorker().clients.claim());
          break;
        case "keepAlive": // messages on ports do not keep a worker running
          event.waitUntil(this.#idle());
          break;
      }
    });
  }

  /** Announces this worker's start to pages. */
  announce() {
    const channel = new BroadcastChannel(startChannel(this.#service.scope));
    channel.postMessage("started");
    channel.close();
  }

  /** The name of this worker's instance. */
  instance() {
    if (this.#instance === null) {
      const ended = new Promise((resolve) => (this.#endInstance = resolve));
      this.#instance = hold(this.#locks, "sandtable instance " + crypto.randomUUID(), ended);
    }
    return this.#instance;
  }

  /** Ends this instance, but not the worker: its pages learn that no answer will come. */
  shutDown() {
    this.#endInstance();
    this.#instance = null;
    [...this.#readers.keys()].forEach((port) => this.#drop(port));
  }

  /**
   * Serves the requests that come through a port.
   *
   * @param {Port} port
   */
  async connect(port) {
    this.#readers.set(port, new Map());
    port.onmessage = ({ data }) => {
      if (data.more || data.cancel) {
        this.#readers.get(port)?.get(data.id)?.[data.more ? "more" : "cancel"]();
      } else if (data.watch) {
        this.#watch(port, data.watch);
      } else if (data.ping) {
        this.#post(port, { pong: true, id: data.id });
      } else if (data.page) {
        this.#locks.request(data.page, () => this.#drop(port));
      } else if (typeof data.head === "string" && data.status === undefined) {
        this.#serve(port, data); // an answer has a head as well
      }
    };
    port.postMessage({ sandtable: PROTOCOL, type: "connected", build: this.#build, explorer: this.#explorer, instance: await this.instance() });
  }

  /**
   * @param {Port} port
   * @param {string[]} names
   */
  #watch(port, names) {
    const state = names.includes("state") && !this.#watching.get(port)?.includes("state");
    if (names.length > 0 && this.#readers.has(port)) {
      this.#watching.set(port, names);
    } else {
      this.#watching.delete(port);
    }
    const wanted = new Set([...this.#watching.values()].flat());
    this.#service.watch(wanted.size === 0 ? null : this.#notify, watched([...wanted]));
    if (state) {
      this.#post(port, { event: "state", detail: JSON.stringify(this.#service.state) });
    }
  }

  /** @type {(kind: string, detail: string) => void} */
  #notify = (kind, detail) => {
    for (const [port, names] of this.#watching) {
      if (kind === "lost" || names.includes(kind)) {
        this.#post(port, { event: kind, detail });
      }
    }
  };

  /**
   * Drops a port without a listener, whose readers would wait forever.
   *
   * @param {Port} port
   */
  #drop(port) {
    const readers = this.#readers.get(port);
    this.#readers.delete(port);
    readers?.forEach(({ cancel }) => cancel());
    this.#watch(port, []);
    port.close();
  }

  /**
   * Posts a message.
   *
   * @param {Port} port
   * @param {object} message
   * @param {Transferable[]} [transfer]
   */
  #post(port, message, transfer = []) {
    try {
      port.postMessage(message, transfer);
    } catch {
      this.#drop(port); // the channel of another tab's page has been closed
    }
  }

  /**
   * @template T
   * @param {Promise<T>} served
   * @returns {Promise<T>}
   */
  #track(served) {
    this.#serving.add(served);
    const done = () => this.#serving.delete(served);
    served.then(done, done);
    return served;
  }

  /** Resolves when no page waits for anything, or before the browser would end the event. */
  async #idle() {
    const late = performance.now() + KEEP;
    while (this.#serving.size > 0 && performance.now() < late) {
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let timer;
      const limit = new Promise((resolve) => (timer = setTimeout(resolve, late - performance.now())));
      await Promise.race([Promise.allSettled(this.#serving), limit]);
      clearTimeout(timer);
    }
  }

  /**
   * @param {Port} port
   * @param {{id: number, head: string, body: Body}} request
   */
  async #serve(port, { id, head, body }) {
    const answer = await this.#track(this.#answer(head, body));
    if (answer === null) {
      this.#post(port, { id, foreign: true });
    } else if (answer.body === null) {
      this.#post(port, { id, status: answer.status, head: answer.head, body: null });
    } else if (answer.body instanceof Uint8Array) {
      this.#post(port, { id, status: answer.status, head: answer.head, body: answer.body }, [answer.body.buffer]);
    } else {
      await this.#stream(port, id, answer, answer.body.getReader());
    }
  }

  /**
   * @param {string} head
   * @param {Body} body
   */
  async #answer(head, body) {
    try {
      return await this.#service.serve(head, body);
    } catch (reason) {
      return broken(messageOf(reason)); // such as an invalid URL
    }
  }

  /**
   * Sends a body in chunks, each when the page asks for it.
   *
   * @param {Port} port
   * @param {number} id
   * @param {Answer} answer
   * @param {ReadableStreamDefaultReader<Uint8Array>} reader of its body
   */
  async #stream(port, id, { status, head }, reader) {
    const readers = this.#readers.get(port);
    if (readers === undefined) {
      return reader.cancel().catch(() => {}); // the page has gone in the meantime
    }
    /** @type {(value?: unknown) => void} */
    let more;
    let wanted = new Promise((resolve) => (more = resolve));
    readers.set(id, {
      more: () => more(),
      cancel: () => reader.cancel().then(() => more(), () => more()),
    });
    this.#post(port, { id, status, head, stream: true });
    try {
      for (let last = false; !last; ) {
        await wanted; // not tracked: a page that stopped reading must not keep the worker running
        wanted = new Promise((resolve) => (more = resolve));
        const { done, value } = await this.#track(reader.read());
        last = done;
        this.#post(port, { id, chunk: value ?? null });
      }
    } catch (reason) {
      this.#post(port, { id, broken: messageOf(reason) });
    } finally {
      readers.delete(id);
    }
  }
}
