// The events that all hosts of a page report.

/** @import { Connection, Watched } from "./connection.js" */
/** @import { Health } from "./health.js" */
/** @import { Events } from "./sandtable.d.ts" */

/** @typedef {(name: keyof Events | "lost", detail?: any) => void} Notify */

/**
 * Makes a worker report the events that have listeners.
 *
 * @param {(keyof Events | "values")[]} names
 * @param {Notify} notify
 * @param {{connection: Connection, scope: string, health: Health}} page
 */
export function watch(names, notify, { connection, scope, health }) {
  /** @type {Watched[]} */
  const wanted = names.filter((name) => name === "change" || name === "request" || name === "values");
  health.notify = notify;
  connection.watch(scope, watchesProblems(names) ? [...wanted, "state"] : wanted, (name, detail) => {
    if (name === "state") {
      health.update(detail);
    } else {
      notify(/** @type {keyof Events | "lost"} */ (name), detail);
    }
  });
}

/**
 * Whether there are listeners for problems.
 *
 * @param {(keyof Events | "values")[]} names
 */
export function watchesProblems(names) {
  return names.includes("error") || names.includes("recovered");
}

/**
 * The current problems that an event of this name would report.
 *
 * @param {keyof Events} name
 * @param {Health} health
 */
export function currentProblems(name, health) {
  return name === "error" ? health.problems : [];
}
