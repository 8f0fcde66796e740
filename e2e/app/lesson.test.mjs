// The lessons as a learner takes them: a wrong answer gets its hint, the right
// one passes, and progress stays.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { byHand } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const here = visit(async ({ page }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await click("entry-playground");
  await click("lessons");
  await page.waitForSelector(hook("checks"), { visible: true });
});
const { hook, click, shows } = byHand(() => here.page);

const text = (name) => here.page.evaluate((selector) => document.querySelector(selector)?.textContent ?? "", hook(name));

async function write(code) {
  await here.page.evaluate((selector, code) => {
    const field = document.querySelector(selector);
    field.focus();
    field.select();
    document.execCommand("insertText", false, code);
  }, hook("code"), code);
}

const lessons = [
  ["Lesson 1 of 3", "does not create its table"],
  ["Lesson 2 of 3", "ordinary properties"],
  ["Lesson 3 of 3", "a third argument"],
];

test("each lesson's first code gets its hint, and its answer passes", async () => {
  for (const [i, [place, hint]] of lessons.entries()) {
    await shows("lesson-place", place);
    await click("run");
    await here.page.waitForSelector(hook("hint"), { visible: true });
    assert.match(await text("hint"), new RegExp(hint));
    await click("answer");
    await here.page.waitForFunction((selector) => !document.querySelector(selector).disabled, {}, hook("run"));
    await click("run");
    await here.page.waitForSelector(hook("lesson-done"), { visible: true });
    await shows("lesson-place", `${i + 1} done`);
    if (i < lessons.length - 1) {
      await click("lesson-next");
    }
  }
  assert.deepEqual(here.page.problems, []);
});

test("progress and code survive a reload", async () => {
  await write("// mine");
  await here.page.waitForFunction(() => localStorage.getItem("sandtable lessons").includes("// mine"));
  await here.page.reload();
  await shows("lesson-place", "3 done");
  await here.page.waitForSelector(hook("lesson-done"), { visible: true });
  assert.equal(await here.page.evaluate((selector) => document.querySelector(selector).value, hook("code")), "// mine");
});

test("at 360 px nothing is wider than the screen", async () => {
  await here.page.setViewport({ width: 360, height: 740 });
  // The list of tables slides away, and a click hits what is on top.
  await here.page.waitForFunction((selector) => {
    const button = document.querySelector(selector);
    const { x, y, width, height } = button.getBoundingClientRect();
    return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  }, {}, hook("run"));
  assert.ok(await here.page.evaluate(() => document.documentElement.scrollWidth <= 360));
  await click("run");
  await here.page.waitForSelector(hook("hint"), { visible: true });
});
