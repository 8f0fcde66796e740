// Bodies on their way through the service worker, in every browser engine.

import assert from "node:assert/strict";
import { inBrowsers } from "../lib/browsers.mjs";
import { dropProfile, newProfile } from "../lib/browser.mjs";
import { pageOf, serveSite, visitSite } from "../lib/embed-site.mjs";
import { after, before, test } from "../lib/test.mjs";

inBrowsers(suite);

function suite(engine) {
  let site, profile, browser, page;
  before(async () => {
    site = await serveSite("/", { "index.html": pageOf() });
    profile = await newProfile();
    browser = await engine.launch(profile);
    page = await visitSite(browser, site.url); // the explorer's page would keep its worker busy
  });
  after(async () => {
    await browser?.close();
    site?.stop();
    await dropProfile(profile);
  });

  test("a streamed answer is whole although no other request keeps the worker running", async () => {
    const events = await page.evaluate(async () => {
      const response = await fetch("_sandtable/events?changes=true");
      await (await fetch(`${sandtable.endpoint()}/Tables`)).text(); // not in this stream, whose end therefore names the position after it
      return response.text();
    });
    assert.match(events, /^event: position\n/m);
  });
}
