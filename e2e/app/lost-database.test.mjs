// The browser has lost the whole database, or cannot open any of the site's: the page says so at once, and how to go on.

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { kill } from "../lib/browser.mjs";
import { byHand } from "../lib/page.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const here = visit();
const { click, shows } = byHand(() => here.page);
const folder = () => join(here.profile, "Default", "IndexedDB");

test("tables that the browser has deleted since the last visit are missed at once", async () => {
  await here.page.waitForFunction(() => Object.keys(localStorage).some((key) => key.startsWith("sandtable.store")), { polling: 100 });
  await here.browser.close();
  await rm(folder(), { recursive: true });
  await here.reopen();
  await shows("banner", "The tables that were here are gone.");
});

test("where the browser can neither open nor delete a database, its settings can", async (t) => {
  await kill(here.browser);
  const manifests = (await readdir(folder(), { recursive: true })).filter((name) => /\.leveldb.MANIFEST-/.test(name));
  if (manifests.length === 0) {
    t.skip("this Chromium does not keep IndexedDB in LevelDB");
    return;
  }
  await Promise.all(manifests.map((name) => rm(join(folder(), name))));
  await here.reopen();
  await click("start-empty");
  await click("confirm");
  const problem = () => document.querySelector(".boot")?.textContent.includes("Delete this site's data in the browser's settings.");
  await here.page.waitForFunction(problem, { polling: 100 });
  const session = await here.page.createCDPSession();
  await session.send("Storage.clearDataForOrigin", { origin: new URL(here.app.url).origin, storageTypes: "indexeddb" });
  await here.page.evaluate(() => [...document.querySelectorAll(".boot button")].find((button) => button.textContent === "Try again").click());
  await here.page.waitForSelector('[data-testid="new-table"]:not([disabled])', { visible: true });
});
