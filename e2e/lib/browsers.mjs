// The engines that visitors have. What tests ask of a browser and its pages
// has puppeteer's names in all of them.

import * as chromium from "./browser.mjs";
import * as firefox from "./firefox.mjs";
import * as webkit from "./webkit.mjs";

/**
 * @typedef {object} Engine
 * @property {string} name
 * @property {(profile: string) => Promise<object>} launch starts a browser on a profile's folder
 * @property {(page: object) => Promise<void>} stopWorkers ends the service worker of a page, as the browser does
 *   with idle ones; the page may be loaded again on the way
 */

/** @type {Engine[]} */
export const engines = [
  { name: "Chromium", ...chromium },
  { name: "Firefox", ...firefox },
  { name: "WebKit", ...webkit },
];
