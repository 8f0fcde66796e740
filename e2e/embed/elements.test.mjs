// <sandtable-playground> and <sandtable-grid> in documentation pages.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { violations } from "../lib/axe.mjs";
import { inBrowsers } from "../lib/browsers.mjs";
import { embedding } from "../lib/embedding.mjs";
import { test } from "../lib/test.mjs";

const example = new URL("../../wasm/js/examples/elements/", import.meta.url);
const files = Object.fromEntries(await Promise.all((await readdir(example)).map(async (name) => [name, await readFile(new URL(name, example), "utf8")])));
const policy = (await readFile(new URL("../../dist/embed/sandbox/policy.txt", import.meta.url), "utf8")).trim();
const account = "https://demo.table.core.windows.net";
const strict = `default-src 'none'; style-src 'self'; img-src 'self'; connect-src 'self' ${account}; ${policy}; base-uri 'none'; form-action 'none'`;

inBrowsers(suite);

function suite(engine) {
  const here = embedding(engine);
  const site = (own, how) => here.site("/", own, how);

  /** Opens a page; its elements are the first playground and the first grid. */
  async function open(url) {
    const page = await here.browser.newPage();
    page.problems = [];
    page.on("pageerror", (error) => page.problems.push(String(error)));
    await page.goto(url);
    await page.waitForFunction(() => document.querySelector("sandtable-playground")?.dataset.ready === "", { polling: 50 });
    return page;
  }

  const text = (page, tag, selector) => page.evaluate((tag, selector) => document.querySelector(tag).shadowRoot.querySelector(selector)?.innerText ?? null, tag, selector);
  const press = (page, tag, name) => page.evaluate((tag, name) => {
    const button = [...document.querySelector(tag).shadowRoot.querySelectorAll("button")].find((one) => one.checkVisibility() && (one.ariaLabel ?? one.textContent) === name);
    if (button === undefined) throw new Error(`there is no button ${name}`);
    button.click();
  }, tag, name);
  const shows = (page, tag, selector, wanted) => page.waitForFunction((tag, selector, wanted) => document.querySelector(tag).shadowRoot.querySelector(selector)?.innerText.includes(wanted), { polling: 50 }, tag, selector, wanted)
    .catch(async (error) => assert.fail(`${selector} of ${tag} shows ${JSON.stringify(await text(page, tag, selector))} in ${JSON.stringify(await text(page, tag, ".frame"))}, not ${JSON.stringify(wanted)}: ${error.message}`));

  /** Runs the program and waits for its end. */
  async function run(page, end = "Finished") {
    await press(page, "sandtable-playground", "Run");
    await shows(page, "sandtable-playground", ".status", end);
  }

  const printed = (page) => page.evaluate(() => [...document.querySelector("sandtable-playground").shadowRoot.querySelectorAll("[aria-label=Console] li > :is(code, .values)")].map(({ textContent }) => textContent));

  test("the example: a program runs under a strict policy, and the grid follows", async () => {
    const { url } = await site(files, { headers: { "content-security-policy": strict } });
    const page = await open(url);
    await shows(page, "sandtable-grid", "tbody", "lin");
    assert.equal((await text(page, "sandtable-grid", "tbody")).includes("ada"), false);
    await run(page);
    assert.deepEqual(await printed(page), ["ada 4200", "lin 4050"]);
    await shows(page, "sandtable-playground", "[aria-label=Requests] ol", "2 returned of 3 examined");
    await shows(page, "sandtable-grid", "tbody", "ada");
    await shows(page, "sandtable-grid", ".note:not([hidden])", "recently changed");
    await shows(page, "sandtable-grid", ".plan", "3 returned of 3 examined");

    await press(page, "sandtable-playground", "Open explorer");
    await page.waitForFunction(() => document.querySelector("sandtable-playground").shadowRoot.querySelector("sandtable-grid")?.shadowRoot.querySelector("tbody")?.innerText.includes("kim"), { polling: 50 });
    assert.deepEqual(await page.evaluate(() => [...document.querySelector("sandtable-playground").root.querySelector("sandtable-grid").root.querySelectorAll("tr:has(td .dot)")].map(({ innerText }) => innerText.split(/\s+/)[1])), ["ada"], "what the run changed");
    await press(page, "sandtable-playground", "Open explorer"); // it is open
    await press(page, "sandtable-playground", "Close");

    await press(page, "sandtable-playground", "Reset");
    await press(page, "sandtable-playground", "Code and tables");
    await shows(page, "sandtable-playground", ".status", "as they were");
    await page.waitForFunction(() => {
      const rows = document.querySelector("sandtable-grid").shadowRoot.querySelector("tbody")?.innerText; // none while there is no table
      return rows?.includes("lin") && !rows.includes("ada");
    }, { polling: 50 });
    assert.deepEqual(page.problems, []);
  });

  test("code in the page, errors, and a program without an end", async () => {
    const broken = `<sandtable-playground name="broken">\n  <pre>\n    const a = 1;\n    await fetch("${account}/Missing()").then(({ status }) => console.log(status, a));\n    console.log("found", { list: [true, "x"] });\n    throw new RangeError("no");\n  </pre>\n</sandtable-playground>`;
    const { url } = await site({ "index.html": `<!doctype html><script type="module" src="elements.js"></script>${broken}` });
    const page = await open(url);
    await run(page, "Line 4: RangeError: no");
    assert.deepEqual(await printed(page), ["404 1", "found { list: Array(2) }"]);
    const opened = await page.evaluate(async () => {
      const { shadowRoot } = document.querySelector("sandtable-playground");
      const open = (summary) => new Promise((done) => {
        summary.parentElement.addEventListener("toggle", () => setTimeout(done), { once: true });
        summary.click();
      });
      await open(shadowRoot.querySelector("summary"));
      await open(shadowRoot.querySelector("li summary ~ ul summary"));
      return [...shadowRoot.querySelectorAll(".values ul ul li")].map((member) => [member.textContent, member.querySelector("span > span").className]);
    });
    assert.deepEqual(opened, [["0: true", "is-boolean"], ['1: "x"', "is-string"]]);
    await page.evaluate(() => {
      const old = document.querySelector("sandtable-playground");
      const element = document.createElement("sandtable-playground");
      element.textContent = "for (;;) {}";
      old.replaceWith(element);
    });
    await page.waitForFunction(() => document.querySelector("sandtable-playground").dataset.ready === "", { polling: 50 });
    await press(page, "sandtable-playground", "Run");
    await page.waitForFunction(() => document.querySelector("sandtable-playground").shadowRoot.querySelector(".primary").textContent === "Stop", { polling: 50 });
    await press(page, "sandtable-playground", "Stop");
    await shows(page, "sandtable-playground", ".status", "You stopped the program.");
    assert.deepEqual(page.problems, []);
  });

  test("a page of another origin, without a worker's script of its own", async () => {
    const library = await site({}, { shared: true });
    const body = `<!doctype html><script type="module" src="${library.url}elements.js"></script><sandtable-playground src="scores.js"></sandtable-playground><sandtable-grid></sandtable-grid>`;
    const created = files["scores.js"].replace("await scores.upsert", "await scores.createTable();\nawait scores.upsert");
    const { url, requested } = await site({ "index.html": body, "scores.js": created }, { copied: "nowhere/" });
    const page = await open(url);
    await shows(page, "sandtable-grid", ".plan", "No tables yet");
    await run(page);
    assert.deepEqual(await printed(page), ["ada 4200"]);
    await shows(page, "sandtable-grid", "tbody", "ada");
    assert.deepEqual(page.problems, []);
    assert.deepEqual(requested.filter((path) => !["/", "/scores.js", "/favicon.ico"].includes(path)), [], "everything else is of the library");
  });

  test("a bundler's file, with the rest next to the page", async () => {
    const [elements, client] = await Promise.all(["elements.js", "sandtable.js"].map((name) => readFile(new URL("../../dist/embed/" + name, import.meta.url), "utf8")));
    assert.deepEqual(elements.match(/new URL\(["`].*import\.meta\.url\)/g), null, "bundlers copy such a file, without those that it imports");
    const { url } = await site({ "index.html": '<!doctype html><script type="module" src="assets/bundle.js"></script><sandtable-playground>console.log(1);</sandtable-playground>', "assets/bundle.js": elements, "assets/sandtable.js": client });
    const page = await open(url);
    assert.equal(await page.evaluate(() => document.querySelector("sandtable-playground").shadowRoot.querySelector("textarea").hidden), true, "the editor is there");
    await run(page);
    assert.deepEqual(await printed(page), ["1"]);
  });

  test("a program that is run while the explorer opens: each request is shown once", async () => {
    const { url } = await site({ "index.html": `<!doctype html><script type="module" src="elements.js"></script><sandtable-playground>await fetch("${account}/Tables");</sandtable-playground>` });
    const page = await open(url);
    await page.evaluate(() => {
      const buttons = [...document.querySelector("sandtable-playground").shadowRoot.querySelectorAll("button")];
      for (const name of ["Open explorer", "Run"]) buttons.find(({ textContent }) => textContent === name).click();
    });
    await shows(page, "sandtable-playground", ".status", "Finished");
    await shows(page, "sandtable-playground", "[aria-label=Requests] ol", "/Tables");
    assert.equal((await text(page, "sandtable-playground", "[aria-label=Requests] ol")).match(/\/Tables/g).length, 1);
  });

  test("a playground that is moved in its page while it starts can be run afterwards", async () => {
    const { url } = await site({ "index.html": `<!doctype html><script type="module" src="elements.js"></script><sandtable-playground>console.log(1);</sandtable-playground><main></main>` });
    const page = await open(url);
    await page.evaluate(() => {
      const element = document.querySelector("sandtable-playground");
      element.shadowRoot.querySelector(".primary").click();
      document.querySelector("main").append(element);
    });
    await page.waitForFunction(() => !document.querySelector("sandtable-playground").shadowRoot.querySelector(".primary").disabled, { polling: 50 });
    assert.equal(await text(page, "sandtable-playground", ".status"), "");
    await run(page);
    assert.deepEqual(await printed(page), ["1"]);
  });

  test("the page's own store, with a plain worker", async () => {
    const { url } = await site({ ...files, "index.html": `<!doctype html><script type="module">
      import { start } from "./sandtable.js";
      const sandtable = await start({ fallback: "worker", accounts: ["shop"] });
      const playground = document.createElement("sandtable-playground");
      playground.setAttribute("account", "shop");
      playground.textContent = 'console.log((await fetch("https://shop.table.core.windows.net/Tables", { headers: { accept: "application/json;odata=nometadata" } })).status);\\nconsole.log((await fetch("${account}/Tables")).status);';
      playground.sandtable = sandtable; // before the element is defined
      document.body.append(playground);
      await import("./elements.js");
    </script><body>` });
    const page = await open(url);
    await run(page);
    assert.deepEqual(await printed(page), ["200", "403"]);
  });

  test("a page whose policy forbids the sandbox: the message says what it needs", async () => {
    const { url } = await site({ "index.html": '<!doctype html><script type="module" src="main.js"></script>', "main.js": `
      import { start } from "./sandtable.js";
      const sandtable = await start({ fallback: "worker" });
      globalThis.end = await sandtable.createSandbox().run("1").ended;` }, { headers: { "content-security-policy": "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:" } });
    const page = await here.browser.newPage();
    await page.goto(url);
    await page.waitForFunction(() => globalThis.end !== undefined, { polling: 50 });
    const { outcome, failure } = await page.evaluate(() => globalThis.end);
    assert.equal(outcome, "failed");
    assert.ok(failure.message.includes(policy.match(/'sha256-[^']+'/)[0]), failure.message);
  });

  test("the time of a program begins when it does", async () => {
    const { url } = await site({ "index.html": '<!doctype html><script type="module" src="main.js"></script>', "main.js": `
      import { start } from "./sandtable.js";
      const sandtable = await start({ fallback: "worker" });
      const refused = (time) => { try { sandtable.createSandbox({ limits: { time } }); } catch ({ code }) { return code; } };
      const { outcome } = await sandtable.createSandbox({ limits: { time: 1 } }).run("for (;;);").ended;
      globalThis.end = [outcome, refused(0), refused(2 ** 31), refused(0.5)];` });
    const page = await here.browser.newPage();
    await page.goto(url);
    await page.waitForFunction(() => globalThis.end !== undefined, { polling: 50 });
    assert.deepEqual(await page.evaluate(() => globalThis.end), ["time", "InvalidOption", "InvalidOption", "InvalidOption"]);
  });

  test("nothing of the page's style reaches the elements, and the explorer is over everything in it", async () => {
    const hostile = `<style>
      * { color: rgb(255, 0, 0); font: italic 31px/3 serif; letter-spacing: 4px; text-align: center; text-transform: uppercase; white-space: pre; }
      main { overflow: hidden; transform: translateZ(0); width: 300px; }
      header { position: fixed; inset: 0; z-index: 2147483647; }
    </style>`;
    const { url } = await site({ ...files, "index.html": `<!doctype html><script type="module" src="elements.js"></script>${hostile}<header></header><main dir="rtl"><sandtable-playground src="scores.js" data="scores.jsonl"></sandtable-playground></main>` });
    const page = await open(url);
    const looks = () => page.evaluate(() => {
      const { root } = document.querySelector("sandtable-playground");
      return [".frame", ".panel"].map((selector) => {
        const { color, fontSize, fontStyle, letterSpacing, textAlign, textTransform, whiteSpace, lineHeight, direction, visibility } = getComputedStyle(root.querySelector(selector));
        return [color === "rgb(255, 0, 0)", fontSize, fontStyle, letterSpacing, textAlign, textTransform, whiteSpace, lineHeight, direction, visibility].join(" ");
      });
    });
    const own = "false 13px normal normal start none normal 20px ltr ";
    assert.deepEqual(await looks(), [own + "visible", own + "visible"]);

    await page.setViewport?.({ width: 320, height: 640 });
    await press(page, "sandtable-playground", "Open explorer");
    await page.waitForFunction(() => document.querySelector("sandtable-playground").root.querySelector(".panel [aria-label='Open in a window']")?.checkVisibility(), { polling: 50 });
    const covered = await page.evaluate(() => {
      const { root } = document.querySelector("sandtable-playground");
      return [...root.querySelectorAll(".panel > header button")].filter((button) => {
        const { left, top, width, height } = button.getBoundingClientRect();
        return root.elementFromPoint(left + width / 2, top + height / 2) !== button;
      }).map(({ ariaLabel }) => ariaLabel);
    });
    assert.deepEqual(covered, [], "the buttons can be clicked");
    await press(page, "sandtable-playground", "Close");

    await page.evaluate(() => (document.querySelector("main").style.visibility = "hidden"));
    assert.deepEqual(await looks(), [own + "hidden", own + "hidden"], "a page can hide what contains them");
    assert.deepEqual(page.problems, []);
  });

  test("a refused request says why, the bar is what was read of the table, and the explorer opens at what was written", async () => {
    const code = `await fetch("${account}/Missing(PartitionKey='a',RowKey='b')");
      const headers = { "content-type": "application/json" };
      await fetch("${account}/Tables", { method: "POST", headers, body: '{"TableName":"Written"}' });
      await fetch("${account}/Written", { method: "POST", headers, body: '{"PartitionKey":"a","RowKey":"b"}' });`;
    const { url } = await site({ ...files, "index.html": `<!doctype html><script type="module" src="elements.js"></script><sandtable-playground>${code}</sandtable-playground><sandtable-grid table="Scores" data="scores.jsonl" filter="PartitionKey eq 'level-1' and points ge 4000"></sandtable-grid>` });
    const page = await open(url);
    await shows(page, "sandtable-grid", ".plan", "1 returned of 2 examined");
    const bar = await page.evaluate(() => {
      const { value, max } = document.querySelector("sandtable-grid").root.querySelector("meter");
      return { value, max };
    });
    assert.deepEqual(bar, { value: 2, max: 5 });
    await run(page);
    await shows(page, "sandtable-playground", ".plan", "TableNotFound");
    await press(page, "sandtable-playground", "Open explorer"); // at the table that the program wrote
    await page.waitForFunction(() => document.querySelector("sandtable-playground").root.querySelector("sandtable-grid").root.querySelector(".dot[role]") !== null, { polling: 50 });
    assert.equal(await page.evaluate(() => document.querySelector("sandtable-playground").root.querySelector("sandtable-grid").root.querySelector("select").value), "Written");
  });

  test("by keyboard", { skip: engine.name !== "Chromium" && "the other browsers' drivers have no keys here" }, async () => {
    const { url } = await site(files);
    const page = await open(url);
    const focused = () => page.evaluate(() => document.activeElement.shadowRoot?.activeElement?.textContent.trim() ?? null);
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Reset");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab"); // into the editor
    await page.keyboard.down("Control");
    await page.keyboard.press("Enter");
    await page.keyboard.up("Control");
    await shows(page, "sandtable-playground", ".status", "Finished");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab"); // out of it: Console, Requests, Open explorer
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Open explorer");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.shadowRoot.activeElement?.ariaLabel === "Close", { polling: 50 });
    await page.keyboard.press("Escape");
    assert.equal(await focused(), "Open explorer");
  });

  test("neither a light nor a dark page has a serious accessibility problem, down to 320 px", { skip: engine.name !== "Chromium" && "axe-core runs in Chromium" }, async () => {
    const { url } = await site(files);
    const page = await open(url);
    await run(page);
    await press(page, "sandtable-playground", "Open explorer");
    for (const scheme of ["light", "dark"]) {
      for (const width of [320, 1280]) {
        await page.setViewport({ width, height: 860 });
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        assert.deepEqual(await violations(page), [], `${scheme}, ${width} px`);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, `${scheme}: it scrolls sideways`);
      }
    }
  });
}
