// Chromium, as a visitor has it: nothing of the network or of security is
// switched off that a page could notice.

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer from "puppeteer-core";

const executable = process.env.CHROMIUM ?? "/usr/bin/chromium";

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** A new profile's folder. */
export function newProfile() {
  return mkdtemp(join(tmpdir(), "sandtable-e2e-"));
}

/** Deletes a profile, which its browser may still be leaving. */
export function dropProfile(profile) {
  return rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** Starts Chromium on a profile. What a page is told to do may take minutes on a busy machine, as writers do that are stopped again and again. */
export function launch(profile) {
  return puppeteer.launch({ executablePath: executable, userDataDir: profile, args: flags, protocolTimeout: 600_000 });
}

/** Kills all processes of a browser at once; none gets to write anything more. */
export async function kill(browser) {
  const main = browser.process();
  const gone = once(main, "exit");
  process.kill(-main.pid, "SIGKILL"); // it leads a group of its own
  await gone;
}

/** Watches the service workers of a page's browser, to stop them as it does with idle ones. */
export async function watchWorkers(page) {
  const session = await page.createCDPSession();
  const alive = new Set(); // versions that are not stopped, as far as it was told
  let left = new Set(); // of those that are being stopped
  let told = () => {};
  session.on("ServiceWorker.workerVersionUpdated", ({ versions }) => {
    for (const { versionId, runningStatus } of versions) {
      if (runningStatus === "stopped") {
        alive.delete(versionId);
        left.delete(versionId);
      } else {
        alive.add(versionId);
      }
    }
    told();
  });
  const all = new Promise((resolve) => (told = resolve)); // it begins with all that there are
  await session.send("ServiceWorker.enable");
  await all;
  return {
    /** Stops them all; the next request starts one again. One that is stopped already says nothing more. */
    async stop() {
      left = new Set(alive);
      const done = new Promise((resolve) => (told = () => left.size === 0 && resolve()));
      told();
      await session.send("ServiceWorker.stopAllWorkers");
      await done;
    },
    end: () => session.detach(),
  };
}

/** Stops all service workers once. */
export async function stopWorkers(page) {
  const workers = await watchWorkers(page);
  await workers.stop();
  await workers.end();
}
