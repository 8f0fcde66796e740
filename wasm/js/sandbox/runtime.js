// The first part of every sandboxed program: a console and a fetch that go
// through the page's port, and the end of the run. It is for well-meaning code.
// What keeps other code in is the frame's origin, its policy and the page.

import { lineOfCall, noteCalls } from "./calls.js";
import { failureOf } from "./failure.js";
import { formatAll, formatTable } from "./format.js";
import { limitedSender } from "./limits.js";
import { PortRequests } from "./port-requests.js";
import { treesOf } from "./tree.js";

/** @type {ReturnType<typeof limitedSender>} */
let post;
const timers = new Set();
let firstLine = 0; // of the code, in this script
let settled = () => {}; // called when a request or a timer ends

/** @type {any} */ (Error).stackTraceLimit = 100; // the SDK's own frames are many

// What a worker has apart from the bridge could reach nothing: the policy forbids
// connections, and an opaque origin has no storage. Without the names, code that
// tries gets a plain error.
for (const name of ["XMLHttpRequest", "WebSocket", "WebSocketStream", "WebTransport", "EventSource", "importScripts", "Worker", "SharedWorker", "BroadcastChannel", "indexedDB", "caches"]) {
  for (let object = /** @type {any} */ (self); object !== null; object = Object.getPrototypeOf(object)) {
    delete object[name];
  }
}

// --- The console.

/**
 * The line of the code that a stack leads to; 0 if none does.
 *
 * @param {string} stack
 */
function lineOf(stack) {
  for (const [, line] of stack.matchAll(/blob:[^\s)]*?:(\d+):\d+/g)) {
    if (Number(line) >= firstLine) {
      return Number(line) - firstLine + 1;
    }
  }
  return 0;
}

/** @param {string} level */
const log = (level) => (/** @type {unknown[]} */ ...values) => {
  const trees = treesOf(values);
  post(["log", level, formatAll(values), lineOf(new Error().stack ?? ""), trees === null ? "" : JSON.stringify(trees)]);
};

/** @type {Map<string, number>} */
const clocks = new Map();
/** @type {Map<string, number>} */
const counts = new Map();
const print = log("log");
const elapsed = (/** @type {string} */ label) => `${label}: ${(performance.now() - (clocks.get(label) ?? performance.now())).toFixed(1)} ms`;
const own = {
  log: print,
  info: print,
  debug: print,
  dir: print,
  group: print,
  groupCollapsed: print,
  groupEnd() {},
  trace: print,
  warn: log("warn"),
  error: log("error"),
  assert: (/** @type {unknown} */ holds, /** @type {unknown[]} */ ...values) => holds || own.error("Assertion failed:", ...values),
  clear: () => post(["clear"]),
  count(label = "default") {
    counts.set(label, (counts.get(label) ?? 0) + 1);
    print(`${label}: ${counts.get(label)}`);
  },
  time: (label = "default") => void clocks.set(label, performance.now()),
  timeEnd: (label = "default") => print(elapsed(label)),
  timeLog: (label = "default", /** @type {unknown[]} */ ...values) => print(elapsed(label), ...values),
  /**
   * @param {unknown} rows
   * @param {unknown} [columns]
   */
  table(rows, columns) {
    const table = formatTable(rows, columns);
    if (table === null) {
      print(rows);
    } else {
      post(["table", JSON.stringify(table), lineOf(new Error().stack ?? "")]);
    }
  },
};
Object.defineProperty(self, "console", { value: own, writable: true, configurable: true });

// Browsers offer it in secure contexts only, and the sandbox's opaque origin is not one.
if (crypto.randomUUID === undefined) {
  Object.defineProperty(crypto, "randomUUID", {
    configurable: true,
    writable: true,
    value() {
      const bytes = crypto.getRandomValues(new Uint8Array(16));
      bytes[6] = (bytes[6] & 0x0f) | 0x40; // version 4: random
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    },
  });
}

