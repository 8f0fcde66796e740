// What the checks of a lesson judge, and what they say about a run that they
// cannot judge.

import assert from "node:assert/strict";
import { learner } from "../lib/learner.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const here = visit(({ page }) => page.setViewport({ width: 1440, height: 860 }));
const learn = learner(() => here.page, () => here.app.url);
const { shows } = learn;

const table = (name) => `import { TableClient } from "@azure/data-tables";\nconst table = new TableClient("https://playground.table.core.windows.net", "${name}");\n`;
const crud = table("Tasks") + `await table.createTable();
await table.createEntity({ partitionKey: "home", rowKey: "1", text: "Water the plants" });
const { text } = await table.getEntity("home", "1");
`;

async function tryCode(lesson, code) {
  await learn.open(lesson);
  await learn.editor.write(code);
  await learn.run();
}

test("all requests of a run are checked, however many there are", async () => {
  const many = "for (let i = 0; i < 250; i++) await table.upsertEntity({ partitionKey: 'x', rowKey: String(i) });";
  await tryCode("crud", crud + "console.log(text);\n" + many);
  assert.ok(await learn.passed(), await learn.report());
  await shows("run-summary", "253 requests");
  await tryCode("writes", table("Settings") + 'await table.getEntity("user", "amara");\nfor (let i = 0; i < 250; i++) await table.updateEntity({ partitionKey: "user", rowKey: "amara", theme: "light" }, "Merge");');
  assert.equal(await learn.passed(), false, "the read before the writes is seen");
});

test("on a phone, the choice of the parts says how much was read, and Reset is with the code", async () => {
  await here.page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
  await learn.open("scans");
  const part = (name) => `.lesson-panes [data-choice="${name}"]`;
  const reset = () => here.page.$eval(learn.hook("reset-code"), (button) => button.checkVisibility());
  assert.equal(await reset(), false);
  await learn.run();
  await here.page.waitForFunction((output) => document.querySelector(output).textContent === "Output 6 of 6", {}, part("output"));
  await here.page.evaluate((code) => document.querySelector(code).click(), part("code"));
  await here.page.waitForSelector(learn.hook("reset-code"), { visible: true });
  await here.page.setViewport({ width: 1440, height: 860 });
});

test("on a phone, the error that ended the program stands above the checks, in place of a hint", async () => {
  await here.page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
  await learn.open("scans");
  await here.page.evaluate(() => document.querySelector('.lesson-panes [data-choice="code"]').click());
  await learn.editor.write("const x = ;");
  await learn.run();
  await shows("run-failure", "Your program ended with SyntaxError, line 1.");
  await here.page.waitForFunction((selector) => {
    const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  }, {}, learn.hook("run-failure"));
  assert.deepEqual(await learn.hints(), []);
  await here.page.setViewport({ width: 1440, height: 860 });
});
