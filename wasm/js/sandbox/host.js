// The page's side of the sandbox. Each run of a program has a frame and a worker
// of its own, which are gone when it ends. docs/decisions/0016-sandbox.md says
// what keeps a program in.

import { LIMITS, weigh } from "./limits.js";
import { compose, CodeError, readCode } from "./program.js";
import { treesIn } from "./tree.js";
export { oneAccount } from "./bridge.js";

/** @import { Limits } from "./limits.js" */
/** @import { Failure } from "./failure.js" */
/** @import { ShownValue } from "../client/sandbox.d.ts" */

/** The modules that programs may import: their scripts' files and the variables that those declare. */
const MODULES = [{ name: "@azure/data-tables", variable: "azureDataTables", file: "azure-data-tables.js" }];

/** How many milliseconds the frame's script may take to begin, on a busy machine: longer means that a policy forbids it. */
const BEGIN = 5_000;

/** How many milliseconds a program whose time is over may take to say that it only waits. */
const ANSWER = 100;

/**
 * What a run reports, in order. All texts are a stranger's: show them as text.
 *
 * @typedef {object} Listener
 * @property {(level: "log" | "warn" | "error", text: string, line: number, trees: ShownValue[] | null) => void} log the trees are the same
 *   values to open; null if they are text alone, or more than the limit
 * @property {(table: {columns: string[], rows: string[][]}, line: number) => void} table
 * @property {() => void} clear
 */

/**
 * How a run ended.
 *
 * @typedef {object} End
 * @property {"finished" | "failed" | "stopped" | "time" | "limit"} outcome
 * @property {number} milliseconds
 * @property {number} requests
 * @property {(Failure & {column?: number}) | null} failure why it failed
 * @property {string} message what to say about it, "" for nothing
 */

/**
 * Answers a request of a program, or throws Refused. The message is a stranger's.
 *
 * @callback Answering
 * @param {unknown} message [method, url, headers, body]
 * @param {Pick<Limits, "body">} limits
 * @param {AbortSignal} signal
 * @returns {Promise<{status: number, statusText: string, headers: [string, string][], body: ArrayBuffer}>}
 */

/**
 * @typedef {object} Place
 * @property {string} folder the URL of the sandbox's files; ends in a slash
 * @property {Answering} answer
 */

/**
 * Throws what a run would refuse code with before it starts.
 *
 * @param {string} code
 * @param {number} [most] characters
 */
export const checkCode = (code, most) => readCode(code, MODULES.map(({ name }) => name), most);

/** @param {Place & {limits?: Partial<Limits>}} place */
export function createSandbox({ folder, answer, limits = {} }) {
  const bounds = { ...LIMITS, ...limits };
  return {
    /**
     * Runs code. The returned run can be stopped at any time.
     *
     * @param {string} code
     * @param {Listener} listener
     */
    run: (code, listener) => new Run(code, listener, { folder, answer }, bounds),
  };
}

class Run {
  /** @type {Promise<End>} */
  ended;
  /** @type {(end: End) => void} */
  #end = () => {};
  #over = false;
  #listener;
  #place;
  #limits;
  /** @type {HTMLIFrameElement | null} */
  #frame = null;
  /** @type {MessagePort[]} */
  #ports = [];
  #aborter = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #waiting = ""; // what to say of a program that only waits, once its time is over
  #started = performance.now();
  #used = { messages: 0, lines: 0, text: 0, requests: 0, pending: 0, bytes: 0, trees: 0 };

