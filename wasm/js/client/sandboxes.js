// Programs in a sandbox, as sandtable.createSandbox runs them. The sandbox's files
// are loaded when the first program runs.

import { SandtableError } from "./errors.js";
import { checkedCount, checkedLabel, known, refuseOption } from "./options.js";
import { answering } from "./port-server.js";
import { LIMITS } from "../sandbox/limits.js";

/** @import { SandboxListener, SandboxOptions, SandboxRun } from "./sandbox.d.ts" */
/** @import { Host } from "./client.js" */

/**
 * @param {Host} host
 * @param {SandboxOptions | undefined} options
 * @param {AbortSignal} closing
 */
export function createSandbox(host, options, closing) {
  const { label, limits, ...reach } = known("createSandbox", options, ["accounts", "operations", "label", "limits"]);
  const answer = answering("createSandbox", reach, host.request, label === undefined ? "" : "\nx-sandtable-label:" + checkedLabel("createSandbox", label));
  if (host.explorer === undefined) {
    throw new SandtableError("NoSandbox", "Only pages have sandboxes, and only with a worker of their own version.");
  }
  const folder = new URL("../sandbox/", host.explorer).href; // next to the worker's script
  const bounds = checkedLimits(limits);
  return {
    /**
     * @param {string} code
     * @param {SandboxListener} [listener]
     */
    run: (code, listener = {}) => run(folder, { answer, limits: bounds }, String(code), listener, closing),
  };
}

/** The limits that a page can set. */
export const BOUNDS = Object.keys(LIMITS);

/** The longest that a timer can wait, in milliseconds. */
const LONGEST = 2 ** 31 - 1;

/**
 * @param {Record<string, unknown>} [limits]
 * @returns {Record<string, number>}
 */
function checkedLimits(limits = {}) {
  const entries = Object.entries(known("createSandbox", limits, BOUNDS)).filter(([, limit]) => limit !== undefined);
  const checked = Object.fromEntries(entries.map(([name, limit]) => [name, checkedCount("createSandbox", name, limit)]));
  if (checked.time === 0 || checked.time > LONGEST) {
    refuseOption("createSandbox", `time is between 1 and ${LONGEST} milliseconds.`);
  }
  return checked;
}

/**
 * @param {string} folder
 * @param {{answer: import("../sandbox/host.js").Answering, limits: Record<string, number>}} how
 * @param {string} code
 * @param {SandboxListener} listener
 * @param {AbortSignal} closing
 * @returns {SandboxRun}
 */
function run(folder, how, code, { log, table, clear }, closing) {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  const begin = async () => {
    if (closing.aborted) {
      throw new SandtableError("Closed", "close() was called before.");
    }
    closing.addEventListener("abort", stop);
    try {
      const { createSandbox } = await hostIn(folder);
      const running = createSandbox({ folder, ...how }).run(code, {
        log: (level, text, line, values) => log?.(level, text, line, values),
        table: (content, line) => table?.(content, line),
        clear: () => clear?.(),
      });
      stopping.signal.aborted ? running.stop() : stopping.signal.addEventListener("abort", () => running.stop());
      return await running.ended;
    } finally {
      closing.removeEventListener("abort", stop);
    }
  };
  return { ended: begin(), stop };
}

/**
 * @param {string} folder
 * @returns {Promise<typeof import("../sandbox/host.js")>}
 */
async function hostIn(folder) {
  try {
    return await import(/* @vite-ignore */ /* webpackIgnore: true */ folder + "host.js");
  } catch (reason) {
    throw new SandtableError("NoSandbox", `${folder}host.js cannot be loaded: copy the folder sandbox/ next to the worker's script. ${reason}`, { cause: reason });
  }
}
