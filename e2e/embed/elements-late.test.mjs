// What the elements show when answers are late: each page has a store whose calls can be held.

import assert from "node:assert/strict";
import { inBrowsers } from "../lib/browsers.mjs";
import { embedding } from "../lib/embedding.mjs";
import { test } from "../lib/test.mjs";

const account = "https://demo.table.core.windows.net";

// Calls of the store, and its requests by words of their URLs, wait for the promises in `held`.
const script = `
  import { start } from "./sandtable.js";
  import "./elements.js";
  const store = await start({ fallback: "worker", accounts: ["demo", "other"] });
  globalThis.held = {};
  globalThis.calls = [];
  globalThis.hold = (name) => {
    let go;
    held[name] = new Promise((resolve) => (go = resolve));
    return () => { delete held[name]; go(); };
  };
  const waits = async (name) => { calls.push(name); await held[Object.keys(held).find((part) => name.includes(part))]; };
  const httpClient = { sendRequest: async (request) => { await waits(request.url); return store.httpClient.sendRequest(request); } };
  const accounts = { list: async () => (await waits("accounts"), store.accounts.list()), create: (...given) => store.accounts.create(...given) };
  globalThis.late = new Proxy(store, {
    get(target, name) {
      const found = { accounts, httpClient }[name] ?? target[name];
      const waiting = ["reset", "load", "dump"].includes(name);
      return typeof found !== "function" ? found : (...given) => (waiting ? waits(name).then(() => found.apply(target, given)).finally(() => calls.push(name + " done")) : found.apply(target, given));
    },
  });
  globalThis.send = async (account, method, path, body) => {
    const { status } = await store.httpClient.sendRequest({ method, url: "https://" + account + ".table.core.windows.net/" + path, headers: [["content-type", "application/json"], ["accept", "application/json"]], body: body && JSON.stringify(body) });
    if (status >= 300) throw new Error(method + " " + path + ": " + status);
  };
  globalThis.ready = true;`;

inBrowsers(suite);

