// Where there is no service worker: each tab has a worker of its own, and one
// of them the engine. The lock says whose; the tabs of the others reach it by
// a BroadcastChannel for each, and when its tab is closed the next has the lock.
//
// A tab that the system has suspended keeps its locks: iOS suspends tabs in the
// background, Chromium on phones too. Whoever waits for the owner then, and hears
// nothing, takes the lock from it. What the other one was about to write when it
// fell asleep fails when it wakes up (see engine/idbstorage).

class Relay {
  #name;
  #service;
  #messages;
  #news;
  #owns = false; // this worker has the engine, and says so
  #turns = 0; // how often that has begun and ended
  #lines = new Set(); // to pages of other tabs, by name
  #asked = new Map(); // ports that wait for a line to the owner, by its name
  #pulse = new Pulse(() => this.#ask(), () => this.#seize()); // of the owner, while they do

  /**
   * @param {string} scope one engine for each
   * @param {Service} service serves, when this worker has the engine
   * @param {Messages} messages has it do so
   */
  constructor(scope, service, messages) {
    this.#name = "sandtable relay " + scope;
    this.#service = service;
    this.#messages = messages;
    this.#news = new BroadcastChannel(this.#name);
    this.#news.onmessage = ({ data }) => this.#hear(data);
    this.#stand();
  }

  /**
   * Connects the port of this worker's page with the engine, wherever that is.
   *
   * @param {MessagePort} port
   * @param {boolean} waits whether the page wants to know that it may take a while
   */
  connect(port, waits) {
    if (this.#owns) {
      return this.#messages.connect(port);
    }
    const line = "sandtable line " + crypto.randomUUID();
    this.#asked.set(line, port);
    if (waits) {
      port.postMessage({ sandtable: PROTOCOL, type: "waiting" });
    }
    this.#news.postMessage({ type: "line", line });
    this.#pulse.begin();
  }

  /** Stands in the queue for the engine. */
  #stand() {
    let had = false;
    const own = () => {
      had = true;
      return this.#own();
    };
    navigator.locks.request(this.#name, own).catch((reason) => {
      if (!had) throw reason;
      this.#lose();
      this.#stand();
    });
  }

  /** Takes the engine from an owner that says nothing. This worker stays in the queue, too. */
  #seize() {
    this.#service.seize();
    navigator.locks.request(this.#name, { steal: true }, () => this.#own()).catch(() => this.#lose());
  }

  /** This worker has the engine from now on, until it ends or another one takes it. */
  async #own() {
    const turn = ++this.#turns;
    this.#service.resume();
    this.#pulse.heard();
    await this.#messages.life();
    if (turn !== this.#turns) {
      return; // another one has taken it meanwhile
    }
    this.#owns = true;
    this.#pulse.end();
    const waiting = [...this.#asked.values()];
    this.#asked.clear();
    waiting.forEach((port) => this.#messages.connect(port));
    this.#news.postMessage({ type: "owner" });
    this.#messages.awake();
    return new Promise(() => {});
  }

  /** Another worker has taken the engine: this one was suspended when that asked for it. */
  #lose() {
    this.#turns++;
    this.#owns = false;
    this.#service.retire();
    this.#messages.leave();
    if (this.#asked.size > 0) {
      this.#pulse.begin();
      this.#ask();
    }
  }

  /** Asks for the lines that are waited for. */
  #ask() {
    for (const line of this.#asked.keys()) {
      this.#news.postMessage({ type: "line", line });
    }
  }

  #hear({ type, line, connected }) {
    if (type === "line" && this.#owns) {
      this.#extend(line);
    } else if (type === "owner") {
      this.#pulse.heard();
      this.#ask();
    } else if (type === "connected" && this.#asked.has(line)) {
      // The page itself speaks on the line: this worker has no part in it.
      this.#asked.get(line).postMessage({ ...connected, line });
      this.#asked.delete(line);
      this.#pulse.heard();
      if (this.#asked.size === 0) {
        this.#pulse.end();
      }
    }
  }

  /**
   * Makes a line for a page of another tab, and drops it when that page has
   * gone. One that is asked for again is there already: two ends of a line here
   * would both serve what comes, and hear each other.
   */
  #extend(line) {
    if (this.#lines.has(line)) {
      return;
    }
    this.#lines.add(line);
    const channel = new BroadcastChannel(line);
    const say = channel.postMessage.bind(channel);
    const port = {
      close: () => {
        this.#lines.delete(line);
        channel.close();
      },
      // Nobody listens on the line yet when the first message is sent.
      postMessage: (message) => (message.type === "connected" ? this.#news.postMessage({ type: "connected", line, connected: message }) : say(message)),
    };
    channel.onmessage = (event) => port.onmessage(event);
    this.#messages.connect(port);
  }
}
