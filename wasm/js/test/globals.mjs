// Sets the globals of workers and pages that the modules use.

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
