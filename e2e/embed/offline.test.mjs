// Caching the site's own files for offline use: start({ offline: [...] }).

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "../lib/test.mjs";
import { inBrowsers } from "../lib/browsers.mjs";
import { outcome, pageOf, visitSite } from "../lib/embed-site.mjs";
import { embedding } from "../lib/embedding.mjs";

inBrowsers(suite);

function suite(engine) {
  const here = embedding(engine);

  /** Returns the cached content of main.js, or null. */
  const kept = (page) => page.evaluate(async () => (await (await caches.match(new URL("main.js", location.href)))?.text()) ?? null);

  /** Polls until the cached main.js changes: no event reports that. */
  const becomes = (page, content) =>
    page.evaluate(async (content) => {
      const kept = async () => (await (await caches.match(new URL("main.js", location.href)))?.text()) ?? null;
      while ((await kept()) !== content) await new Promise((resolve) => setTimeout(resolve, 50));
    }, content);

  test("a page opens offline with the files that it listed last", async () => {
    const page = (options) => pageOf(options).replace("</title>", '</title><script src="main.js"></script>');
    const site = await here.site("/demo/", { "index.html": page('{ offline: ["./", "main.js", "sdk.js"] }'), "main.js": "globalThis.main = 1;" });
    let open = true;
    try {
      const visitor = await visitSite(here.browser, site.url);
      assert.equal(visitor.outcome, "started");
      await becomes(visitor, "globalThis.main = 1;");
      await visitor.evaluate(async () => {
        await sandtable.accounts.create("kept");
      });

      site.files["main.js"] = "globalThis.main = 2;";
      await visitor.reload();
      assert.equal(await outcome(visitor), "started");
      assert.equal(await visitor.evaluate(() => main), 2, "with a network, files come from there");
      await becomes(visitor, "globalThis.main = 2;");

      site.stop();
      open = false;
      await visitor.goto(site.url + "?again");
      assert.equal(await outcome(visitor), "started");
      const found = await visitor.evaluate(async () => [main, typeof sdk, (await sandtable.accounts.list()).map(({ name }) => name)]);
      assert.deepEqual(found, [2, "object", ["devstoreaccount1", "kept"]]);
    } finally {
      if (open) site.stop();
    }
  });

  test("an empty list removes cached files, and a missing file replaces none", async (t) => {
    const site = await here.site("/", { "index.html": pageOf('{ offline: ["main.js"] }'), "none.html": pageOf('{ offline: ["main.js", "missing.js"] }'), "empty.html": pageOf("{ offline: [] }"), "main.js": "1" });
    t.after(() => site.stop());
    const visitor = await visitSite(here.browser, site.url);
    await becomes(visitor, "1");
    site.files["main.js"] = "2";
    await visitor.goto(site.url + "none.html");
    assert.equal(await outcome(visitor), "started");
    await visitor.evaluate(() => sandtable.status());
    assert.equal(await kept(visitor), "1");
    await visitor.goto(site.url + "empty.html");
    assert.equal(await outcome(visitor), "started");
    await becomes(visitor, null);
  });

  test("pages open offline that a host redirected to URLs without .html", async (t) => {
    const lesson = pageOf("{}").replace("demo", "lesson");
    const site = await here.site("/", { "index.html": pageOf('{ offline: ["./", "lesson.html"] }'), "lesson.html": lesson }, { clean: true });
    t.after(() => site.stop());
    const visitor = await visitSite(here.browser, site.url);
    assert.equal(visitor.outcome, "started");
    await visitor.evaluate(async () => {
      while (!(await caches.match(new URL("lesson.html", location.href)))) await new Promise((resolve) => setTimeout(resolve, 50)); // no event reports that
    });
    site.stop();
    for (const path of ["lesson.html", "lesson", ""]) {
      await visitor.goto(site.url + path);
      assert.equal(await visitor.title(), path === "" ? "demo" : "lesson", path);
    }
  });

  test("a worker that is busy for some seconds is no reason not to start", async (t) => {
    const script = await readFile(new URL("../../dist/embed/sandtable-worker.js", import.meta.url), "utf8");
    const slow = `addEventListener("message", ({ data }) => {
      for (const start = Date.now(); data.type === "offline" && Date.now() - start < 2300; ) {}
    });\n`;
    const site = await here.site("/", { "index.html": pageOf('{ offline: ["./"] }'), "sandtable-worker.js": slow + script });
    t.after(() => site.stop());
    assert.equal((await visitSite(here.browser, site.url)).outcome, "started");
  });

  test("a site with its own worker is warned that it has to cache the files itself", async (t) => {
    const site = await here.site("/", { "index.html": pageOf('{ worker: "own.js", offline: ["./"] }'), "own.js": 'importScripts("sandtable-worker.js");' });
    t.after(() => site.stop());
    const { outcome } = await visitSite(here.browser, site.url);
    assert.equal(outcome.code, "InvalidOption");
    assert.match(outcome.message, /own service worker/);
  });
}