function suite(engine) {
  const here = embedding(engine);

  /** Opens a page with an element whose store can be held. */
  async function open(tag, attributes = {}, files = {}, code = "") {
    const { url } = await here.site("/", { ...files, "index.html": `<!doctype html><script type="module">${script}</script><body>` });
    const page = await here.browser.newPage();
    page.problems = [];
    page.on("pageerror", (error) => page.problems.push(String(error)));
    await page.goto(url);
    await page.waitForFunction(() => globalThis.ready, { polling: 50 });
    await page.evaluate((tag, attributes, code) => {
      globalThis.element = document.createElement(tag);
      Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
      element.textContent = code;
      element.sandtable = late;
      globalThis.button = (name) => [...element.root.querySelectorAll("button")].find((one) => (one.ariaLabel ?? one.textContent) === name);
      globalThis.text = (selector) => element.root.querySelector(selector)?.textContent ?? "";
    }, tag, attributes, code);
    return page;
  }

  /** Runs a playground's program and returns what it wrote. */
  const run = async (page) => {
    await page.evaluate(() => button("Run").click());
    await page.waitForFunction(() => text(".status").includes("Finished"), { polling: 50 });
    return page.evaluate(() => text("[aria-label=Console] ol"));
  };

  const append = async (page) => {
    await page.evaluate(() => document.body.append(element));
    await page.waitForFunction(() => element.dataset.ready === "", { polling: 50 });
  };

  test("an explorer that is requested twice, and one whose playground is moved", async () => {
    const page = await open("sandtable-playground");
    await append(page);
    await page.evaluate(() => {
      const opener = button("Open explorer");
      opener.focus();
      opener.click();
      opener.click();
    });
    await page.waitForFunction(() => element.root.querySelector("sandtable-grid")?.dataset.ready === "", { polling: 50 });
    assert.equal(await page.evaluate(() => {
      button("Close").click();
      return element.root.activeElement?.textContent;
    }), "Open explorer");
    const status = await page.evaluate(async () => {
      document.body.append(element); // the engine's events have no listener any more
      button("Open explorer").click();
      document.body.append(element);
      await new Promise((resolve) => setTimeout(resolve, 200));
      return text(".status");
    });
    assert.equal(status, "");
    assert.deepEqual(page.problems, []);
  });

  // The rest depends on nothing in which browsers differ.
  if (engine.name !== "Chromium") return;

  test("rows that were requested are shown although the table changes while they are read", async () => {
    const page = await open("sandtable-grid");
    await page.evaluate(async () => {
      await send("demo", "POST", "Tables", { TableName: "Long" });
      await Promise.all(Array.from({ length: 150 }, (_, i) => send("demo", "POST", "Long", { PartitionKey: "p", RowKey: String(1000 + i) })));
    });
    await append(page);
    assert.equal(await page.evaluate(() => element.root.querySelectorAll("tbody tr").length), 100);
    await page.evaluate(() => {
      globalThis.go = hold("NextRowKey");
      calls.length = 0;
      button("More rows").click();
    });
    await page.waitForFunction(() => calls.some((url) => url.includes("NextRowKey")), { polling: 50 });
    await page.evaluate(() => send("demo", "POST", "Long", { PartitionKey: "p", RowKey: "0001" }));
    await page.waitForFunction(() => calls.filter((url) => url.includes("Long()") && !url.includes("NextRowKey")).length === 2, { polling: 50 });
    await page.evaluate(() => go());
    await page.waitForFunction(() => element.root.querySelectorAll("tbody tr").length === 151, { polling: 50, timeout: 20_000 });
    assert.deepEqual(page.problems, []);
  });

  test("a grid that is ready has its first rows, although the table changes while they are read", async () => {
    const page = await open("sandtable-grid");
    await page.evaluate(async () => {
      await send("demo", "POST", "Tables", { TableName: "Early" });
      await send("demo", "POST", "Early", { PartitionKey: "p", RowKey: "1" });
      globalThis.go = hold("Early()");
      new MutationObserver(() => (globalThis.rows ??= element.root.querySelectorAll("tbody tr").length)).observe(element, { attributeFilter: ["data-ready"] });
      document.body.append(element);
    });
    await page.waitForFunction(() => calls.some((url) => url.includes("Early()")), { polling: 50 });
    await page.evaluate(async () => {
      await send("demo", "POST", "Early", { PartitionKey: "p", RowKey: "2" });
      await new Promise((resolve) => setTimeout(resolve, 300)); // longer than changes are gathered
      go();
    });
    await page.waitForFunction(() => globalThis.rows > 0 && element.root.querySelectorAll("tbody tr").length === 2, { polling: 50, timeout: 20_000 });
    assert.deepEqual(page.problems, []);
  });

  test("a question is about the account that the grid shows, and nothing of another one stays", async () => {
    const page = await open("sandtable-grid");
    await page.evaluate(() => send("demo", "POST", "Tables", { TableName: "Kept" }));
    await append(page);
    const atOnce = await page.evaluate(() => {
      button("Reset").click();
      element.setAttribute("account", "other");
      return [text(".question"), button("Export").disabled, button("Reset").disabled, element.root.querySelectorAll("option").length];
    });
    assert.deepEqual(atOnce, ["", true, true, 0]);
    await page.waitForFunction(() => text(".plan").includes("No tables yet"), { polling: 50 });
    assert.deepEqual(await page.evaluate(() => [button("Export").disabled, button("Reset").disabled]), [false, false]);
    assert.deepEqual(page.problems, []);
  });

  test("a filter that is set while the grid starts is the one that its field shows", async () => {
    const page = await open("sandtable-grid", { table: "Scores" });
    await page.evaluate(async () => {
      await send("demo", "POST", "Tables", { TableName: "Scores" });
      await Promise.all(["1", "2"].map((RowKey) => send("demo", "POST", "Scores", { PartitionKey: "p", RowKey })));
      globalThis.go = hold("accounts");
      document.body.append(element);
    });
    await page.waitForFunction(() => calls.includes("accounts"), { polling: 50 });
    await page.evaluate(() => {
      element.setAttribute("filter", "RowKey eq '2'");
      go();
    });
    await page.waitForFunction(() => element.dataset.ready === "", { polling: 50 });
    assert.deepEqual(await page.evaluate(() => [element.root.querySelectorAll("tbody tr").length, element.root.querySelector("input").value]), [1, "RowKey eq '2'"]);
    assert.deepEqual(page.problems, []);
  });

  test("a grid finds its table by any spelling, as requests do, and follows it", async () => {
    const page = await open("sandtable-grid", { table: "scores" });
    await page.evaluate(() => send("demo", "POST", "Tables", { TableName: "Scores" }));
    await append(page);
    assert.deepEqual(await page.evaluate(() => [text(".plan").includes("There is no table"), element.root.querySelector("select").value]), [false, "Scores"]);
    await page.evaluate(() => send("demo", "POST", "SCORES", { PartitionKey: "p", RowKey: "1" }));
    await page.waitForFunction(() => element.root.querySelector("td .dot") !== null, { polling: 50, timeout: 10_000 });
    assert.deepEqual(page.problems, []);
  });

  test("a reset that ends while the grid starts with another account shows no error", async () => {
    const page = await open("sandtable-grid");
    await append(page);
    await page.evaluate(() => {
      globalThis.go = hold("reset");
      button("Reset").click();
      button("Delete all tables").click();
    });
    await page.waitForFunction(() => calls.includes("reset"), { polling: 50 });
    await page.evaluate(() => {
      globalThis.start = hold("accounts");
      element.setAttribute("account", "other");
      go();
    });
    await page.waitForFunction(() => calls.includes("reset done"), { polling: 50 });
    assert.equal(await page.evaluate(() => text("[role=alert]")), "");
    await page.evaluate(() => start());
    await page.waitForFunction(() => text(".plan").includes("No tables yet"), { polling: 50 });
    assert.deepEqual(page.problems, []);
  });

  test("a program that is run while the tables are reset finds the first data", async () => {
    const data = ['{"@sandtable":"archive","version":1}', '{"@sandtable":"account","name":"demo","access":"open"}', '{"@sandtable":"table","name":"First"}', '{"@sandtable":"end","accounts":1,"tables":1,"entities":0}', ""].join("\n");
    const page = await open("sandtable-playground", { data: "first.jsonl" }, { "first.jsonl": data }, `console.log((await fetch("${account}/First()")).status);`);
    await append(page);
    assert.match(await run(page), /^200/);
    await page.evaluate(() => {
      globalThis.go = hold("load");
      calls.length = 0;
      button("Reset").click();
      button("Code and tables").click();
    });
    await page.waitForFunction(() => calls.includes("load"), { polling: 50 });
    await page.evaluate(async () => {
      button("Run").click();
      for (let i = 0; i < 50 && text("[aria-label=Console] ol") === ""; i++) await new Promise((resolve) => setTimeout(resolve, 10)); // it waits
      go();
    });
    await page.waitForFunction(() => text(".status").includes("Finished"), { polling: 50, timeout: 20_000 });
    assert.match(await page.evaluate(() => text("[aria-label=Console] ol")), /^200/);
    assert.deepEqual(page.problems, []);
  });

  test("a playground follows its account and its source", async () => {
    const code = (account) => `console.log((await fetch("https://${account}.table.core.windows.net/Tables")).status);`;
    const page = await open("sandtable-playground", { src: "one.js" }, { "one.js": code("demo"), "two.js": code("third") });
    await append(page);
    assert.match(await run(page), /^200/);
    await page.evaluate(() => {
      element.setAttribute("account", "third"); // it does not exist yet
      element.setAttribute("src", "two.js");
    });
    await page.waitForFunction(() => text("header b") === "two.js" && element.root.querySelector(".editor").textContent.includes("third"), { polling: 50, timeout: 10_000 });
    assert.match(await run(page), /^200/);
    assert.deepEqual(page.problems, []);
  });
}
