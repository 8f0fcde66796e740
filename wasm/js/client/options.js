// Checks options. A misspelled name is an error, because ignoring it would not do
// what its author meant.

import { SandtableError } from "./errors.js";

/** @import { Access, ArchiveSource, Durability } from "./sandtable.d.ts" */

/** The account that every store has. */
export const WELL_KNOWN = "devstoreaccount1";

const ACCOUNT = /^[a-z0-9]{3,24}$/;

/** The operations of the service. */
export const OPERATIONS = [
  "Query Tables", "Create Table", "Get Table", "Delete Table", "Query Entities", "Get Entity", "Insert Entity", "Update Entity", "Insert Or Replace Entity",
  "Merge Entity", "Insert Or Merge Entity", "Delete Entity", "Get Table ACL", "Set Table ACL", "Get Table Service Properties",
  "Set Table Service Properties", "Get Table Service Stats", "Entity Group Transaction",
];

/** The options of sasUrl. */
export const SAS_OPTIONS = [
  "table", "permissions", "expiresOn", "startsOn", "protocol", "ip", "key", "resourceTypes", "policy",
  "startPartitionKey", "startRowKey", "endPartitionKey", "endRowKey",
];

/**
 * @param {string} method whose option it is
 * @param {string} why
 * @returns {never}
 */
export function refuseOption(method, why) {
  throw new SandtableError("InvalidOption", `${method}(): ${why}`);
}

/**
 * Checks the names of options, and returns the options.
 *
 * @template {object} T
 * @param {string} method
 * @param {T | undefined} options
 * @param {string[]} names the valid names
 * @returns {Partial<T>}
 */
export function known(method, options, names) {
  if (options !== undefined && (typeof options !== "object" || options === null || Array.isArray(options))) {
    refuseOption(method, "the options are an object.");
  }
  for (const name of Object.keys(options ?? {})) {
    if (!names.includes(name)) {
      refuseOption(method, `there is no option ${JSON.stringify(name)}${names.length === 0 ? "" : ", but " + names.join(", ")}.`);
    }
  }
  return options ?? {};
}

/**
 * Checks the name of an account, and returns it.
 *
 * @template {unknown} T
 * @param {string} method
 * @param {T} name
 * @returns {T & string}
 */
export function checkedAccount(method, name) {
  if (typeof name !== "string" || !ACCOUNT.test(name)) {
    refuseOption(method, `${JSON.stringify(name)} is not an account's name: 3 to 24 lower-case letters and digits.`);
  }
  return name;
}

/**
 * Checks a whole number that is not negative, and returns it.
 *
 * @param {string} method
 * @param {string} name
 * @param {unknown} value
 */
export function checkedCount(method, name, value) {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
    refuseOption(method, `${name} is a whole number, and not negative.`);
  }
  return value;
}

/**
 * Checks the label of requests, and returns it.
 *
 * @param {string} method
 * @param {unknown} label
 */
export function checkedLabel(method, label) {
  if (typeof label !== "string" || !/^[ -~]{1,64}$/.test(label)) {
    refuseOption(method, "a label has 1 to 64 letters, digits, spaces and signs of ASCII.");
  }
  return label;
}

/**
 * @param {string} method
 * @param {unknown} access
 * @returns {asserts access is Access | undefined}
 */
export function checkAccess(method, access) {
  if (access !== undefined && access !== "open" && access !== "strict") {
    refuseOption(method, 'access is "open" or "strict".');
  }
}

/**
 * Checks a worker's scope, and returns it. Browsers allow scopes without a final slash,
 * but the control API and the tables are at paths below it.
 *
 * @param {string} scope
 */
export function checkedScope(scope) {
  if (!scope.endsWith("/")) {
    refuseOption("start", `a scope ends in a slash: ${scope} does not.`);
  }
  return scope;
}

/**
 * Checks the options that define the content of the store.
 *
 * @param {object} options
 * @param {ReadonlyArray<string | {name: string, access?: Access}>} [options.accounts]
 * @param {Durability} [options.durability]
 * @param {ArchiveSource | ((sandtable: any) => void | Promise<void>)} [options.seed]
 */
export function checkedStore({ accounts = [], durability, seed }) {
  if (durability !== undefined && durability !== "relaxed" && durability !== "strict") {
    refuseOption("start", 'durability is "relaxed" or "strict".');
  }
  if (!Array.isArray(accounts) || accounts.some((account) => typeof account !== "string" && (typeof account !== "object" || account === null))) {
    refuseOption("start", "accounts is a list of names, or of { name, access }.");
  }
  if (seed !== undefined && typeof seed !== "string" && typeof seed !== "function" && ![URL, Blob, ReadableStream].some((type) => seed instanceof type)) {
    refuseOption("start", "seed is an archive, as its address or itself, or a function.");
  }
  /** @type {{name: string, access?: Access}[]} */
  const wanted = accounts.map((account) => {
    const { name, access } = typeof account === "string" ? { name: account, access: undefined } : known("start", account, ["name", "access"]);
    checkAccess("start", access);
    return { name: checkedAccount("start", name), access };
  });
  if (!wanted.some(({ name }) => name === WELL_KNOWN)) {
    wanted.push({ name: WELL_KNOWN }); // it may have been deleted
  }
  return { accounts: wanted, durability, seed };
}

/**
 * Returns a date as the control API reads it.
 *
 * @param {string} method
 * @param {string} name
 * @param {unknown} value
 */
export function dateText(method, name, value) {
  const date = new Date(/** @type {any} */ (value ?? NaN)); // null would be 1970
  if (Number.isNaN(date.getTime())) {
    refuseOption(method, `${name} is not a date: ${String(value)}`);
  }
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}

/**
 * @param {string} method
 * @param {string | {id: string}} snapshot
 */
export function idOf(method, snapshot) {
  const id = typeof snapshot === "string" ? snapshot : snapshot?.id;
  if (typeof id !== "string" || id === "") {
    refuseOption(method, "a snapshot, or its id, is missing.");
  }
  return id;
}
