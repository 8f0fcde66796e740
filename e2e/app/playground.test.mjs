// The playground as a learner uses it: run, stop, look at the results, share.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { inBrowsers } from "../lib/browsers.mjs";
import { codeEditor } from "../lib/editor.mjs";
import { byHand, open } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";


inBrowsers(suite);

function suite(engine) {
  const here = visit(async ({ page }) => {
    await page.setViewport?.({ width: 1440, height: 860 });
    await click("entry-playground");
    await page.waitForSelector(hook("code"), { visible: true });
    page.problems.length = 0; // Firefox reports requests of the first page that end when it is left
  }, engine);
  const { hook, click, press, shows, gone } = byHand(() => here.page);

  const editor = codeEditor(() => here.page);
  const text = (name) => here.page.evaluate((selector) => document.querySelector(selector)?.textContent ?? "", hook(name));

  async function run(code, outcome) {
    await editor.write(code);
    await here.page.evaluate((selector) => { // the summary of the run before stays until this one starts
      const state = () => document.querySelector(selector).textContent.split(" · ")[0]; // without the number of requests, which comes later
      const before = state();
      globalThis.started = false;
      const look = (_, observer) => state() !== before && (observer.disconnect(), (globalThis.started = true));
      new MutationObserver(look).observe(document.querySelector(selector).parentElement, { subtree: true, childList: true, characterData: true });
    }, hook("run-summary"));
    await click("run");
    await here.page.waitForFunction(() => started);
    await shows("run-summary", outcome);
  }

  const tab = (name) => here.page.evaluate((name) => document.querySelector(`.playground-tabs [data-choice="${name}"]`).click(), name);

  /** Switches the language, and waits for the editor of the other one. */
  async function language(name) {
    await here.page.evaluate((selector) => document.querySelector(selector).click(), `.playground .head [data-choice="${name}"]`);
    await here.page.waitForFunction((name) => document.querySelector("code-editor")?.dataset.language === name, {}, name);
  }

  test("the first example runs, and shows its requests and its data", async () => {
    await click("run");
    await shows("run-summary", "Finished");
    await shows("run-summary", "1 table scan");
    assert.match(await text("result-console"), /Amara is 21/);
    await tab("requests");
    await shows("result-requests", "table scan");
    await shows("result-requests", "3 returned of 3 examined");
    await tab("tables");
    await shows("table-Customers", "Dmitri");
    const listed = await here.page.evaluate((selector) => [...document.querySelectorAll(selector)].map(({ textContent }) => textContent), hook("account-item"));
    assert.deepEqual(listed, ["devstoreaccount1"], "the throw-away account is not in the sidebar");
    assert.deepEqual(here.page.problems, []);
  });

  const choose = (sample) => here.page.evaluate((selector, sample) => {
    const list = document.querySelector(selector);
    list.value = sample;
    list.dispatchEvent(new Event("change", { bubbles: true }));
  }, hook("sample"), sample);

  test("every example runs", async () => {
    const names = await here.page.evaluate((selector) => [...document.querySelectorAll(selector + " option:not(:disabled)")].map(({ value }) => value), hook("sample"));
    assert.equal(names.length, 6);
    for (const name of names) {
      const before = await editor.text();
      await choose(name);
      if (name !== names[0]) {
        await editor.changed(before);
      }
      await click("reset-data");
      await shows("run-summary", "Not run yet");
      await click("run");
      await here.page.waitForFunction((selector) => /^(Finished|Failed|Stopped)/.test(document.querySelector(selector).textContent), {}, hook("run-summary"));
      assert.match(await text("run-summary"), /^Finished/, `${name}: ${await text("result-console")}`);
    }
    await language("js");
  });

  test("an error names the line, the code of the service and what to do", async () => {
    await run('import { TableClient } from "@azure/data-tables";\nawait new TableClient("https://playground.table.core.windows.net", "Missing").getEntity("a", "b");', "Failed");
    assert.match(await text("failure"), /TableNotFound \(404\).*createTable/s);
    await run("const a = 1;\nconst = 2;", "Failed");
    assert.match(await text("failure"), /SyntaxError.*line 2/s);
    await here.page.evaluate((selector) => document.querySelector(selector + " .place").click(), hook("failure"));
    await editor.selected("const = 2;");
  });

  test("markup that a program prints stays text", async () => {
    await run('console.log("<img src=x onerror=globalThis.hacked=1>"); console.table([{ a: "<b>bold</b>" }]);', "Finished");
    assert.match(await text("result-console"), /<img src=x.*<b>bold<\/b>/s);
    assert.equal(await here.page.evaluate(() => globalThis.hacked), undefined);
  });

  test("objects open member by member, and their markup stays text", async () => {
    await run('console.log("found", { partitionKey: "p", tags: ["<img src=x onerror=globalThis.hacked=1>", { deep: { er: true } }] }, 42);', "Finished");
    const lines = () => here.page.evaluate(() => [...document.querySelectorAll(".playground-console li")].map(({ textContent }) => textContent));
    const press = (text) => here.page.evaluate((text) => [...document.querySelectorAll(".playground-console summary")].find(({ textContent }) => textContent.startsWith(text)).click(), text);
    const open = async (text, shown) => {
      await press(text);
      await here.page.waitForFunction((shown) => [...document.querySelectorAll(".playground-console li")].some(({ textContent }) => textContent.startsWith(shown)), {}, shown);
    };
    assert.match(await text("result-console"), /found { partitionKey: "p", tags: Array\(2\) } 42/);
    assert.deepEqual(await lines(), []);
    await open("{ partitionKey", 'partitionKey: "p"');
    await open("tags", '0: "<img src=x onerror');
    await open("1: { deep", "deep: { er: true }");
    await tab("requests");
    await tab("console");
    await shows("result-console", "deep: { er: true }"); // what is open stays open
    await press("{ partitionKey");
    await here.page.waitForFunction(() => document.querySelector(".playground-console li") === null);
    assert.equal(await here.page.evaluate(() => globalThis.hacked), undefined);
  });

  test("an endless loop is stopped by hand, and the next program runs", async () => {
    await editor.write("console.log('looping');\nfor (;;);");
    await click("run");
    await shows("result-console", "looping").catch(() => {}); // a busy browser may show it late
    await here.page.waitForFunction((selector) => !document.querySelector(selector).disabled, {}, hook("stop"));
    await click("stop");
    await shows("run-summary", "Stopped");
    await run("console.log(6 * 7)", "Finished");
    assert.match(await text("result-console"), /42/);
  });

  const noKeys = engine.name === "WebKit" && "the driver sends no key presses";
  test("Ctrl+Enter runs, Tab indents, and Escape leaves the editor", { skip: noKeys }, async () => {
    await editor.write("console.log('by key')");
    await press("Control", "Enter");
    await shows("result-console", "by key");
    await here.page.keyboard.press("Home");
    await here.page.keyboard.press("Tab");
    assert.match(await editor.text(), /^  console/);
    await here.page.keyboard.press("Escape");
    await here.page.keyboard.press("Tab");
    assert.equal(await editor.hasFocus(), false);
  });

  test("a link carries the code to another page and survives a reload", async () => {
    const before = await here.page.evaluate(() => location.hash);
    await run("console.log('shared');", "Finished");
    await here.page.waitForFunction((before) => location.hash.startsWith("#js1=") && location.hash !== before, {}, before);
    const link = await here.page.evaluate(() => location.href);
    const other = await open(here.browser, link);
    await other.waitForSelector(hook("code"), { visible: true });
    await codeEditor(() => other).has("console.log('shared');");
    assert.equal(await other.evaluate((selector) => document.querySelector(selector).textContent, hook("run-summary")), "Not run yet"); // nobody's code runs by itself
    await other.goto(new URL("?page=playground#code=console.log(1%2B1)", here.app.url).href);
    await codeEditor(() => other).has("console.log(1+1)");
    await other.goto(new URL("?page=playground&http=GET%20/Tables;x", here.app.url).href);
    await codeEditor(() => other).has("GET /Tables;x");
    await other.waitForFunction(() => location.search === "?page=playground" && location.hash.startsWith("#http1="));
    await other.reload();
    await codeEditor(() => other).has("GET /Tables;x");
    await other.close();
  });

  test("Back brings back what was typed last, also just before the page was left", async () => {
    const before = await here.page.evaluate(() => location.hash);
    await editor.write("// older");
    await here.page.waitForFunction((before) => !["", before].includes(location.hash), {}, before);
    const older = await here.page.evaluate(() => location.hash);
    await editor.write("// newer");
    await click("entry-lessons");
    await gone("code");
    await here.page.evaluate(() => history.back());
    await editor.has("// newer");
    await here.page.waitForFunction((older) => location.hash !== "" && location.hash !== older, {}, older);
    await here.page.evaluate((older) => (location.hash = older), older);
    await editor.has("// older");
  });

  test("after its account is gone, the next run gets another", async () => {
    const [account] = await own();
    await here.page.evaluate((name) => fetch("_sandtable/accounts/" + name, { method: "DELETE", headers: { "x-sandtable": "1" } }), account);
    await click("run");
    await shows("result-console", "Try again");
    await run("console.log('again');", "Finished");
  });

  test("the code can be saved as a file", async () => {
    await editor.write("console.log('filed');");
    await here.page.evaluate(() => {
      globalThis.saved = [];
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => {
        blob.text().then((text) => saved.push(text));
        return make.call(URL, blob);
      };
      HTMLAnchorElement.prototype.click = function () {
        saved.push(this.download);
      };
    });
    await click("save-file");
    await here.page.waitForFunction(() => saved.length === 2);
    assert.deepEqual(await here.page.evaluate(() => {
      delete HTMLAnchorElement.prototype.click;
      return saved;
    }), ["playground.mjs", "console.log('filed');"]);
  });

  /** The accounts that exist and have such a name, whoever made them. */
  const own = () => here.page.evaluate(async () => (await (await fetch("_sandtable/accounts")).json()).accounts.map(({ name }) => name).filter((name) => name.startsWith("playground")));
  const make = (name) => here.page.evaluate(async (name) => (await fetch("_sandtable/accounts", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ name }) })).status, name);

  test("the tables stay while the tab is open, and nothing stays of a closed one", async () => {
    const [account, ...others] = await own();
    assert.deepEqual(others, []);
    assert.equal(await make("playgroundstudents"), 201); // no playground made it: it is never deleted
    await editor.write("console.log('kept');");
    await click("entry-requests");
    await here.page.waitForSelector(hook("request-count"));
    assert.deepEqual(await own(), [account, "playgroundstudents"].sort());
    await click("entry-playground");
    await editor.has("console.log('kept');");
    const other = await open(here.browser, new URL("?page=playground#code=1", here.app.url).href);
    const there = byHand(() => other);
    await there.click("run");
    await there.shows("run-summary", "Finished");
    const second = (await own()).filter((name) => name !== account && name !== "playgroundstudents");
    assert.equal(second.length, 1);
    await other.goto(new URL("?page=requests", here.app.url).href); // another document: the lock of the first is gone
    await other.waitForSelector(hook("request-count"));
    // The browser may keep the document that was left, and its lock, for a moment.
    await other.waitForFunction(async (name) => (await sandtablePlayground.abandoned()) === name, { polling: 200 }, second[0]);
    await there.click("entry-playground");
    await here.page.waitForFunction(async () => (await sandtablePlayground.abandoned()) === "", { polling: 200 });
    assert.deepEqual(await own(), [account, "playgroundstudents"].sort());
    await other.close();
  });

  test("without locks, which show what is in use, no account is deleted", async () => {
    assert.equal(await make("playgroundabandone"), 201);
    assert.deepEqual(await here.page.evaluate(async () => {
      localStorage.setItem("sandtable playground playgroundabandone", "1");
      const recorded = await sandtablePlayground.abandoned();
      Object.defineProperty(navigator, "locks", { value: undefined, configurable: true });
      const without = await sandtablePlayground.abandoned();
      await sandtablePlayground.hold("playgroundunlocked"); // and continues
      delete navigator.locks;
      localStorage.removeItem("sandtable playground playgroundabandone");
      return [recorded, without, localStorage.getItem("sandtable playground playgroundunlocked")];
    }), ["playgroundabandone", "", null]);
  });

  test("programs run without a network, after the first visit", async () => {
    assert.equal(await here.page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith("sandtable playground ")).length), 1);
    await here.app.stop();
    await here.page.goto(new URL("?page=playground#code=1", here.app.url).href);
    await here.page.reload();
    await here.page.waitForSelector(hook("code"), { visible: true });
    await run('import { TableClient } from "@azure/data-tables";\nawait new TableClient("https://playground.table.core.windows.net", "Offline").createTable();\nconsole.log("offline");', "Finished");
    assert.match(await text("result-console"), /offline/);
  });

  // The rest depends on nothing in which browsers differ.
  if (engine.name !== "Chromium") return;

  test("the changes of a run are those since the run before", async () => {
    const table = 'import { TableClient } from "@azure/data-tables";\nconst t = new TableClient("https://playground.table.core.windows.net", "Changes");\n';
    await run(table + 'await t.createTable();\nfor (const rowKey of ["1", "2"]) await t.createEntity({ partitionKey: "p", rowKey, total: 1.5 });', "Finished");
    await tab("changes");
    await shows("result-changes", "created by this run");
    await shows("result-changes", "added" + "p / 2");
    await run(table + 'await t.updateEntity({ partitionKey: "p", rowKey: "1", shipped: true }, "Merge");\nawait t.deleteEntity("p", "2");', "Finished");
    await tab("changes");
    await shows("result-changes", "~1 −1");
    assert.match(await text("result-changes"), /changedp \/ 1shippedBooleanabsent → true/);
    assert.match(await text("result-changes"), /deletedp \/ 2/);
    await run("console.log(1);", "Finished");
    await tab("changes");
    await shows("result-changes", "No changes");
  });

  test("requests over HTTP are sent one by one, or all up to the first that fails", async () => {
    const before = await editor.text();
    await language("http");
    await here.page.waitForSelector(hook("send"), { visible: true });
    await click("run");
    await shows("run-summary", "4 requests");
    await shows("result-console", "1 returned of 1 examined");
    assert.match(await text("result-console"), /201 Created[^]*204 No Content[^]*odata\.etag[^]*"weight": 2\.5/);
    await here.page.evaluate(() => document.querySelector('.answer-form [data-choice="raw"]').click());
    await shows("raw", '"weight":2.5');
    assert.match(await text("raw"), /^201 Created\n[^]*\ncontent-type: application\/json/);
    await here.page.evaluate(() => document.querySelector('.answer-form [data-choice="table"]').click());
    await shows("rows", "PartitionKeyRowKey");
    await here.page.evaluate(() => document.querySelector('.answer-form [data-choice="pretty"]').click());
    await editor.goTo("Point query");
    await click("send");
    await shows("run-summary", "1 request");
    await click("run");
    await shows("why", "The table exists already");
    assert.match(await text("result-console"), /409 Conflict/);
    assert.doesNotMatch(await text("result-console"), /204 No Content/, "nothing is sent after the first that fails");
    await editor.write("BREW tea");
    await click("run");
    await here.page.waitForFunction(() => /line 1/i.test(document.querySelector(".playground-editor .note, .playground-editor [role=alert]")?.textContent ?? ""));
    await language("js");
    await editor.has(before);
  });

  test("Authorize signs a request, shows what it signed, and a changed request is refused", async () => {
    await language("http");
    await here.page.waitForSelector(hook("send"), { visible: true });
    await editor.write("GET https://other.table.core.windows.net/Tables\n\n###\nGET https://playground.table.core.windows.net/Tables\nAccept: application/json;odata=nometadata\n");
    await editor.goTo("https://playground");
    await click("authorize");
    await shows("string-to-sign", "Resource/playground");
    assert.match(await text("string-to-sign"), /MethodGETContent-MD5an empty line.*GMTResource\/playground[a-z0-9]{8}\/Tables/s);
    assert.match(await editor.text(), /###\nGET .*\nAccept: .*\nx-ms-version: 2019-02-02\nx-ms-date: .* GMT\nAuthorization: SharedKey playground[a-z0-9]{8}:[A-Za-z0-9+/]{43}=\n$/);
    await click("send"); // the caret is still in the request
    await shows("result-console", "200 OK");
    await editor.write((await editor.text()).replace("playground.table.core.windows.net/Tables", "playground.table.core.windows.net/Tables('Parcels')"));
    await editor.goTo("https://playground");
    await click("send");
    await shows("why", "The credentials do not hold");
    await editor.goTo("other");
    await click("authorize");
    await here.page.waitForFunction(() => /can be signed/.test(document.querySelector(".playground-editor [role=alert]")?.textContent ?? ""));
    await language("js");
  });

  test("the links in answers lead to the program's own account", async () => {
    await run(`const account = "https://playground.table.core.windows.net";
const send = (path, method, body) => fetch(account + path, { method, body, headers: { "content-type": "application/json", accept: "application/json;odata=fullmetadata" } });
await send("/Tables", "POST", '{"TableName":"Linked"}');
const inserted = await send("/Linked", "POST", '{"PartitionKey":"p","RowKey":"r"}');
const entity = await inserted.json();
console.log(inserted.headers.get("location"), entity["odata.metadata"]);
console.log("followed:", (await fetch(entity["odata.id"])).status);
await fetch(entity["odata.id"], { method: "DELETE", headers: { "if-match": "*" } });
await send("/Tables('Linked')", "DELETE");`, "Finished");
    const printed = await text("result-console");
    assert.match(printed, /https:\/\/playground\.table\.core\.windows\.net\/Linked\(PartitionKey='p',RowKey='r'\)/);
    assert.match(printed, /https:\/\/playground\.table\.core\.windows\.net\/\$metadata#Linked/);
    assert.match(printed, /followed: 200/);
  });

  test("code that is too long for a link is not shared", async () => {
    const before = await here.page.evaluate(() => location.hash);
    await here.page.evaluate(() => {
      window.realOpen = window.open;
      window.openedTabs = 0;
      window.open = () => window.openedTabs++;
    });
    await editor.write("/".repeat(257 << 10));
    await shows("code-problem", "longer than 256 KiB");
    await click("share");
    await click("open-tab");
    assert.equal(await here.page.evaluate(() => {
      window.open = window.realOpen;
      return window.openedTabs;
    }), 0);
    assert.equal(await here.page.evaluate(() => location.hash), before);
    await run("console.log('short');", "Finished");
    await gone("code-problem");
  });

  test("Undo after the page was left changes no address", async () => {
    await choose(await here.page.evaluate((selector) => document.querySelector(selector).options[2].value, hook("sample")));
    await editor.changed("console.log('short');");
    await click("entry-requests");
    await here.page.waitForSelector(hook("request-count"));
    const address = await here.page.evaluate(() => location.href);
    await here.page.evaluate((selector) => [...document.querySelectorAll(selector)].at(-1).click(), hook("toast-action")); // of the newest message
    assert.equal(await here.page.evaluate(() => location.href), address);
    await click("entry-playground");
    await editor.has("console.log('short');");
  });
}
