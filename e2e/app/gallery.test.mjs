// The gallery: parts of pages without an endpoint or a session behind them. No
// button in it may end the page's program.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const here = visit();

test("every button of the gallery can be pressed", async () => {
  await here.page.goto(new URL("gallery", here.app.url).href, { waitUntil: "domcontentloaded" });
  await here.page.waitForFunction(() => document.querySelectorAll(".gallery section").length > 20);
  const logged = [];
  here.page.on("console", (message) => logged.push(message.text()));
  here.page.problems.length = 0;
  const pressed = await here.page.evaluate(async () => {
    let count = 0;
    for (let i = 0; ; i++) {
      const button = document.querySelectorAll(".gallery button, .gallery summary")[i]; // those that appear, too
      if (button === undefined || i > 2000) {
        return count;
      }
      if (button.checkVisibility() && !button.disabled && button.type !== "submit") {
        button.click();
        count++;
        await new Promise(requestAnimationFrame);
      }
    }
  });
  assert.ok(pressed > 100, `${pressed} buttons`);
  // The program answers still: a message of a panic would be in the console.
  await here.page.goto(here.app.url);
  assert.deepEqual(logged.filter((text) => /panic|exited/i.test(text)), []);
  assert.deepEqual(here.page.problems, []);
});
