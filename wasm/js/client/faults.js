// Requests that fail on purpose, see "Faults" in docs/control.md.

import { checkedAccount, known, refuseOption, WELL_KNOWN } from "./options.js";

/** @import { Control } from "./control.js" */
/** @import { FaultOptions, FaultState } from "./testing.d.ts" */

const OPTIONS = ["on", "seed", "rules", "keepCounts"];

const RULE = ["on", "operation", "table", "effect", "share", "every", "median", "p99", "entitiesPerSecond", "per", "hits", "until", "seen", "hit"];

export class Faults {
  #control;

  /** @param {Control} control */
  constructor(control) {
    this.#control = control;
  }

  /**
   * @param {string | undefined} account
   * @param {FaultOptions} options
   * @returns {Promise<FaultState>}
   */
  async set(account = WELL_KNOWN, options) {
    const { rules = [], ...rest } = checked(options, OPTIONS);
    if (!Array.isArray(rules)) {
      refuseOption("faults.set", "rules is a list.");
    }
    return this.#json("PUT", "set", account, "", { ...rest, rules: rules.map((rule) => ruleOf(rule)) });
  }

  /** @param {string} [account] */
  get(account = WELL_KNOWN) {
    return this.#json("GET", "get", account);
  }

  /**
   * @param {string | undefined} account
   * @param {boolean} on
   */
  switch(account = WELL_KNOWN, on) {
    return this.#json("PATCH", "switch", account, "", { on });
  }

  /** @param {string} [account] */
  reset(account = WELL_KNOWN) {
    return this.#json("POST", "reset", account, "/reset");
  }

  /** @param {string} [account] */
  async clear(account = WELL_KNOWN) {
    await this.#json("DELETE", "clear", account);
  }

  /**
   * @param {string} verb
   * @param {string} method
   * @param {string} account
   * @param {string} [path]
   * @param {object} [body]
   * @returns {Promise<FaultState>}
   */
  async #json(verb, method, account, path = "", body) {
    return this.#control.json(verb, `accounts/${checkedAccount("faults." + method, account)}/faults${path}`, body);
  }
}

/**
 * Checks names, and that each value has a JSON of its own: NaN and Infinity become
 * null, which the control API refuses without saying what it was.
 *
 * @template {object} T
 * @param {T} options
 * @param {string[]} names
 */
function checked(options, names) {
  for (const [name, value] of Object.entries(known("faults.set", options, names))) {
    if (value === null || (typeof value === "number" && !Number.isFinite(value))) {
      refuseOption("faults.set", `${name} is ${value}.`);
    }
  }
  return /** @type {Partial<T>} */ (options ?? {});
}

/**
 * @param {any} rule
 * @returns {object} as the control API reads it
 */
function ruleOf(rule) {
  const { until, ...rest } = checked(rule, RULE);
  if (until === undefined) {
    return rest;
  }
  const date = new Date(until);
  if (Number.isNaN(date.getTime())) {
    refuseOption("faults.set", `until is not a date: ${until}`);
  }
  return { ...rest, until: date.toISOString() };
}
