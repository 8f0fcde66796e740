// Seeds an empty store from one page at a time.

/**
 * Does the work in one page at a time; repeats it if a page started it and was closed
 * before the end.
 *
 * @param {string} scope of the store
 * @param {(begun: boolean, begin: () => void) => Promise<void>} work
 */
export async function seeding(scope, work) {
  const key = "sandtable seeding " + scope;
  await navigator.locks.request(key, async () => {
    await work(recalled("localStorage", key) !== null, () => remember("localStorage", key, "begun"));
    remember("localStorage", key, null);
  });
}

/**
 * @param {"localStorage" | "sessionStorage"} storage
 * @param {string} key
 */
export function recalled(storage, key) {
  try {
    return globalThis[storage].getItem(key);
  } catch {
    return null; // switched off
  }
}

/**
 * @param {"localStorage" | "sessionStorage"} storage
 * @param {string} key
 * @param {string | null} value
 */
export function remember(storage, key, value) {
  try {
    value === null ? globalThis[storage].removeItem(key) : globalThis[storage].setItem(key, value);
  } catch {
    // Switched off, or full.
  }
}