// --- Requests.

const setTimer = self.setTimeout.bind(self); // not one that the program's end waits for
const requests = new PortRequests((message, transfer) => post(message, transfer), () => settled());

/** @param {any} message an answer, or null: the time is over, and the page asks what the program does */
function receive(message) {
  if (message === null) {
    if (isIdle()) post(["idle"]);
    return;
  }
  requests.receive(message);
  setTimer(settled, 0); // what waits for this answer continues first
}

// Reading a body takes a while when the machine is busy: the program is not at its end.
let reading = 0;
for (const name of /** @type {const} */ (["arrayBuffer", "blob", "json", "text"])) {
  /** @type {() => Promise<any>} */
  const read = Response.prototype[name];
  Response.prototype[name] = function () {
    reading++;
    return read.call(this).finally(() => {
      reading--;
      setTimer(settled, 0);
    });
  };
}

// --- Timers: a program lasts as long as one of them is open.

for (const [start, stop, once] of /** @type {const} */ ([["setTimeout", "clearTimeout", true], ["setInterval", "clearInterval", false]])) {
  const [set, clear] = [self[start].bind(self), self[stop].bind(self)];
  const scope = /** @type {any} */ (self);
  scope[start] = (/** @type {unknown} */ f, /** @type {number} */ delay, /** @type {unknown[]} */ ...values) => {
    if (typeof f !== "function") {
      throw new TypeError(`${start} needs a function.`);
    }
    const id = set(() => {
      if (once) {
        timers.delete(id);
        setTimer(settled, 0);
      }
      f(...values);
    }, delay);
    timers.add(id);
    return id;
  };
  scope[stop] = (/** @type {number} */ id) => {
    clear(id);
    timers.delete(id);
    setTimer(settled, 0);
  };
}

/** Whether no request and no timer is open. */
const isIdle = () => requests.size === 0 && reading === 0 && timers.size === 0;

/** Waits until the program is idle, as Node.js does before it exits. */
async function quiet() {
  for (;;) {
    await new Promise((resolve) => setTimer(resolve, 5)); // code may wait for what is neither
    if (isIdle()) {
      return;
    }
    await new Promise((resolve) => (settled = () => resolve(undefined)));
  }
}

// --- The run.

/** @param {unknown} reason */
const fail = (reason) => post(["failed", JSON.stringify(failureOf(reason, (stack) => lineOf(stack) || lineOfCall(reason)))]);

/**
 * Returns what an import names.
 *
 * @param {Record<string, any>} modules
 * @param {string} module
 * @param {string} name
 */
function imported(modules, module, name) {
  if (!(name in modules[module])) {
    throw new SyntaxError(`${module} has no export called ${name}.`);
  }
  return modules[module][name];
}

/**
 * @param {Record<string, object>} modules what the code may import
 * @param {number} line of the code, in this script
 * @param {Parameters<typeof limitedSender>[1]} limits of what it sends
 * @param {(modules: object, imported: Function) => Promise<void>} code
 */
function sandboxRun(modules, line, limits, code) {
  firstLine = line;
  for (const [name, value] of Object.values(modules).flatMap((module) => Object.entries(module))) {
    if (name.endsWith("Client")) {
      noteCalls(value, lineOf);
    }
  }
  delete (/** @type {any} */ (self).sandboxRun);
  self.onmessage = async ({ ports }) => {
    self.onmessage = null;
    const [port] = ports;
    post = limitedSender(port, limits);
    port.onmessage = ({ data }) => receive(data);
    self.addEventListener("error", (event) => (event.preventDefault(), fail(event.error)));
    self.addEventListener("unhandledrejection", (event) => (event.preventDefault(), fail(event.reason)));
    try {
      await code(modules, imported);
      await quiet();
      post(["finished"]);
    } catch (reason) {
      fail(reason);
    }
  };
}

Object.assign(self, { fetch: requests.fetch.bind(requests), sandboxRun });
