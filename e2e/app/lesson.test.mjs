// The lessons as a learner takes them: each step's first code does not pass, each
// wrong answer gets its hint, and each solution and other right answer passes. All of it runs through
// the page, against the real worker and the real SDK, in Chromium or in the first browser
// that BROWSERS names.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { chosenEngines } from "../lib/browsers.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";
import { learner } from "../lib/learner.mjs";

const FOLDER = new URL("../../web/lesson/lessons/", import.meta.url);

const [engine] = chosenEngines();
const here = visit(async ({ page }) => {
  await page.setViewport?.({ width: 1440, height: 860 });
}, engine);
const learn = learner(() => here.page, () => here.app.url);

const lessons = await Promise.all(
  (await readdir(FOLDER)).sort().map(async (folder) => {
    const names = await readdir(new URL(folder + "/", FOLDER));
    const read = (name) => readFile(new URL(`${folder}/${name}`, FOLDER), "utf8");
    const steps = names.filter((name) => /^solution-\d+\.js$/.test(name)).length;
    const answers = (kind) => Promise.all(names.filter((name) => name.startsWith(kind)).map(async (name) => ({ name, step: Number(name.split("-")[1]), code: await read(name) })));
    return { folder, name: folder.replace(/^\d+-/, ""), steps, wrong: await answers("wrong-"), right: await answers("right-") };
  }),
);

for (const { folder, name, steps, wrong, right } of lessons) {
  test(`${folder}: solutions pass, wrong answers get their hints`, async () => {
    await learn.open(name);
    for (let step = 1; step <= steps; step++) {
      await learn.run();
      assert.equal(await learn.passed(), false, `step ${step} passes with the code that it starts with`);
      for (const { name, code } of wrong.filter((answer) => answer.step === step)) {
        const [first, ...rest] = code.split("\n");
        await learn.editor.write(rest.join("\n"));
        await learn.run();
        assert.equal(await learn.passed(), false, `${name} passes`);
        const [hint] = await learn.hints();
        assert.ok(hint?.includes(first.slice("// Hint: ".length).replaceAll(/`|\*\*/g, "")), `${name}: ${await learn.report()}`);
      }
      for (const { name, code } of right.filter((answer) => answer.step === step)) {
        await learn.editor.write(code);
        await learn.run();
        assert.ok(await learn.passed(), `${name}: ${await learn.report()}`);
        await learn.click("reset-code");
        await learn.run();
      }
      await learn.click("answer");
      await learn.run();
      assert.ok(await learn.passed(), `solution ${step}: ${await learn.report()}`);
      if (step < steps) {
        await learn.click("next-step");
      }
    }
    // Firefox reports requests that end when their page is left, and answers that a lesson loses on purpose.
    const problems = here.page.problems.splice(0).filter((problem) => engine.name !== "Firefox" || !problem.includes("A ServiceWorker"));
    assert.deepEqual(problems, []);
  });
}
