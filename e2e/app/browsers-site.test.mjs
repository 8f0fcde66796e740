// A site of its own, in every browser engine: its streams, and its page that comes
// back from the browser's back-forward cache. Firefox has no such page of ours in
// its cache and loads it again.

import assert from "node:assert/strict";
import { inBrowsers } from "../lib/browsers.mjs";
import { dropProfile, newProfile } from "../lib/browser.mjs";
import { outcome, pageOf, reads, serveSite, visitSite, writes } from "../lib/embed-site.mjs";
import { after, before, test } from "../lib/test.mjs";

inBrowsers(suite);

function suite(engine) {
  let profile, browser;
  before(async () => {
    profile = await newProfile();
    browser = await engine.launch(profile);
  });
  after(async () => {
    await browser?.close();
    await dropProfile(profile);
  });

  test("a streamed answer is whole although no other request keeps the worker running", async (t) => {
    const site = await serveSite("/", { "index.html": pageOf() });
    t.after(() => site.stop());
    const page = await visitSite(browser, site.url); // the explorer's page would keep its worker busy
    const events = await page.evaluate(async () => {
      const response = await fetch("_sandtable/events?changes=true");
      await (await fetch(`${sandtable.endpoint()}/Tables`)).text(); // not in this stream, whose end therefore names the position after it
      return response.text();
    });
    assert.match(events, /^event: position\n/m);
  });

  for (const [mode, options] of [["service worker", "{}"], ["worker", '{ fallback: "worker" }']]) {
    test(`the client of a restored page is answered, with a ${mode}`, async (t) => {
      const site = await serveSite("/", { "index.html": pageOf(options), "other.html": "<!doctype html><title>other</title>" });
      t.after(() => site.stop());
      const page = await visitSite(browser, site.url);
      assert.equal(page.outcome, "started");
      assert.equal(await writes(page, "Before"), 1);
      await page.goto(site.url + "other.html");
      await page.evaluate(() => void setTimeout(() => history.back()));
      await page.waitForFunction(() => document.title === "demo", { polling: 20 });
      assert.equal(await outcome(page), "started");
      assert.equal(await writes(page, "After"), 1);
      assert.equal(await reads(page, "Before"), 1);
    });
  }
}
