// The editor of the playground, in its own right: keys, marks, and the plain field
// that stands in for it.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { inBrowsers } from "../lib/browsers.mjs";
import { codeEditor } from "../lib/editor.mjs";
import { byHand } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";


inBrowsers(suite);

function suite(engine) {
  const here = visit(async ({ page }) => {
    await page.setViewport?.({ width: 1440, height: 860 });
  }, engine);
  const { hook, click, press, shows } = byHand(() => here.page);
  const editor = codeEditor(() => here.page);
  const count = (selector) => here.page.evaluate((selector) => document.querySelectorAll("code-editor " + selector).length, selector);
  const lines = (selector) => here.page.evaluate((selector) => [...document.querySelectorAll("code-editor " + selector)].map(({ textContent }) => textContent), selector);
  /** Waits until the elements that match have these texts: the editor parses a text, and gets its marks, after it. */
  const has = (selector, ...texts) => here.page.waitForFunction(
    (selector, texts) => JSON.stringify([...document.querySelectorAll(selector)].map(({ textContent }) => textContent)) === JSON.stringify(texts), {}, "code-editor " + selector, texts);

  test("it is loaded with the page that needs it, and breaks no content security policy", async () => {
    await here.page.evaluate(() => {
      globalThis.violations = [];
      addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => violations.push(`${violatedDirective} ${blockedURI}`));
    });
    const loaded = () => here.page.evaluate(() => performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/codemirror.js")));
    assert.equal(await loaded(), false, "other pages load it, too");
    await click("entry-playground");
    await editor.ready();
    assert.equal(await editor.seen(), await editor.text());
    assert.deepEqual(await here.page.evaluate(() => {
      const content = document.querySelector("code-editor .cm-content");
      return [content.getAttribute("role"), content.ariaLabel, document.getElementById(content.getAttribute("aria-describedby")).textContent.includes("Esc"), document.querySelector("code-editor textarea").checkVisibility()];
    }), ["textbox", "JavaScript program", true, false]);
    assert.deepEqual(await here.page.evaluate(() => violations), []);
    await here.page.evaluate(() => document.head.append(Object.assign(document.createElement("script"), { textContent: "0" })));
    await here.page.waitForFunction(() => violations.length === 1); // they are reported
    here.page.problems.length = 0; // Firefox reports requests of the first page that end when it is left
  });

  test("keywords, strings and line numbers are shown in the theme's colours", async () => {
    await editor.write('const answer = "forty-two"; // why\n');
    await has(".tok-keyword", "const");
    await has(".tok-string", '"forty-two"');
    await has(".tok-comment", "// why");
    assert.deepEqual((await lines(".cm-lineNumbers .cm-gutterElement")).slice(-2), ["1", "2"]);
    const colours = () => here.page.evaluate(() => ["tok-string", "cm-content", "cm-gutters"].map((name) => getComputedStyle(document.querySelector("code-editor ." + name)).color));
    const inTheme = async (theme) => {
      await here.page.evaluate((theme) => sandtableTheme.set(theme), theme);
      return colours();
    };
    const [light, dark] = [await inTheme("light"), await inTheme("dark")];
    assert.deepEqual(light, ["rgb(11, 116, 108)", "rgb(33, 30, 25)", "rgb(111, 103, 89)"]);
    assert.deepEqual(dark, ["rgb(111, 207, 195)", "rgb(239, 234, 224)", "rgb(157, 148, 132)"]);
    await here.page.evaluate(() => sandtableTheme.set("system"));
  });

  test("the line of an error is marked until it is changed, or other code is shown", async () => {
    await editor.write("const a = 1;\nconst = 2;\nconsole.log(a);");
    await click("run");
    await shows("run-summary", "Failed");
    await has(".cm-line.error-line", "const = 2;");
    await has(".cm-gutterElement.error-line", "2");
    await here.page.evaluate((selector) => document.querySelector(selector + " .place").click(), hook("failure"));
    await editor.selected("const = 2;");
    await editor.insert("const b = 2;");
    await editor.has("const a = 1;\nconst b = 2;\nconsole.log(a);");
    await has(".error-line");
    await editor.write("null.x;");
    await click("run");
    await here.page.waitForFunction(() => document.querySelector("code-editor .cm-line.error-line")?.textContent === "null.x;");
    await here.page.evaluate(() => document.querySelector('.playground .head [data-choice="http"]').click());
    await editor.contains("###");
    await editor.ready();
    await has(".error-line");
  });

  test("requests have their colours, and the one at the caret a mark", async () => {
    await editor.write('### First\nGET https://a.example/T\nAccept: application/json\n\n### Second\nPUT https://a.example/T\n\n{"a": "b", "c": 1.5}\n');
    await has(".tok-keyword", "GET", "PUT");
    await has(".tok-meta", "Accept:");
    await has(".tok-propertyName", '"a"', '"c"');
    await has(".tok-string", '"b"');
    await has(".tok-number", "1.5");
    await editor.goTo("application");
    await has(".cm-gutterElement.request", "1", "2", "3");
    await editor.write("###\nGET https://a.example/T\nno header");
    await click("run");
    await here.page.waitForFunction(() => document.querySelector("code-editor .cm-line.error-line")?.textContent === "no header");
    await here.page.evaluate(() => document.querySelector('.playground .head [data-choice="js"]').click());
    await here.page.waitForFunction(() => document.querySelector("code-editor").dataset.language === "js");
  });

  const noKeys = engine.name === "WebKit" && "the driver sends no key presses";
  test("typing, undo, brackets, search, and Tab with its way out", { skip: noKeys }, async () => {
    await editor.write("one;\ntwo;");
    await press("Control", "End");
    await press("Enter");
    await here.page.keyboard.type("call(");
    await editor.has("one;\ntwo;\ncall()");
    await has(".cm-matchingBracket", "(", ")");
    await press("Control", "z");
    await editor.has("one;\ntwo;");
    await press("Control", "a");
    await press("Tab");
    await editor.has("  one;\n  two;");
    await press("Shift", "Tab");
    await editor.has("one;\ntwo;");
    await press("Control", "f");
    await here.page.waitForFunction(() => document.activeElement.matches("code-editor .cm-search input"));
    await press("Control", "a");
    await here.page.keyboard.type("two");
    await press("Enter");
    await press("Escape");
    await editor.selected("two");
    await press("ArrowRight");
    await press("Escape");
    await press("ArrowLeft"); // any key but Tab, and Tab indents again
    await press("Tab");
    await editor.has("one;\ntw  o;");
    await press("Escape");
    await press("Shift", "Tab");
    assert.equal(await editor.hasFocus(), false);
    await editor.goTo("one");
    await press("Escape");
    await press("Tab");
    assert.equal(await editor.hasFocus(), false);
    assert.equal(await editor.text(), "one;\ntw  o;");
  });

  test("what is typed before it is loaded stays, with the caret and the focus", async () => {
    // The same as while the modules are on their way. In a task of its own: WebKit
    // runs what awaits them in the middle of a promise's reaction.
    await here.page.evaluate(() => new Promise((done) => setTimeout(() => {
      const made = document.createElement("code-editor");
      made.id = "second";
      made.style.cssText = "position: fixed; inset: 0";
      made.innerHTML = "<textarea>let x;</textarea>";
      document.body.append(made);
      const field = made.querySelector("textarea");
      field.focus();
      field.setSelectionRange(4, 5);
      document.execCommand("insertText", false, "y");
      done();
    })));
    await here.page.waitForSelector("#second[data-ready]");
    assert.deepEqual(await here.page.evaluate(() => {
      const made = document.getElementById("second");
      const answer = [made.value, made.querySelector(".cm-line").textContent, made.contains(document.activeElement), made.caretLine];
      made.remove();
      return answer;
    }), ["let y;", "let y;", true, 1]);
    assert.deepEqual(here.page.problems, []);
  });

  test("without its files, the plain field runs programs and finds lines", async () => {
    await here.page.evaluate(async () => {
      for (const name of await caches.keys()) {
        for (const request of await (await caches.open(name)).keys()) {
          if (request.url.endsWith("/codemirror.js")) await (await caches.open(name)).delete(request);
        }
      }
    });
    await here.app.stop();
    await here.page.goto(new URL("?page=playground#code=" + encodeURIComponent("const a = 1;\nconst = 2;"), here.app.url).href);
    await here.page.reload();
    await here.page.waitForSelector("code-editor textarea", { visible: true });
    await here.page.waitForFunction(() => document.querySelector("code-editor").value.includes("const a"));
    await click("run");
    await shows("run-summary", "Failed");
    await here.page.evaluate((selector) => document.querySelector(selector + " .place").click(), hook("failure"));
    assert.equal(await here.page.evaluate(() => {
      const { value, selectionStart, selectionEnd } = document.activeElement;
      return value.slice(selectionStart, selectionEnd);
    }), "const = 2;");
    await here.page.evaluate(() => document.execCommand("insertText", false, "console.log('plain', a);"));
    await click("run");
    await shows("result-console", "plain 1");
    assert.equal(await count(".cm-editor"), 0);
    if (noKeys) return;
    await here.page.focus("code-editor textarea");
    await press("Home");
    await press("Tab");
    await editor.has("const a = 1;\n  console.log('plain', a);");
    await press("Escape");
    await press("Tab");
    assert.equal(await editor.hasFocus(), false);
  });
}
