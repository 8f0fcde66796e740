// The browser engines under test. All of them offer puppeteer's method names, as
// far as the tests use them.

import * as chromium from "./browser.mjs";
import * as firefox from "./firefox.mjs";
import { describe } from "./test.mjs";
import * as webkit from "./webkit.mjs";

/**
 * @typedef {object} Engine
 * @property {string} name
 * @property {(profile: string) => Promise<object>} launch starts a browser on a profile's folder
 * @property {(page: object) => Promise<void>} stopWorkers ends the service worker of a page, as the browser does
 *   with idle ones; this may reload the page
 */

/** @type {Engine[]} */
export const engines = [
  { name: "Chromium", ...chromium },
  { name: "Firefox", ...firefox },
  { name: "WebKit", ...webkit },
];

/** Returns all engines, or those that BROWSERS names, such as "Firefox,WebKit". */
export function chosenEngines() {
  const known = engines.map(({ name }) => name);
  const names = process.env.BROWSERS?.split(",") ?? known;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`BROWSERS: there is no ${unknown}, only ${known.join(", ")}`);
  return engines.filter(({ name }) => names.includes(name));
}

/**
 * Runs a suite in each chosen browser.
 *
 * @param {(engine: Engine) => void} suite
 */
export function inBrowsers(suite) {
  for (const engine of chosenEngines()) {
    describe(engine.name, () => suite(engine));
  }
}
