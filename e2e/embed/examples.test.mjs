// The sites of wasm/js/examples, built by `make examples`.

import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { test } from "../lib/test.mjs";
import { embedding } from "../lib/embedding.mjs";

const examples = new URL("../../build/examples/", import.meta.url);
const here = embedding();

/** Opens an example on its own origin and waits until it is ready. */
async function open(name) {
  const folder = new URL(name + "/", examples);
  const files = {};
  for (const path of await readdir(folder, { recursive: true })) {
    const file = new URL(path, folder);
    if ((await stat(file)).isFile()) {
      files[path] = await readFile(file);
    }
  }
  const site = await here.site("/example/", files, { copied: "nowhere/" });
  const page = await here.browser.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  await page.goto(site.url);
  await ready(page);
  return page;
}

const ready = (page) => page.waitForSelector("html[data-ready]");
const textOf = (page, selector) => page.$eval(selector, (element) => element.textContent);

test("a page with Azure's SDK for JavaScript", async () => {
  const page = await open("javascript-sdk");
  assert.equal(await textOf(page, "ul"), "");
  for (const [name, age] of [["Amara", "21"], ["Bo", "17"]]) {
    await page.type("[name=name]", name);
    await page.type("[name=age]", age);
    await page.click("button");
    await page.waitForFunction(() => document.querySelector("[name=name]").value === ""); // cleared once the write is acknowledged
  }
  await page.waitForFunction(() => document.querySelector("ul").textContent === "Amara, 21");
  await page.reload();
  await ready(page);
  assert.equal(await textOf(page, "ul"), "Amara, 21");
  const opened = new Promise((resolve) => page.once("popup", resolve));
  await page.click("#look");
  await (await opened).waitForFunction(() => document.body?.textContent.includes("Bo"), { polling: 50 });
  assert.deepEqual(page.problems, []);
});

test("a site with its own worker", async () => {
  const page = await open("own-worker");
  assert.equal(await textOf(page, "#greeting"), "Hello from the site's own worker.");
  assert.equal(await textOf(page, "#tables"), "Visits");
  assert.deepEqual(page.problems, []);
});

test("Azure's SDK for Go in a page", async () => {
  const page = await open("go-sdk");
  assert.equal(await textOf(page, "pre"), "1 Amara Okafor 21\n");
  assert.deepEqual(page.problems, []);
});

test("a Vite project with the npm package", async () => {
  const page = await open("vite");
  assert.equal(await textOf(page, "output"), "1");
  await page.reload();
  await ready(page);
  assert.equal(await textOf(page, "output"), "2");
  assert.deepEqual(page.problems, []);
});
