// What the playground does with code: in addresses, in two tabs, and when the
// page is left.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { inBrowsers } from "../lib/browsers.mjs";
import { codeEditor } from "../lib/editor.mjs";
import { learner } from "../lib/learner.mjs";
import { open } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

inBrowsers(suite);

function suite(engine) {
  const here = visit(({ page }) => page.setViewport?.({ width: 1440, height: 860 }), engine);
  const learn = learner(() => here.page, () => here.app.url);
  const { hook, click, shows } = learn;
  const editor = codeEditor(() => here.page);
  const address = (rest) => new URL(rest, here.app.url).href;
  const goTo = (rest) => here.page.goto(address(rest), { waitUntil: "domcontentloaded" });

  // As when the page is left just after Run.
  test("a program that is stopped while the sandbox is being loaded does not begin", async () => {
    await goTo("?page=playground"); // another document, which has no sandbox yet
    await editor.ready();
    const [{ end }] = await here.page.evaluate(() => new Promise((resolve) => {
      const folder = new URL("web/sandbox/", document.baseURI).href;
      const run = sandtablePlayground.run(folder, location.origin, folder, "console.log('begun');", (batch) => resolve(JSON.parse(batch)));
      run.stop();
    }));
    assert.deepEqual([end.outcome, end.requests], ["stopped", 0]);
  });

  for (const [place, code] of [
    ["?page=playground#code=console.log('100%')", "console.log('100%')"],
    ["?page=playground&code=console.log('100%')", "console.log('100%')"],
    ["?page=playground#code=1%20%2", "1 %2"],
  ]) {
    test(`a stray percent sign is part of the code: ${place}`, async () => {
      await goTo("?page=lessons"); // another document, without the code of the test before
      await goTo(place);
      await editor.has(code);
    });
  }

  test("a stray percent sign that appears in an open page ends nothing", async () => {
    here.page.problems.length = 0;
    await here.page.evaluate(() => (location.hash = "code=7%3"));
    await editor.has("7%3");
    await here.page.evaluate(() => (location.hash = "code=8%"));
    await editor.has("8%");
    await here.page.evaluate(() => history.back());
    await editor.has("7%3");
    assert.deepEqual(here.page.problems, []);
  });

  test("a run in another tab leaves the code that was typed in this one", async () => {
    await learn.open("scans");
    await editor.ready();
    const other = await open(here.browser, address("?page=playground&lesson=scans"));
    await other.setViewport?.({ width: 1440, height: 860 });
    const there = codeEditor(() => other);
    await there.ready();
    await here.page.bringToFront?.();
    await editor.write("// typed here");
    await here.page.waitForFunction(() => localStorage.getItem("sandtable lessons").includes("// typed here"));
    await other.bringToFront?.();
    await there.has("// typed here"); // nothing was typed there
    const run = learner(() => other, () => here.app.url);
    await run.run();
    assert.match(await other.evaluate(() => localStorage.getItem("sandtable lessons")), /typed here/);
    await there.write("// typed there");
    await other.waitForFunction(() => localStorage.getItem("sandtable lessons").includes("// typed there"));
    await here.page.bringToFront?.();
    await shows("code-problem", "Another tab has saved other code");
    await editor.has("// typed here");
    await other.close();
  });

  const language = (name) => here.page.evaluate((selector) => document.querySelector(selector).click(), `.playground .head [data-choice="${name}"]`);
  const choose = (place) => here.page.evaluate((selector, place) => {
    const list = document.querySelector(selector);
    list.selectedIndex = place < 0 ? list.length + place : place;
    list.dispatchEvent(new Event("change", { bubbles: true }));
  }, hook("sample"), place);

  test("a reload right after typing loses nothing", async () => {
    for (const rest of ["?page=playground", "?page=playground#code=1", "?page=playground&lesson=crud"]) {
      await goTo(rest);
      await editor.write("// older");
      await editor.write("// typed for " + rest);
      await here.page.reload();
      await editor.has("// typed for " + rest);
    }
  });

  test("a link that is opened and reloaded right after typing shows its code", async () => {
    await goTo("?page=playground#code=1");
    await editor.has("1");
    await editor.write("// typed");
    await here.page.evaluate(() => {
      window.old = true;
      location.hash = "code=2";
      location.reload();
    });
    await here.page.waitForFunction(() => !window.old); // whose editor shows the code, too
    await editor.has("2");
  });

  test("the error that ended a long output is in sight, and stays when the page is left", async () => {
    await goTo("?page=playground");
    await editor.write("for (let i = 0; i < 500; i++) console.log(i);\nnull.x;");
    await click("run");
    await shows("failure", "TypeError");
    await here.page.waitForFunction((selector) => {
      const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }, {}, hook("failure"));
    await shows("result-console", "The last 100 of 500 lines.");
    await click("show-all");
    await shows("result-console", "499");
    await click("entry-requests");
    await here.page.waitForSelector(hook("request-count"));
    await click("entry-playground");
    await shows("failure", "TypeError");
    await shows("run-summary", "Failed");
  });

  // The rest depends on nothing in which browsers differ.
  if (engine.name !== "Chromium") return;

  test("with a stray percent sign, a link that cannot be read says so, and other pages work", async () => {
    await goTo("?page=lessons");
    await goTo("?page=playground#js1=AAAA%%");
    await shows("code-problem", "cannot be read");
    await goTo("?page=lessons#100%");
    await here.page.waitForSelector(hook("lessons-next"), { visible: true });
    await goTo("?page=tables#%"); // the same document
    await goTo("gallery");
    await goTo("#%");
    await click("entry-playground");
    await editor.ready();
  });

  test("each language keeps its code when an example of the other is chosen, and when the page is left", async () => {
    await goTo("?page=playground");
    await editor.ready();
    await language("http");
    await editor.contains("GET ");
    await editor.write("GET https://mine/Tables");
    await language("js");
    await editor.contains("import");
    await editor.write("// mine");
    await choose(-1);
    await editor.contains("GET ");
    await language("js");
    await editor.has("// mine");
    const before = await here.page.evaluate(() => document.querySelector(".toast:last-child")?.dataset.toast ?? "");
    await choose(-1);
    await editor.contains("GET ");
    await here.page.waitForFunction((before) => ![before, undefined].includes(document.querySelector(".toast:last-child")?.dataset.toast), {}, before);
    await here.page.evaluate((selector) => document.querySelector(`.toast:last-child ${selector}`).click(), hook("toast-action"));
    await editor.has("// mine");
    await click("entry-requests");
    await here.page.waitForSelector(hook("request-count"));
    await click("entry-playground");
    await editor.has("// mine");
    await language("http");
    await editor.contains("GET https://playground"); // the first example that was chosen
    await language("js");
    await editor.has("// mine");
  });

  test("an import keeps code that is here, and can be undone", async () => {
    await learn.open("scans");
    await editor.write("// newer");
    await here.page.reload();
    await goTo("?page=lessons");
    await here.page.waitForSelector(hook("progress-import"));
    await here.page.evaluate((selector, text) => {
      const files = new DataTransfer();
      files.items.add(new File([text], "progress.json"));
      const input = document.querySelector(selector);
      input.files = files.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }, hook("progress-import"), JSON.stringify({ sandtableProgress: 1, done: { crud: { steps: [true], total: 1 } }, code: { "scans/1": "// older", "paging/1": "// added" } }));
    await here.page.waitForFunction(() => document.body.textContent.includes("other code: in 1 step."));
    const kept = () => here.page.evaluate(() => JSON.parse(localStorage.getItem("sandtable lessons")));
    assert.deepEqual([(await kept()).code["scans/1"], (await kept()).code["paging/1"]], ["// newer", "// added"]);
    await click("toast-action");
    await here.page.waitForFunction(() => !localStorage.getItem("sandtable lessons").includes("// added"));
    assert.equal((await kept()).code["scans/1"], "// newer");
  });

  test("what a program has changed that ran when the page was left is shown afterwards", async () => {
    await goTo("?page=playground");
    await editor.write("const tables = 'https://playground.table.core.windows.net/Tables';\n" +
      "await fetch(tables, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{\"TableName\":\"Left\"}' });\nconsole.log('created');\nawait new Promise(() => {});");
    await click("run");
    await shows("result-console", "created");
    await click("entry-requests");
    await here.page.waitForSelector(hook("request-count"));
    await click("entry-playground");
    await shows("run-summary", "Stopped");
    await here.page.evaluate(() => document.querySelector('.playground-tabs [data-choice="changes"]').click());
    await shows("result-changes", "created by this run");
    const kept = await here.page.evaluate(async () => {
      const { accounts } = await (await fetch("_sandtable/accounts")).json();
      const { name } = accounts.find(({ name }) => name.startsWith("playground"));
      return (await (await fetch(`_sandtable/accounts/${name}/snapshots`)).json()).snapshots;
    });
    assert.deepEqual(kept, [], "the snapshot from before the run is needed no longer");
  });
}