  /**
   * @param {string} code
   * @param {Listener} listener
   * @param {Place} place
   * @param {Limits} limits
   */
  constructor(code, listener, place, limits) {
    this.#listener = listener;
    this.#place = place;
    this.#limits = limits;
    this.ended = new Promise((resolve) => (this.#end = resolve));
    this.#start(code).catch((reason) => this.#fail(reason));
  }

  /** Ends the program, whatever it does. */
  stop() {
    this.#finish("stopped", "You stopped the program.");
  }

  /** @param {string} code */
  async #start(code) {
    const read = checkCode(code, this.#limits.code);
    const needed = MODULES.filter(({ name }) => read.imports.includes(name));
    const [frame, runtime, ...scripts] = await Promise.all(["frame.js", "runtime.js", ...needed.map(({ file }) => file)].map((file) => this.#file(file)));
    const program = compose(runtime, needed.map((module, i) => ({ ...module, script: scripts[i] })), read, this.#limits);
    const { page, hash } = await documentOf(frame);
    if (this.#over) {
      return;
    }
    const forbidden = `The sandbox did not start. If the page has a Content-Security-Policy, it needs script-src '${hash}' and worker-src blob:.`;
    this.#timer = setTimeout(() => this.#fail(new Error(forbidden)), BEGIN);
    await this.#open(page, program);
  }

  /** The frame's script runs, and starts the program. */
  #begin() {
    clearTimeout(this.#timer);
    const { time } = this.#limits;
    this.#started = performance.now();
    this.#timer = setTimeout(() => this.#askWhy(`The program was stopped after ${time / 1000} seconds`), time);
  }

  /**
   * Ends a program whose time is over. One that waits says at once whether that has no
   * end; one that computes does not answer.
   *
   * @param {string} stopped
   */
  #askWhy(stopped) {
    this.#waiting = `${stopped}: it waits for a promise, but no request and no timer is open.`;
    this.#timer = setTimeout(() => this.#finish("time", stopped + "."), ANSWER);
    this.#ports[0].postMessage(null);
  }

  /** @param {string} name */
  async #file(name) {
    const response = await fetch(this.#place.folder + name);
    if (!response.ok) {
      throw new Error(`${name} could not be loaded: status ${response.status}.`);
    }
    return response.text();
  }

  /**
   * @param {string} page
   * @param {string} program
   */
  async #open(page, program) {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts"); // and nothing else, above all not allow-same-origin
    frame.setAttribute("allow", "");
    frame.referrerPolicy = "no-referrer";
    frame.title = "Sandbox";
    frame.hidden = true;
    frame.srcdoc = page;
    const loaded = new Promise((resolve) => (frame.onload = resolve));
    this.#frame = frame;
    document.body.append(frame);
    await loaded;
    if (this.#over) {
      return;
    }
    const bridge = new MessageChannel();
    const control = new MessageChannel();
    this.#ports = [bridge.port1, control.port1];
    bridge.port1.onmessage = ({ data }) => this.#receive(data);
    control.port1.onmessage = ({ data }) => (data === null ? this.#begin() : this.#crashed(data));
    // An opaque origin has no name, so the message is for whoever is in the frame: that is our own script.
    frame.contentWindow?.postMessage(program, "*", [bridge.port2, control.port2]);
  }

  /**
   * Takes one message of the program, which may be anything.
   *
   * @param {unknown} data
   */
  #receive(data) {
    if (this.#over) {
      return;
    }
    if (!this.#spend("messages", 1, "sent too many messages") || !this.#spend("bytes", weigh(data, this.#limits.bytes), "sent too many bytes") || !Array.isArray(data)) {
      return;
    }
    const [type, first, second, third, fourth] = data;
    if (type === "fetch" && Number.isSafeInteger(first)) {
      this.#answer(first, second);
    } else if (type === "log" && typeof second === "string") {
      this.#print(second, () => this.#listener.log(first === "warn" || first === "error" ? first : "log", second, lineOf(third), this.#trees(fourth)));
    } else if (type === "table" && typeof first === "string") {
      this.#table(first, lineOf(second));
    } else if (type === "clear") {
      this.#listener.clear();
    } else if (type === "idle" && this.#waiting !== "") {
      this.#finish("time", this.#waiting);
    } else if (type === "finished") {
      this.#finish("finished", "");
    } else if (type === "failed" && typeof first === "string" && first.length < 50_000) {
      this.#failed(failureIn(first));
    }
  }

  /**
   * @param {string} text
   * @param {() => void} show
   */
  #print(text, show) {
    if (this.#spend("text", text.length, "printed too much") && this.#spend("lines", 1, "printed too many lines")) {
      show();
    }
  }

  /**
   * Trees beyond the limit are left out, for the text has the same values.
   *
   * @param {unknown} json
   */
  #trees(json) {
    if (typeof json !== "string" || json === "" || (this.#used.trees += json.length) > 2 * this.#limits.text) {
      return null;
    }
    return treesIn(json);
  }

  /**
   * Each row counts as a line of output.
   *
   * @param {string} json
   * @param {number} line
   */
  #table(json, line) {
    if (this.#spend("text", json.length, "printed too much")) {
      const table = tableOf(json);
      if (this.#spend("lines", 1 + table.rows.length, "printed too many lines")) {
        this.#listener.table(table, line);
      }
    }
  }

  /**
   * Counts what the program uses, and ends it at the limit.
   *
   * @param {"messages" | "bytes" | "lines" | "text" | "requests"} what
   * @param {number} amount
   * @param {string} why
   */
  #spend(what, amount, why) {
    this.#used[what] += amount;
    if (this.#used[what] <= this.#limits[what]) {
      return true;
    }
    this.#finish("limit", `The program was stopped: it ${why} (the limit is ${this.#limits[what].toLocaleString("en")}).`);
    return false;
  }

