// The store of the page: one for all elements, unless they are given another one.

import { moduleURL } from "../client/module-url.js";
import { start } from "../client/page.js";

/** @typedef {Awaited<ReturnType<typeof start>>} Sandtable */

/** @type {Promise<Sandtable> | null} */
let shared = null;

/** Starts Sandtable once. Only files of the page's own origin can be a service worker. */
function started() {
  const own = new URL(moduleURL()).origin === location.origin;
  shared ??= start({ fallback: own ? true : "worker" }).catch((reason) => {
    shared = null; // so that "Try again" does
    throw reason;
  });
  return shared;
}

/**
 * Returns the store, with the account in it.
 *
 * @param {Sandtable | null} given by the page
 * @param {string} account
 * @returns {Promise<Sandtable>}
 */
export async function storeWith(given, account) {
  const sandtable = given ?? (await started());
  if (!(await sandtable.accounts.list()).some((/** @type {{name: string}} */ { name }) => name === account)) {
    await sandtable.accounts.create(account).catch((/** @type {{status?: number}} */ reason) => {
      if (reason.status !== 409) throw reason; // another element or tab was faster
    });
  }
  return sandtable;
}

/**
 * Empties an account and fills it with the data that the element names.
 *
 * @param {Sandtable} sandtable
 * @param {string} account
 * @param {string | null} data the address of an archive
 */
export async function resetData(sandtable, account, data) {
  await sandtable.reset({ account });
  await fill(sandtable, account, data);
}

/**
 * Loads the data that the element names into an account without tables.
 *
 * @param {Sandtable} sandtable
 * @param {string} account
 * @param {string | null} data
 */
export async function fill(sandtable, account, data) {
  if (data === null) {
    return;
  }
  await navigator.locks.request("sandtable data " + account, async () => {
    const accounts = await sandtable.accounts.list();
    if (accounts.find(({ name }) => name === account)?.tables === 0) {
      await sandtable.load(new URL(data, document.baseURI), { account });
    }
  });
}
