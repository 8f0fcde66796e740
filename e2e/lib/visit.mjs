// A visit to the app for the tests of one file: server, browser, page.

import { after, before } from "./test.mjs";
import { serveApp } from "./app.mjs";
import { dropProfile, launch, newProfile } from "./browser.mjs";
import { addSDK, open } from "./page.mjs";

/**
 * Registers the hooks that open the app with the SDK in its page, and close it.
 * Tests may replace what is in the visit, as those do that restart the browser.
 *
 * @param {(here: object) => Promise<void>} prepare what else there is to do
 *   before the tests; Node.js does not wait for one hook before the next
 * @param {{launch: (profile: string) => Promise<object>}} engine that runs the page: Chromium, or one of lib/browsers.mjs
 */
export function visit(prepare = async () => {}, engine = { launch }) {
  const here = {
    app: null,
    profile: null,
    browser: null,
    page: null,

    /** Starts the browser again on what it left behind, and opens the app. */
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
  after(async () => {
    await here.browser?.close();
    await here.app?.stop();
    await dropProfile(here.profile);
  });
  return here;
}
