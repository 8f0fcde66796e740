// Requests of pages that come as messages, not as fetches: a fetch through a
// worker costs the browser more than the engine needs for an answer.

// How long a worker that is busy says so to the browser at a time, in
// milliseconds. Chromium ends an event that takes five minutes, and the worker.
const BUSY = 120_000;

class Messages {
  #service;
  #build;
  #life = null; // the promise of this worker's life, see protocol.js
  #endLife = () => {};
  #serving = new Set(); // promises of what a page waits for: answers, and pieces of long ones
  #readers = new Map(); // what pages read piece by piece: for each port by the request's id
  #watching = new Map(); // ports and what their pages want to be told of

  /**
   * @param {Service} service answers
   * @param {string} build the version of this worker
   */
  constructor(service, build) {
    this.#service = service;
    this.#build = build;
  }

  /** Listens to pages of a service worker; messages that are not ours are left to others. */
  listen() {
    this.awake();
    self.addEventListener("message", (event) => {
      switch (typeof event.data?.sandtable === "number" && event.data.type) {
        case "connect":
          event.waitUntil(this.connect(event.ports[0]));
          break;
        case "claim": // the page wants to be answered now, not from its next visit on
          event.waitUntil(self.clients.claim());
          break;
        case "stay": // messages on ports alone do not keep a worker
          event.waitUntil(this.#idle());
          break;
      }
    });
  }

  /** Tells pages that this worker can be connected with. */
  awake() {
    const channel = new BroadcastChannel(awakening(this.#service.scope));
    channel.postMessage("awake");
    channel.close();
  }

  /** The name of this worker's life. */
  life() {
    if (this.#life === null) {
      const ended = new Promise((resolve) => (this.#endLife = resolve));
      this.#life = live("sandtable life " + crypto.randomUUID(), ended);
    }
    return this.#life;
  }

  /** Ends this life although the worker goes on: all pages hear that no answer comes any more. */
  leave() {
    this.#endLife();
    this.#life = null;
    [...this.#readers.keys()].forEach((port) => this.#gone(port));
  }

  /** Serves what comes through a port: a MessagePort, or a BroadcastChannel with one listener. */
  async connect(port) {
    this.#readers.set(port, new Map());
    port.onmessage = ({ data }) => {
      if (data.more || data.cancel) {
        this.#readers.get(port)?.get(data.id)?.[data.more ? "more" : "cancel"]();
      } else if (data.watch) {
        this.#watch(port, data.watch);
      } else if (data.ping) {
        this.#say(port, { pong: true, id: data.id });
      } else if (data.page) {
        navigator.locks.request(data.page, () => this.#gone(port));
      } else if (typeof data.head === "string" && data.status === undefined) {
        this.#serve(port, data); // an answer has a head as well
      }
    };
    port.postMessage({ sandtable: PROTOCOL, type: "connected", build: this.#build, life: await this.life(), pings: true });
  }

  #watch(port, names) {
    const news = names.includes("state") && !this.#watching.get(port)?.includes("state");
    if (names.length > 0 && this.#readers.has(port)) {
      this.#watching.set(port, names);
    } else {
      this.#watching.delete(port);
    }
    const wanted = new Set([...this.#watching.values()].flat());
    const told = (kind, detail) => this.#tell(kind, detail);
    this.#service.watch(wanted.size === 0 ? null : told, wanted.has("change") || wanted.has("request"));
    if (news) {
      this.#say(port, { event: "state", detail: JSON.stringify(this.#service.state) });
    }
  }

  #tell(kind, detail) {
    for (const [port, names] of this.#watching) {
      if (kind === "lost" || names.includes(kind)) {
        this.#say(port, { event: kind, detail });
      }
    }
  }

  /** Nobody listens to a port any more: what is being read there would wait for ever. */
  #gone(port) {
    const readers = this.#readers.get(port);
    this.#readers.delete(port);
    readers?.forEach(({ cancel }) => cancel());
    this.#watch(port, []);
    port.close();
  }

  /** Posts a message. The channel of another tab's page may have been closed, and throws then. */
  #say(port, message, transfer = []) {
    try {
      port.postMessage(message, transfer);
    } catch {
      this.#gone(port);
    }
  }

  #track(served) {
    this.#serving.add(served);
    const done = () => this.#serving.delete(served);
    served.then(done, done);
    return served;
  }

  /** Fulfilled when no page waits for anything, or when a browser would end the event that waits for that. */
  async #idle() {
    const late = performance.now() + BUSY;
    while (this.#serving.size > 0 && performance.now() < late) {
      let timer;
      const limit = new Promise((resolve) => (timer = setTimeout(resolve, late - performance.now())));
      await Promise.race([Promise.allSettled(this.#serving), limit]);
      clearTimeout(timer);
    }
  }

  async #serve(port, { id, head, body }) {
    const answer = await this.#track(this.#answer(head, body));
    if (answer === null) {
      this.#say(port, { id, foreign: true });
    } else if (answer.body === null) {
      this.#say(port, { id, status: answer.status, head: answer.head, body: null });
    } else if (answer.body instanceof Uint8Array) {
      this.#say(port, { id, status: answer.status, head: answer.head, body: answer.body }, [answer.body.buffer]);
    } else {
      await this.#stream(port, id, answer);
    }
  }

  async #answer(head, body) {
    try {
      return await this.#service.serve(head, body);
    } catch (reason) {
      return broken(reason.message); // such as an address that is none
    }
  }

  /** Sends a body piece by piece, each when the page has asked for it. */
  async #stream(port, id, { status, head, body }) {
    const reader = body.getReader();
    const readers = this.#readers.get(port);
    if (readers === undefined) {
      return reader.cancel().catch(() => {}); // the page has gone while this was made
    }
    let more;
    let asked = new Promise((resolve) => (more = resolve));
    readers.set(id, {
      more: () => more(),
      cancel: () => reader.cancel().then(more, more),
    });
    this.#say(port, { id, status, head, stream: true });
    try {
      for (let last = false; !last; ) {
        await asked; // a worker is not kept for a page that does not read on
        asked = new Promise((resolve) => (more = resolve));
        const { done, value } = await this.#track(reader.read());
        last = done;
        this.#say(port, { id, piece: value ?? null });
      }
    } catch (reason) {
      this.#say(port, { id, broken: reason.message });
    } finally {
      readers.delete(id);
    }
  }
}
