// Server, browser and a page of the app for the tests of one file.

import { setTimeout } from "node:timers/promises";
import { after, afterFailure, before } from "./test.mjs";
import { serveApp } from "./app.mjs";
import { dropProfile, launch, newProfile } from "./browser.mjs";
import { addSDK, open } from "./page.mjs";

/**
 * Registers the hooks that open the app with the SDK in its page, and close it.
 * Tests may replace the returned fields, for example after restarting the browser.
 *
 * @param {(here: object) => Promise<void>} prepare further setup; not a hook of
 *   its own, because Node.js does not wait for one hook before the next
 * @param {{launch: (profile: string) => Promise<object>}} engine that runs the page: Chromium, or one of lib/browsers.mjs
 */
export function visit(prepare = async () => {}, engine = { launch }) {
  const here = {
    app: null,
    profile: null,
    browser: null,
    page: null,

    /** Restarts the browser on the same profile and opens the app. */
    async reopen() {
      here.browser = await engine.launch(here.profile);
      here.page = await open(here.browser, here.app.url);
      await addSDK(here.page);
    },
  };
  before(async () => {
    here.app = await serveApp();
    here.profile = await newProfile();
    await here.reopen();
    await prepare(here);
  });
  afterFailure(async () => console.log(await Promise.race([shown(here.page), setTimeout(10_000, "The page did not answer.", { ref: false })])));
  after(async () => {
    await here.browser?.close();
    await here.app?.stop();
    await dropProfile(here.profile);
  });
  return here;
}

/** What a page shows and has reported, for the log of a test that failed. */
async function shown(page) {
  try {
    const [address, state, text] = await page.evaluate(() => [location.href, document.readyState, document.body?.innerText.replace(/\s+/g, " ").slice(0, 1500)]);
    return `The page was at ${address} (${state}), had the problems ${JSON.stringify(page.problems)}, and said: ${text}`;
  } catch (error) {
    return `The page did not say what it shows: ${error}`;
  }
}
