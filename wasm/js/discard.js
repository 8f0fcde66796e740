// The reset of a store that no engine can open, or that is too full for the engine's own.

import { broken, busy, messageOf } from "./answers.js";

/** @import { Answer, Body } from "./answers.js" */
/** @import { Failure } from "./engine.js" */
/** @import { Ownership } from "./ownership.js" */

/**
 * Answers a reset when no engine runs. The only option then is to delete the whole
 * store, so the request must ask for exactly that, or for it unless the store opens. And
 * the store must be what keeps the engine from starting: a program that could not be
 * loaded does not mean that the data is bad.
 *
 * @param {Failure} failure why no engine runs
 * @param {string} query of the request
 * @param {() => Body | Promise<Body>} body of the request
 * @param {string} database
 * @param {Ownership} ownership of it
 * @returns {Promise<Answer>}
 */
export async function resetUnopened(failure, query, body, database, ownership) {
  let requested;
  try {
    requested = await body();
  } catch (error) {
    return broken(messageOf(error)); // such as a body whose page is gone
  }
  const unreadable = failure.reason === "format" || failure.reason === "database";
  if (!unreadable || query !== "" || !["all", "unopened"].includes(resets(requested))) {
    return busy(failure.message, failure);
  }
  return deleteStore(database, ownership);
}

/**
 * Answers a reset that the engine has refused: a full store can be too full even for the
 * record that deletes everything.
 *
 * @param {Answer} refusal the engine's
 * @param {string} query of the request
 * @param {Body} body of the request
 * @param {string} database
 * @param {Ownership} ownership of it
 * @param {() => Promise<void>} release makes the engine release the store
 * @returns {Promise<Answer>}
 */
export async function resetFull(refusal, query, body, database, ownership, release) {
  if (refusal.status !== 507 || query !== "" || resets(body) !== "all") {
    return refusal;
  }
  return deleteStore(database, ownership, release);
}

/**
 * @param {string} database
 * @param {Ownership} ownership of it
 * @param {() => Promise<void>} [close] makes this worker's engine release the store
 * @returns {Promise<Answer>}
 */
async function deleteStore(database, ownership, close = async () => {}) {
  let release = () => {};
  try {
    // The lock is requested before the engine, which the next request restarts, can do so.
    [release] = await Promise.all([ownership.acquire(), close()]);
    await deleteDatabase(database);
    return { status: 204, head: "", body: null }; // the next start creates another store
  } catch (reason) {
    const { message, reason: why = "database" } = /** @type {Failure} */ (reason);
    return busy(message, { reason: why });
  } finally {
    release();
  }
}

/**
 * What a request resets: "" if it is nothing else than that, or no such request.
 *
 * @param {Body} body
 * @returns {string}
 */
function resets(body) {
  try {
    const { what, ...more } = JSON.parse(new TextDecoder().decode(body ?? new Uint8Array()));
    return Object.keys(more).length === 0 && typeof what === "string" ? what : "";
  } catch {
    return ""; // the engine would refuse it too
  }
}

/**
 * Deletes a database, but does not wait for pages that hold it open.
 *
 * @param {string} name
 * @returns {Promise<void>}
 */
function deleteDatabase(name) {
  const request = indexedDB.deleteDatabase(name);
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve();
    request.onerror = () => reject(new Error(`The browser could not delete the store: ${request.error?.message.replace(/\.*$/, ".")} Delete this site's data in the browser's settings.`));
    request.onblocked = () => reject(new Error("Another page of this site holds the store. It is deleted when that page is closed."));
  });
}
