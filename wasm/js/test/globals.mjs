// The modules use what a worker or a page has as globals. Tests set them.

/**
 * Makes values the global variables of these names, until they are set again.
 *
 * @param {Record<string, unknown>} values
 */
export function setGlobals(values) {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
}
