// Starting in Node.js: the engine runs in this process, and requests reach it by
// a function call. There is no port.

import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { loadGo } from "wasm_exec";
import { addressed } from "../address.js";
import { Program, StartError } from "../program.js";
import { watched } from "../protocol.js";
import { abortableAnswer } from "./abortable.js";
import { Sandtable } from "./client.js";
import { SandtableError, errorOf } from "./errors.js";
import { checkedStore, known, refuseOption } from "./options.js";
import { patchFetch } from "./patched-fetch.js";

/** @typedef {import("./node.js").NodeOptions} NodeOptions */
/** @import { Host } from "./client.js" */

export { describeError, formatError } from "../service-error.js";
export { SandtableError };

/** The version of the build that this file is of. */
export const version = VERSION;

const OPTIONS = ["folder", "accounts", "durability", "seed", "patchFetch"];

// The scope of the engine's own URLs, which no server has.
const SCOPE = "http://sandtable.invalid/";

/** @param {NodeOptions} [options] */
export async function start(options) {
  return (await startServed(options)).sandtable;
}

/**
 * Is start for "sandtable serve", whose requests reach the engine as they came, at any
 * address.
 *
 * @param {NodeOptions} [options]
 * @returns {Promise<{sandtable: Sandtable, serve: Program["serve"]}>}
 */
export async function startServed(options) {
  const { folder = "", patchFetch: patch = false, ...store } = known("start", options, OPTIONS);
  if (typeof folder !== "string" && !(folder instanceof URL && folder.protocol === "file:")) {
    refuseOption("start", "folder is the path or the file: URL of a folder; without it everything is in memory.");
  }
  if (typeof patch !== "boolean") {
    refuseOption("start", "patchFetch is true or false.");
  }
  const { accounts, durability, seed } = checkedStore(store);
  const { host, serve } = await programHost(folder instanceof URL ? fileURLToPath(folder) : folder, durability, patch);
  const sandtable = new Sandtable(host);
  try {
    await sandtable.prepare({ accounts, seed });
  } catch (reason) {
    await sandtable.close();
    throw reason;
  }
  return { sandtable, serve };
}

/** @type {Promise<WebAssembly.Module> | null} kept once it is compiled: tests start many services */
let compiled = null;

/** @typedef {{notify: (name: any, detail?: any) => void, problems: SandtableError[]}} Listener */

const compile = async () => WebAssembly.compile(await fs.promises.readFile(new URL(PROGRAM, import.meta.url)));

/**
 * @param {string} folder "" is memory
 * @param {string | undefined} durability
 * @param {boolean} patch
 */
async function programHost(folder, durability, patch) {
  let owner = ""; // the file that names the folder's owner
  const release = async () => {
    if (owner !== "") await fs.promises.rm(owner, { force: true });
  };
  try {
    compiled ??= compile().catch((reason) => {
      compiled = null; // the next start tries again
      throw reason;
    });
    const global = isolated();
    const go = new (loadGo(global))();
    go.exit = () => {}; // it would print its status; the error is more specific
    const instance = await WebAssembly.instantiate(await compiled, go.importObject);
    /** @type {Listener} */
    const listener = { notify: () => {}, problems: [] };
    const settings = {
      build: version,
      site: "",
      store: "",
      folder,
      durability,
      event: (/** @type {string} */ kind, /** @type {string} */ detail) => listener.notify(kind, JSON.parse(detail)),
      owns: (/** @type {string} */ path) => (owner = path),
    };
    const program = await Program.start(go, instance, settings, global);
    program.ended.then(() => program.closing || reportCrash(listener));
    const host = hostOf(program, program.ended.then(release), listener, patch);
    return { host, serve: program.serve.bind(program) };
  } catch (reason) {
    await release();
    const error = errorOf(reason);
    if (error instanceof StartError && error.reason === "inUse") {
      throw new SandtableError("InUse", error.message, { cause: reason });
    }
    throw new SandtableError("NotConnected", `The engine cannot be started. ${error.message}`, { cause: reason });
  }
}

/**
 * Reports that the engine has crashed, also to later listeners.
 *
 * @param {Listener} listener
 */
function reportCrash(listener) {
  const error = new SandtableError("EngineCrashed", "The engine crashed: close this service and start another. What was acknowledged in a folder is kept.");
  listener.problems.push(error);
  listener.notify("error", error);
}

/**
 * @param {Program} program
 * @param {Promise<void>} released fulfilled when it has ended and its folder is free
 * @param {Listener} listener
 * @param {boolean} patch
 * @returns {Host}
 */
function hostOf(program, released, listener, patch) {
  let closed = false;
  /** @type {Host["request"]} */
  const request = async (head, body, signal) => {
    if (closed) {
      throw new SandtableError("Closed", "This service was closed: start another one.");
    }
    const url = head.slice(head.indexOf(" ") + 1).split("\n", 1)[0];
    return abortableAnswer(async () => (addressed(url, SCOPE) === null ? null : program.serve(head, body)), signal);
  };
  const unpatch = patch ? patchFetch((url) => addressed(url, SCOPE) !== null, request, () => undefined) : () => {};
  return {
    base: SCOPE + "_sandtable/",
    request,
    cutCode: "ECONNRESET", // which the SDK retries, unlike a failed fetch
    watch(names, notify) {
      listener.notify = notify;
      program.watch(watched(names));
    },
    current: (name) => (name === "error" ? listener.problems : []),
    describe: () => ({ mode: "node", client: version, worker: version, lost: [] }),
    seeding: (work) => work(false, () => {}), // no other process uses this store
    async close() {
      closed = true;
      unpatch();
      await program.close();
      await released;
    },
  };
}

/**
 * Returns a global object for Go's loader and the program, through which Go finds
 * Node's file system without changes to this process's globals.
 *
 * @returns {typeof globalThis}
 */
function isolated() {
  /** @type {Record<PropertyKey, unknown>} */
  const own = { fs };
  return new Proxy(globalThis, {
    get: (all, name) => (name in own ? own[name] : Reflect.get(all, name)),
    set: (_, name, value) => {
      own[name] = value;
      return true;
    },
    deleteProperty: (_, name) => delete own[name],
  });
}
