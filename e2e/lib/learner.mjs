// Takes a lesson by hand, on the page.

import { codeEditor } from "./editor.mjs";
import { byHand } from "./page.mjs";

/**
 * @param {() => object} page the page of the app
 * @param {() => string} base the app's URL
 */
export function learner(page, base) {
  const { hook, click, shows } = byHand(page);
  const all = (name) => page().evaluate((selector) => [...document.querySelectorAll(selector)].map(({ textContent }) => textContent), hook(name));
  return {
    hook,
    click,
    shows,
    all,

    /** Opens a lesson by its name. */
    async open(name) {
      await page().goto(new URL("?page=playground&lesson=" + name, base()).href, { waitUntil: "domcontentloaded" });
      await page().waitForSelector(hook("checks"), { visible: true });
    },

    editor: codeEditor(page),

    /** Runs and waits until the checks are there. */
    async run() {
      await page().waitForFunction((selector) => document.querySelector(selector)?.disabled === false, {}, hook("run"));
      const before = await page().evaluate((selector) => document.querySelector(selector).dataset.checked, hook("checks"));
      await click("run");
      await page().waitForFunction((selector, before) => document.querySelector(selector).dataset.checked !== before, {}, hook("checks"), before);
    },

    passed: () => page().evaluate((selector) => document.querySelector(selector)?.checkVisibility() ?? false, hook("step-done")),
    hints: () => all("hint"),

    /** What the page shows, for messages. */
    report: () => page().evaluate((...selectors) => selectors.map((selector) => document.querySelector(selector)?.textContent).join(" | "), hook("checks"), hook("failure"), hook("run-summary")),
  };
}
