// Where there is no service worker: each tab has a worker of its own, and one
// of them the engine. The lock says whose; the tabs of the others reach it by
// a BroadcastChannel for each, and when its tab is closed the next has the lock.

class Relay {
  #messages;
  #news;
  #life = null; // of this worker, once it has the engine
  #asked = new Map(); // ports that wait for a line to the owner, by its name

  /**
   * @param {string} scope one engine for each
   * @param {Messages} messages serves, when this worker has the engine
   */
  constructor(scope, messages) {
    this.#messages = messages;
    this.#news = new BroadcastChannel("sandtable relay " + scope);
    this.#news.onmessage = ({ data }) => this.#hear(data);
    navigator.locks.request("sandtable relay " + scope, () => this.#own());
  }

  /** Connects the port of this worker's page with the engine, wherever that is. */
  connect(port) {
    if (this.#life !== null) {
      return this.#messages.connect(port);
    }
    const line = "sandtable line " + crypto.randomUUID();
    this.#asked.set(line, port);
    this.#news.postMessage({ type: "line", line });
  }

  /** This worker has the engine from now on, until it ends. */
  async #own() {
    this.#life = await this.#messages.life();
    const waiting = [...this.#asked.values()];
    this.#asked.clear();
    waiting.forEach((port) => this.#messages.connect(port));
    this.#news.postMessage({ type: "owner" });
    this.#messages.awake();
    return new Promise(() => {});
  }

  #hear({ type, line, connected }) {
    if (type === "line" && this.#life !== null) {
      this.#extend(line);
    } else if (type === "owner") {
      for (const line of this.#asked.keys()) {
        this.#news.postMessage({ type: "line", line });
      }
    } else if (type === "connected") {
      // The page itself speaks on the line: this worker has no part in it.
      this.#asked.get(line)?.postMessage({ ...connected, line });
      this.#asked.delete(line);
    }
  }

  /** Makes a line for a page of another tab, and drops it when that page has gone. */
  #extend(line) {
    const channel = new BroadcastChannel(line);
    const say = channel.postMessage.bind(channel);
    const port = {
      close: () => channel.close(),
      // Nobody listens on the line yet when the first message is sent.
      postMessage: (message) => (message.type === "connected" ? this.#news.postMessage({ type: "connected", line, connected: message }) : say(message)),
    };
    channel.onmessage = (event) => port.onmessage(event);
    this.#messages.connect(port);
  }
}
