// Accessibility problems, as axe-core finds them.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Returns the serious and critical violations on a page, a line each.
 *
 * @param {string[]} rules to check, by their names; all, if none is given
 */
export async function violations(page, ...rules) {
  if (!(await page.evaluate(() => "axe" in globalThis))) {
    await page.evaluate(`(() => {${axe}\n})()`);
  }
  return page.evaluate(async (rules) => {
    await Promise.all(document.getAnimations().filter((a) => a.effect.getTiming().iterations !== Infinity).map((a) => a.finished.catch(() => {})));
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"], ...(rules.length > 0 && { runOnly: rules }) });
    return violations.filter((v) => ["serious", "critical"].includes(v.impact))
      .flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")}: ${n.failureSummary.replaceAll("\n", " ")} ${n.html.slice(0, 120)}`));
  }, rules);
}