  /**
   * @param {number} id
   * @param {unknown} message
   */
  async #answer(id, message) {
    const [bridge] = this.#ports;
    this.#used.pending++;
    try {
      if (this.#used.pending > this.#limits.pending) {
        throw new Error(`more than ${this.#limits.pending} requests at the same time.`);
      }
      if (this.#spend("requests", 1, "sent too many requests")) {
        const answer = await this.#place.answer(message, this.#limits, this.#aborter.signal);
        bridge.postMessage([id, answer], [answer.body]);
      }
    } catch (reason) {
      const { name, message } = /** @type {Error} */ (reason);
      bridge.postMessage([id, name === "Refused" ? message : "The request failed: " + message]);
    } finally {
      this.#used.pending--;
    }
  }

  /** @param {{message?: unknown, line?: unknown, column?: unknown}} event of the frame: the program did not start */
  #crashed({ message }) {
    this.#failed({ name: "Error", message: String(message).slice(0, 1000), code: "", status: 0, line: 0 });
  }

  /** @param {unknown} reason */
  #fail(reason) {
    const { message } = /** @type {Error} */ (reason);
    const place = reason instanceof CodeError ? { name: "SyntaxError", line: reason.line, column: reason.column } : { name: "Error", line: 0 };
    this.#failed({ message, code: "", status: 0, ...place });
  }

  /** @param {Failure & {column?: number}} failure */
  #failed(failure) {
    this.#finish("failed", "", failure);
  }

  /**
   * @param {End["outcome"]} outcome
   * @param {string} message
   * @param {(Failure & {column?: number}) | null} [failure]
   */
  #finish(outcome, message, failure = null) {
    if (this.#over) {
      return;
    }
    this.#over = true;
    clearTimeout(this.#timer);
    this.#aborter.abort();
    for (const port of this.#ports) {
      port.onmessage = null;
      port.close();
    }
    this.#frame?.remove(); // ends the worker
    this.#end({ outcome, message, failure, milliseconds: performance.now() - this.#started, requests: this.#used.requests });
  }
}

/**
 * Returns the frame's document, and the hash of its script for the page's policy. Its
 * own policy holds wherever the page has none.
 *
 * @param {string} script
 */
async function documentOf(script) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(script));
  const hash = "sha256-" + btoa(String.fromCharCode(...new Uint8Array(digest)));
  const policy = `default-src 'none'; script-src '${hash}'; worker-src blob:; form-action 'none'; base-uri 'none'`;
  return { page: `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><script>${script}</script>`, hash };
}

/** @param {unknown} line */
const lineOf = (line) => (Number.isSafeInteger(line) ? Math.max(0, /** @type {number} */ (line)) : 0);

const TABLE_ROWS = 200; // as runtime.js sends them
const TABLE_COLUMNS = 31;

/**
 * Returns the part of a table that is shown.
 *
 * @param {string} json
 * @returns {{columns: string[], rows: string[][]}}
 */
export function tableOf(json) {
  const texts = (/** @type {unknown[]} */ cells) => cells.slice(0, TABLE_COLUMNS).map((cell) => (typeof cell === "string" ? cell : ""));
  try {
    const { columns, rows } = JSON.parse(json);
    return { columns: texts(columns), rows: rows.slice(0, TABLE_ROWS).map(texts) };
  } catch {
    return { columns: [], rows: [] };
  }
}

/**
 * @param {string} json
 * @returns {Failure}
 */
export function failureIn(json) {
  const text = (/** @type {unknown} */ value) => (typeof value === "string" ? value : "");
  try {
    const { name, message, code, status, line } = JSON.parse(json);
    return { name: text(name) || "Error", message: text(message), code: text(code), status: lineOf(status), line: lineOf(line) };
  } catch {
    return { name: "Error", message: "", code: "", status: 0, line: 0 }; // not of our runtime
  }
}
