// The list of lessons and a lesson's page, as a learner uses them; the main path
// in every browser engine.

import assert from "node:assert/strict";
import { writeFile, mkdtemp, rm, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "../lib/test.mjs";
import { inBrowsers } from "../lib/browsers.mjs";
import { codeEditor } from "../lib/editor.mjs";
import { learner } from "../lib/learner.mjs";
import { open as openPage } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";


inBrowsers(suite);

function suite(engine) {
  const here = visit(({ page }) => page.setViewport?.({ width: 1440, height: 860 }), engine);
  const learn = learner(() => here.page, () => here.app.url);
  const { hook, click, shows } = learn;
  const list = async () => {
    await click("entry-lessons");
    await here.page.waitForSelector(hook("lessons-next"), { visible: true });
  };

  test("from the list through the first lesson, with a wrong answer and its hint", async () => {
    await list();
    here.page.problems.length = 0; // those of the first visit, while the worker takes over
    await shows("lessons-done", "0 of 18 lessons");
    await shows("lessons-next", "Entities and types");
    await click("continue");
    await here.page.waitForSelector(hook("checks"), { visible: true });
    const next = (state) => here.page.waitForSelector(`${hook("lesson-next")}${state}`);
    await next("[disabled]");
    await learn.run();
    assert.match((await learn.hints())[0], /does not create its table/);
    await click("more-hints");
    await here.page.waitForFunction((selector) => document.querySelectorAll(selector).length === 2, {}, hook("hint"));
    await click("answer");
    await learn.run();
    assert.ok(await learn.passed(), await learn.report());
    await click("next-step");
    await learn.run();
    await click("answer");
    await learn.run();
    await shows("step-done", "The lesson is done.");
    await next(":not([disabled])");
    await list();
    await shows("lessons-done", "1 of 18 lessons");
    await shows("entry-lessons", "1 / 18");
    await shows("lessons-next", "Keys and partitions");
    assert.deepEqual(here.page.problems, []);
  });

  test("what a query reads is coloured, and what the step needs is framed", async () => {
    await learn.open("scans");
    await shows("read-partitions", "Not read yet");
    await learn.run();
    await shows("read-partitions", "read 6 of 6 partitions");
    await click("answer");
    await learn.run();
    await shows("read-partitions", "read 1 of 6 partitions");
  });

  test("the way back to a lesson shows what its last run read", async () => {
    here.page.problems.length = 0;
    await click("all-lessons");
    await here.page.waitForSelector(hook("lessons-next"), { visible: true });
    await here.page.evaluate(() => history.back());
    await shows("read-partitions", "read 1 of 6 partitions");
    assert.deepEqual(here.page.problems, []);
  });

  if (engine.name === "Chromium") {
    rest(here, learn, list);
  }
}

/** What needs no second engine. */
function rest(here, learn, list) {
  const { hook, click, shows } = learn;

  test("reload keeps progress and code; Reset code and Reset data are separate", async () => {
    await learn.open("etags");
    await learn.editor.write("// mine");
    await here.page.waitForFunction(() => localStorage.getItem("sandtable lessons").includes("// mine"));
    await here.page.reload();
    await here.page.waitForSelector(hook("checks"), { visible: true });
    await learn.editor.has("// mine");
    const link = await here.page.evaluate((selector) => new Promise((resolve) => {
      const { open } = window;
      window.open = (...how) => {
        window.open = open;
        resolve(how);
      };
      document.querySelector(selector).click();
    }), hook("open-tab"));
    assert.deepEqual(link.slice(1), ["_blank", "noopener"]);
    const other = await openPage(here.browser, link[0]);
    await codeEditor(() => other).has("// mine");
    assert.ok(await other.evaluate((selector) => document.querySelector(selector) === null, hook("checks")), "it is no lesson");
    await other.close();
    await click("reset-data");
    await shows("result-read", "Counters");
    assert.equal(await learn.editor.text(), "// mine");
    await click("reset-code");
    await learn.editor.contains("Two visitors");
    await list();
    await shows("lessons-done", "1 of 18 lessons");
  });

  test("arrow keys move through the list, Enter opens", async () => {
    await list();
    await here.page.evaluate(() => document.activeElement.blur());
    const focused = (title) => here.page.waitForFunction((title) => document.activeElement.matches("a.lesson") && document.activeElement.textContent.includes(title), {}, title);
    await here.page.keyboard.press("ArrowDown");
    await focused("Keys and partitions"); // the one to do next
    await here.page.keyboard.press("ArrowDown");
    await focused("Create, read, update, delete");
    await here.page.keyboard.press("ArrowUp");
    await focused("Keys and partitions");
    await here.page.keyboard.press("Enter");
    await shows("lesson-place", "2 of 18");
  });

  test("so they do after the sidebar has led to the list", async () => {
    await list();
    for (const [key, to] of [["ArrowDown", "a.lesson"], ["Enter", ".playground"]]) {
      await click("entry-lessons");
      await here.page.waitForFunction((selector) => document.activeElement.matches(selector), {}, hook("entry-lessons"));
      await here.page.keyboard.press(key);
      await here.page.waitForFunction((selector) => (document.querySelector(".playground") ?? document.activeElement).matches(selector), {}, to);
    }
  });

  test("what is typed is kept when the step is left at once, and code that is too long takes nothing with it", async () => {
    await learn.open("filters");
    await learn.editor.write("// mine");
    await click("step");
    await learn.editor.changed("// mine");
    await learn.editor.write("// the second");
    await learn.editor.write("/".repeat(257 << 10));
    await shows("code-problem", "longer than 256 KiB");
    await here.page.reload();
    await here.page.waitForSelector(hook("checks"), { visible: true });
    await learn.editor.has("// mine");
    await click("step");
    await learn.editor.has("// the second");
    await learn.editor.write("// the page is left");
    await click("all-lessons");
    await shows("lessons-done", "1 of 18 lessons");
    await learn.open("filters");
    await click("step");
    await learn.editor.has("// the page is left");
    await list();
    await shows("lessons-done", "1 of 18 lessons");
  });

  test("Undo brings back the code of the step that it belongs to", async () => {
    await learn.open("writes");
    await learn.editor.write("// mine");
    await click("reset-code");
    await learn.editor.changed("// mine");
    const first = await learn.editor.text();
    await click("step");
    await learn.editor.changed(first);
    const second = await learn.editor.text();
    await click("toast-action");
    assert.equal(await learn.editor.text(), second);
    await click("step");
    await learn.editor.has("// mine");
  });

  test("a step that is chosen while a run starts is not checked by it", async () => {
    await learn.open("scans");
    await learn.editor.ready();
    await here.page.evaluate((run, step) => {
      document.querySelector(run).click();
      document.querySelector(step).click();
    }, hook("run"), hook("step"));
    await shows("run-summary", "Finished");
    await here.page.waitForFunction((selector) => /request/.test(document.querySelector(selector).textContent), {}, hook("run-summary"));
    assert.equal(await here.page.evaluate((selector) => document.querySelector(selector).dataset.checked, hook("checks")), "0");
  });

  test("progress is exported, reset after one question, and imported again", async () => {
    const folder = await mkdtemp(join(tmpdir(), "lessons-"));
    try {
      await list();
      const kept = await here.page.evaluate(() => localStorage.getItem("sandtable lessons"));
      await writeFile(join(folder, "progress.json"), kept);
      await click("progress-reset");
      await click("confirm");
      await shows("lessons-done", "0 of 18 lessons");
      const input = await here.page.$(hook("progress-import"));
      await input.uploadFile(join(folder, "progress.json"));
      await shows("lessons-done", "1 of 18 lessons");
      const code = () => here.page.evaluate(() => Object.keys(JSON.parse(localStorage.getItem("sandtable lessons")).code).length);
      assert.ok((await code()) > 0);
      await click("progress-reset");
      await click("ask-choice");
      await click("confirm");
      await shows("lessons-done", "0 of 18 lessons");
      assert.equal(await code(), 0);
      await (await here.page.$(hook("progress-import"))).uploadFile(join(folder, "progress.json"));
      await shows("lessons-done", "1 of 18 lessons");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("progress that the browser has no space for is reported, and lasts as long as the page", async () => {
    await learn.open("etags");
    await here.page.evaluate(() => {
      const { setItem } = Storage.prototype;
      window.makeSpace = () => void Object.assign(Storage.prototype, { setItem });
      Storage.prototype.setItem = () => {
        throw new DOMException("full", "QuotaExceededError");
      };
    });
    await learn.editor.write("// unkept");
    const reported = (yes) => here.page.waitForFunction((yes) => document.body.innerText.includes("Your progress is not kept.") === yes, {}, yes);
    await reported(true);
    await list();
    await reported(true);
    await here.page.evaluate(() => history.back());
    await learn.editor.has("// unkept");
    await here.page.evaluate(() => makeSpace());
    await learn.editor.write("// kept");
    await reported(false);
    assert.ok(await here.page.evaluate(() => localStorage.getItem("sandtable lessons").includes("// kept")));
  });

  test("another site's lessons run in the same sandbox, with progress of their own", async () => {
    const course = JSON.parse(await readFile(new URL("../../dist/web/lessons.json", import.meta.url), "utf8"));
    course.lessons = course.lessons.slice(0, 1);
    course.lessons[0].files["lesson.md"] = course.lessons[0].files["lesson.md"].replace("Entities and types", "Theirs <img src=x onerror=alert(1)>");
    const site = createServer((_, response) => response.writeHead(200, { "access-control-allow-origin": "*" }).end(JSON.stringify(course)));
    await once(site.listen(0, "127.0.0.1"), "listening");
    try {
      await here.page.goto(new URL(`?page=lessons&from=http://127.0.0.1:${site.address().port}/course.json`, here.app.url).href);
      await shows("lessons-next", "Theirs <img src=x");
      await shows("lessons-done", "0 of 1 lesson");
      const source = `Lessons from 127.0.0.1:${site.address().port}`;
      await shows("lessons-source", source);
      await click("continue");
      await here.page.waitForSelector(hook("checks"), { visible: true });
      await shows("lessons-source", source);
      await list(); // ours, which offers theirs
      await shows("lessons-done", " of 18 lessons");
      await shows("lessons-last", `from 127.0.0.1:${site.address().port}`);
      await click("lessons-last-open");
      await shows("lessons-next", "Theirs <img src=x");
      await list();
      await click("lessons-last-forget");
      await here.page.waitForFunction((selector) => document.querySelector(selector) === null, {}, hook("lessons-last"));
      await here.page.reload();
      await shows("lessons-done", " of 18 lessons");
      assert.equal(await here.page.evaluate((selector) => document.querySelector(selector), hook("lessons-last")), null);
      await here.page.goto(new URL(`?page=lessons&from=http://127.0.0.1:${site.address().port}/course.json`, here.app.url).href);
      await click("continue");
      await here.page.waitForSelector(hook("checks"), { visible: true });
      await learn.run();
      assert.match((await learn.hints())[0], /does not create its table/);
    } finally {
      site.close().closeAllConnections();
    }
  });

  test("a step whose requests fail, and a course with faults that no run can have", async () => {
    const checks = [{ want: "It prints 503", prints: "503", hints: [{ say: "Wait." }] }];
    const course = (fault) => ({
      "lesson.md": "---\ntitle: Faults\nminutes: 5\nteaches: Faults.\n---\n## Busy\n",
      "checks.json": JSON.stringify({ steps: [{ faults: { rules: [{ effect: "ServerBusy", ...fault }] }, checks }] }),
      "solution-1.js": 'console.log((await fetch("https://playground.table.core.windows.net/Tables")).status);\n',
      "start-1.js": "1\n",
    });
    const site = createServer(({ url }, response) => {
      const files = course(url === "/impossible.json" ? { share: 2 } : {});
      response.writeHead(200, { "access-control-allow-origin": "*" }).end(JSON.stringify({ sandtableLessons: 1, lessons: [{ name: "faults", files }] }));
    });
    await once(site.listen(0, "127.0.0.1"), "listening");
    const open = (file) => here.page.goto(new URL(`?page=playground&lesson=faults&from=http://127.0.0.1:${site.address().port}/${file}`, here.app.url).href);
    try {
      await open("course.json");
      await here.page.waitForSelector(hook("checks"), { visible: true });
      await learn.run();
      await click("answer");
      await learn.run();
      assert.ok(await learn.passed(), await learn.report());
      await open("impossible.json");
      await here.page.waitForFunction(() => document.body.textContent.includes("share is above 0 and at most 1"));
    } finally {
      site.close().closeAllConnections();
    }
  });

  test("a course that cannot be read says why", async () => {
    await here.page.goto(new URL("?page=lessons&from=app-worker.js", here.app.url).href);
    await here.page.waitForFunction(() => document.body.textContent.includes("no file of lessons"));
  });

  test("a reader of Chinese gets the translation", async () => {
    const page = await here.browser.newPage();
    try {
      await page.evaluateOnNewDocument(() => Object.defineProperty(navigator, "languages", { value: ["zh-TW", "en"] }));
      await page.goto(new URL("?page=playground&lesson=entities-and-types", here.app.url).href);
      await page.waitForFunction(() => document.querySelector(".lesson-text h1")?.textContent === "實體與型別");
      await page.waitForFunction(() => document.body.textContent.includes("建立資料表並寫入一個實體"));
      const languages = (...selectors) => page.evaluate((selectors) => selectors.map((selector) => document.querySelector(selector).closest("[lang]").lang), selectors);
      assert.deepEqual(await languages(".lesson-text h1", ".lesson-steps h2", ".lesson-checks li", ".lesson-checks small"), ["zh-Hant", "zh-Hant", "zh-Hant", "en"]);
      await page.click(hook("all-lessons"));
      await page.waitForSelector(hook("lesson"));
      assert.deepEqual(await languages(".lesson .grow > *", ".lesson .grow .sr-only"), ["zh-Hant", "en"]);
    } finally {
      await page.close();
    }
  });

  test("at 360 px a lesson shows one part at a time", async () => {
    await here.page.setViewport({ width: 360, height: 740 });
    await learn.open("paging");
    // The list of tables slides away, and a click hits what is on top.
    await here.page.waitForFunction((selector) => {
      const button = document.querySelector(selector);
      const { x, y, width, height } = button.getBoundingClientRect();
      return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    }, {}, hook("run"));
    assert.ok(await here.page.evaluate(() => document.documentElement.scrollWidth <= 360));
    assert.equal(await here.page.evaluate((selector) => document.querySelector(selector).checkVisibility(), hook("result-read")), false);
    await learn.run();
    assert.match((await learn.hints())[0], /the first page of 50/);
    await here.page.setViewport({ width: 1280, height: 800 });
  });

  test("lessons run without a network, after the first visit", async () => {
    await here.app.stop();
    await learn.open("crud");
    await learn.run();
    await click("answer");
    await learn.run();
    assert.ok(await learn.passed(), await learn.report());
  });
}
