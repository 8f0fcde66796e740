// Requests of pages that come as messages, not as fetches: a fetch through a
// worker costs the browser more than the engine needs for an answer.

class Messages {
  #service;
  #build;
  #life = null; // the promise of this worker's life, see protocol.js
  #serving = new Set(); // promises of requests that are not answered
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
          event.waitUntil(Promise.allSettled(this.#serving));
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
    return (this.#life ??= live("sandtable life " + crypto.randomUUID()));
  }

  /** Serves what comes through a port: a MessagePort, or a BroadcastChannel with one listener. */
  async connect(port) {
    const readers = new Map(); // of long answers, by the id of the request
    port.onmessage = ({ data }) => {
      if (data.more || data.cancel) {
        readers.get(data.id)?.[data.more ? "more" : "cancel"]();
      } else if (data.watch) {
        this.#watch(port, data);
      } else if (data.head !== undefined) {
        this.#track(this.#serve(port, readers, data));
      }
    };
    port.postMessage({ sandtable: PROTOCOL, type: "connected", build: this.#build, life: await this.life() });
  }

  #watch(port, { watch, page }) {
    if (!this.#watching.has(port)) {
      navigator.locks.request(page, () => this.#watch(port, { watch: [] })); // when it has gone
    }
    if (watch.length > 0) {
      this.#watching.set(port, watch);
    } else {
      this.#watching.delete(port);
    }
    this.#service.watch(this.#watching.size === 0 ? null : (kind, detail) => this.#tell(kind, detail));
  }

  #tell(kind, detail) {
    for (const [port, names] of this.#watching) {
      if (kind === "lost" || names.includes(kind)) {
        port.postMessage({ event: kind, detail });
      }
    }
  }

  #track(served) {
    this.#serving.add(served);
    served.finally(() => this.#serving.delete(served));
  }

  async #serve(port, readers, { id, head, body }) {
    const answer = await this.#answer(head, body);
    if (answer === null) {
      port.postMessage({ id, foreign: true });
    } else if (answer.body === null) {
      port.postMessage({ id, status: answer.status, head: answer.head, body: null });
    } else if (answer.body instanceof Uint8Array) {
      port.postMessage({ id, status: answer.status, head: answer.head, body: answer.body }, [answer.body.buffer]);
    } else {
      await this.#stream(port, readers, id, answer);
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
  async #stream(port, readers, id, { status, head, body }) {
    const reader = body.getReader();
    let more;
    let asked = new Promise((resolve) => (more = resolve));
    readers.set(id, {
      more: () => more(),
      cancel: () => reader.cancel().then(more, more),
    });
    port.postMessage({ id, status, head, stream: true });
    try {
      for (let last = false; !last; ) {
        await asked;
        asked = new Promise((resolve) => (more = resolve));
        const { done, value } = await reader.read();
        last = done;
        port.postMessage({ id, piece: value ?? null });
      }
    } catch (reason) {
      port.postMessage({ id, broken: reason.message });
    } finally {
      readers.delete(id);
    }
  }
}
