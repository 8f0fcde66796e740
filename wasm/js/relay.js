// Where there is no service worker, each tab has a plain worker, and one of them
// runs the engine: the one that holds the Web Lock. The pages of the other tabs
// reach it through a BroadcastChannel each, and when its tab is closed the next
// worker acquires the lock.
//
// A suspended tab keeps its locks: iOS suspends background tabs, as does Chromium on
// phones. A worker that waits for a silent owner steals the lock. Whatever the owner
// was about to write fails when it resumes, because the store is fenced (see
// engine/idbstorage).

import { Heartbeat } from "./heartbeat.js";
import { PROTOCOL } from "./protocol.js";

/** @import { Messages, Port } from "./messages.js" */
/** @import { Service } from "./service.js" */

/** @typedef {{type: "connect", channel: string} | {type: "owner"} | {type: "connected", channel: string, connected: object}} News */

export class Relay {
  #name;
  #service;
  #messages;
  #locks;
  #news;
  #owns = false; // this worker runs the engine, and has announced it
  #turn = 0; // counts how often it acquired or lost the lock
  /** @type {Set<string>} channels to pages of other tabs, by name */
  #channels = new Set();
  /** @type {Map<string, Port>} ports that wait for a channel to the owner, by its name */
  #waiting = new Map();
  #heartbeat = new Heartbeat(() => this.#ask(), () => this.#steal()); // watches the owner while ports wait

  /**
   * @param {string} scope each scope has one engine
   * @param {Pick<Service, "acquire" | "shutDown">} service serves when this worker has the lock
   * @param {Pick<Messages, "connect" | "instance" | "announce" | "shutDown">} messages through which it serves
   * @param {Pick<LockManager, "request">} [locks]
   */
  constructor(scope, service, messages, locks = navigator.locks) {
    this.#name = "sandtable relay " + scope;
    this.#service = service;
    this.#messages = messages;
    this.#locks = locks;
    this.#news = new BroadcastChannel(this.#name);
    this.#news.onmessage = ({ data }) => this.#hear(data);
    this.#acquire();
  }

  /**
   * Connects the port of this worker's page to the engine in this or another tab.
   *
   * @param {Port} port
   */
  connect(port) {
    if (this.#owns) {
      return this.#messages.connect(port);
    }
    const channel = "sandtable channel " + crypto.randomUUID();
    this.#waiting.set(channel, port);
    port.postMessage({ sandtable: PROTOCOL, type: "waiting" });
    this.#post({ type: "connect", channel });
    this.#heartbeat.start();
  }

  /** Queues for the lock. */
  #acquire() {
    let held = false;
    const own = () => {
      held = true;
      return this.#acquired();
    };
    this.#locks.request(this.#name, own).catch((reason) => {
      if (!held) throw reason;
      this.#stolen();
      this.#acquire();
    });
  }

  /** Steals the lock from a silent owner. This worker also stays in the queue. */
  #steal() {
    this.#locks.request(this.#name, { steal: true }, () => this.#acquired({ steal: true })).catch(() => this.#stolen());
  }

  /**
   * Runs while this worker has the lock: until it ends or the lock is stolen.
   *
   * @param {{steal?: boolean}} [how]
   */
  async #acquired(how) {
    const turn = ++this.#turn;
    this.#service.acquire(how);
    this.#heartbeat.heard();
    await this.#messages.instance();
    if (turn !== this.#turn) {
      return; // the lock has been stolen in the meantime
    }
    this.#owns = true;
    this.#heartbeat.stop();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    waiting.forEach((port) => this.#messages.connect(port));
    this.#post({ type: "owner" });
    this.#messages.announce();
    return new Promise(() => {});
  }

  /** Another worker has stolen the lock: this one was suspended. */
  #stolen() {
    this.#turn++;
    this.#owns = false;
    this.#service.shutDown();
    this.#messages.shutDown();
    if (this.#waiting.size > 0) {
      this.#heartbeat.start();
      this.#ask();
    }
  }

  /** Asks the owner for the channels that ports wait for. */
  #ask() {
    for (const channel of this.#waiting.keys()) {
      this.#post({ type: "connect", channel });
    }
  }

  /** @param {News} news */
  #post(news) {
    this.#news.postMessage(news);
  }

  /** @param {News} news */
  #hear(news) {
    if (news.type === "connect" && this.#owns) {
      this.#open(news.channel);
    } else if (news.type === "owner") {
      this.#heartbeat.heard();
      this.#ask();
    } else if (news.type === "connected") {
      // The page itself uses the channel, without this worker.
      this.#waiting.get(news.channel)?.postMessage({ ...news.connected, channel: news.channel });
      if (this.#waiting.delete(news.channel)) {
        this.#heartbeat.heard();
        if (this.#waiting.size === 0) {
          this.#heartbeat.stop();
        }
      }
    }
  }

  /**
   * Opens a channel to a page of another tab and closes it when that page is gone. A
   * repeated request for a channel is ignored: a second end here would serve every
   * request twice and receive the first one's messages.
   *
   * @param {string} name
   */
  #open(name) {
    if (this.#channels.has(name)) {
      return;
    }
    this.#channels.add(name);
    const channel = new BroadcastChannel(name);
    /** @type {Port} */
    const port = {
      onmessage: null,
      close: () => {
        this.#channels.delete(name);
        channel.close();
      },
      // The channel has no listener yet when the first message is sent.
      postMessage: (message) => (message.type === "connected" ? this.#post({ type: "connected", channel: name, connected: message }) : channel.postMessage(message)),
    };
    channel.onmessage = (event) => port.onmessage?.(event);
    this.#messages.connect(port);
  }
}
