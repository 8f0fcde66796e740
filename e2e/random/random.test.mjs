// The page used at random, while another program writes: clicks, keys, texts, sizes, stopped
// workers. "make test-long" runs it. STEPS is how often something is done in each browser
// (300); SEED repeats a run as far as timing allows.

import { strict as assert } from "node:assert";
import { setTimeout as delay } from "node:timers/promises";
import { inBrowsers } from "../lib/browsers.mjs";
import { byHand } from "../lib/page.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";
import { act, randomly, write } from "./actions.mjs";
import { barriers, faults } from "./checks.mjs";

const steps = Number(process.env.STEPS ?? 300);
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

// A step may end with the page that it began on, or find its element replaced.
const overtaken = /Execution context|detached|navigat|Cannot find context|Session closed|not clickable|stale element|element not interactable|click intercepted|no such element|No element found|DiscardedBrowsingContext|Node is/i;

const patience = 60_000; // ms for one step

inBrowsers((engine) => {
  const here = visit(async (here) => {
    const { click, shows } = byHand(() => here.page);
    await click("load-sample");
    await shows("table-item", "18,204");
  }, engine);

  test(`${steps} random steps, SEED=${seed}`, { timeout: Infinity }, async () => {
    const { page, app } = here;
    const random = randomly(seed);
    const trail = [];
    const found = new Map();
    let address = "";
    const note = (what) => found.has(what) || found.set(what, `${what}\n  after ${trail.slice(-8).join(" | ")}\n  at ${address}`);
    // WebKit's driver answers questions itself, and does not slow down a page behind another one.
    if (engine.name !== "WebKit") {
      page.on("dialog", (dialog) => dialog.accept().catch(() => {}));
      page.on("popup", (opened) => opened.close().catch(() => {}));
    }

    /** Goes one step, or back to the app if the one before led away. */
    async function go(step) {
      address = await page.url();
      if (!address.startsWith(app.url)) {
        return page.goto(app.url, { waitUntil: "domcontentloaded" });
      }
      for (const status of await write(page, random)) {
        note(`a request got ${status}`);
      }
      await act(page, engine, random, trail);
      address = await page.url();
      if (!address.startsWith(app.url)) return;
      (await faults(page)).forEach(note);
      if (step % 12 === 0) (await barriers(page)).forEach(note);
    }

    for (let step = 1; step <= steps; step++) {
      const timer = new AbortController();
      try {
        await Promise.race([go(step), delay(patience, null, { signal: timer.signal }).then(() => Promise.reject(new Error("a step hangs")))]);
      } catch (error) {
        if (!overtaken.test(String(error))) note(String(error.stack));
      }
      timer.abort();
      page.problems.splice(0).forEach(note);
    }
    assert.equal([...found.values()].join("\n"), "");
  });
});
