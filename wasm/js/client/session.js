// A page's session with one instance of a worker, over one port.

import { Heartbeat } from "../heartbeat.js";
import { hold } from "../protocol.js";
import { abortable } from "./abortable.js";

/** @import { Answer, Body } from "../answers.js" */

/**
 * A worker's first message, see protocol.js.
 *
 * @typedef {object} Greeting
 * @property {number} sandtable
 * @property {string} build
 * @property {string} instance
 * @property {string} [explorer]
 * @property {string} [channel]
 */

/** @typedef {Record<string, any> | undefined} Message for a request; undefined when the worker has ended */

export class Session {
  static ENDED = "The worker ended while it served this request, which may or may not have been done.";

  #port;
  /** @type {Map<number, (message: Message) => void>} by the id of the request */
  #waiting = new Map();
  #over = false;
  #calls;
  /** @type {(value?: unknown) => void} releases the lock that shows the worker that this port is in use */
  #release = () => {};
  #ending = new AbortController(); // of the request for the worker's lock
  /** @type {string[]} watched events */
  #names = [];
  /** @type {(name: string, detail?: any) => void} */
  #notify = () => {};
  /** @type {Heartbeat | null} of another tab's worker */
  #heartbeat = null;
  build;
  explorer;

  /**
   * @param {MessagePort | BroadcastChannel} port
   * @param {Greeting} greeting
   * @param {Pick<LockManager, "request">} locks
   * @param {object} calls
   * @param {() => void} calls.ended called when no more answers will come, before pending requests settle
   * @param {() => void} calls.used called after each message that makes the worker do something
   * @param {() => void} calls.dead called before ended if another tab's worker has fallen silent
   */
  constructor(port, { build, instance, explorer, channel }, locks, calls) {
    this.#port = port;
    this.#calls = calls;
    this.build = build;
    this.explorer = explorer;
    if (channel !== undefined) {
      const dead = () => {
        calls.dead();
        this.close();
      };
      this.#heartbeat = new Heartbeat(() => port.postMessage({ ping: true }), dead);
    }
    port.onmessage = ({ data }) => this.#hear(data);
    const released = new Promise((resolve) => (this.#release = resolve));
    hold(locks, "sandtable page " + crypto.randomUUID(), released).then((page) => this.#over || port.postMessage({ page }));
    locks.request(instance, { mode: "shared", signal: this.#ending.signal }, () => this.close()).catch(() => {}); // aborted by close
  }

  /** @param {Record<string, any>} message */
  #hear(message) {
    this.#heartbeat?.heard();
    const waiting = this.#waiting.get(message.id);
    if (message.event !== undefined) {
      this.#notify(message.event, JSON.parse(message.detail));
    } else if (waiting !== undefined) {
      waiting(message);
    } else if (message.stream) {
      this.#port.postMessage({ id: message.id, cancel: true }); // the request was aborted
    }
  }

  /**
   * @param {number} id
   * @param {(message: Message) => void} handle
   */
  #await(id, handle) {
    this.#waiting.set(id, handle);
    if (!this.#over) {
      this.#heartbeat?.start();
    }
  }

  /** @param {number} id */
  #forget(id) {
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) {
      this.#heartbeat?.stop();
    }
  }

  /**
   * Checks whether another tab's worker still answers, and ends the session if not.
   *
   * @param {number} id
   */
  check(id) {
    if (this.#heartbeat !== null && !this.#over) {
      this.#await(id, () => this.#forget(id));
      this.#port.postMessage({ id, ping: true });
    }
  }

  /**
   * Resolves to the answer: null for a request that is not ours, undefined if the
   * worker ended first.
   *
   * @param {number} id
   * @param {string} head
   * @param {Body} body
   * @param {AbortSignal} [signal]
   * @returns {Promise<Answer | null | undefined>}
   */
  request(id, head, body, signal) {
    if (this.#over) {
      return Promise.resolve(undefined);
    }
    return new Promise((resolve, reject) => {
      const settle = (/** @type {Message} */ message) => {
        this.#forget(id);
        signal?.removeEventListener("abort", abort);
        if (message === undefined) {
          resolve(undefined);
        } else if (message.stream) {
          resolve({ status: message.status, head: message.head, body: abortable(this.#stream(id), signal) });
        } else {
          resolve(message.foreign ? null : { status: message.status, head: message.head, body: message.body });
        }
      };
      const abort = () => {
        this.#forget(id);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#await(id, settle);
      this.#port.postMessage({ id, head, body });
      this.#calls.used();
    });
  }

  /**
   * Makes the worker report events from now on. Earlier changes may have been missed.
   *
   * @param {string[]} names
   * @param {(name: string, detail?: any) => void} notify
   */
  watch(names, notify) {
    if (this.#over) {
      return;
    }
    this.#port.postMessage({ watch: names });
    if (names.includes("change") && !this.#names.includes("change")) {
      notify("lost");
    }
    this.#names = names;
    this.#notify = names.length > 0 ? notify : () => {};
  }

  /**
   * A long body, chunk by chunk.
   *
   * @param {number} id
   * @returns {ReadableStream<Uint8Array<ArrayBuffer>>}
   */
  #stream(id) {
    /** @type {(message: Message) => void} */
    let arrived = () => {};
    this.#await(id, (message) => arrived(message));
    return new ReadableStream(
      {
        pull: async (controller) => {
          /** @type {Promise<Message>} */
          const next = new Promise((resolve) => (arrived = resolve));
          if (this.#over) {
            arrived(undefined);
          } else {
            this.#port.postMessage({ id, more: true });
            this.#calls.used();
          }
          const message = await next;
          if (message?.chunk) {
            controller.enqueue(message.chunk);
          } else {
            this.#forget(id);
            message?.chunk === null ? controller.close() : controller.error(new Error(message?.broken ?? Session.ENDED));
          }
        },
        cancel: () => {
          this.#forget(id);
          if (!this.#over) {
            this.#port.postMessage({ id, cancel: true });
          }
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** Ends the session: no message will come any more. */
  close() {
    this.#over = true;
    this.#heartbeat?.stop();
    this.#release();
    this.#ending.abort();
    this.#port.close();
    this.#calls.ended();
    for (const settle of this.#waiting.values()) {
      settle(undefined);
    }
  }
}
