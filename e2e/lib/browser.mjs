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

/** Starts Chromium on a profile. */
export function launch(profile) {
  return puppeteer.launch({ executablePath: executable, userDataDir: profile, args: flags, protocolTimeout: 60_000 });
}

/** Kills all processes of a browser at once; none gets to write anything more. */
export async function kill(browser) {
  const main = browser.process();
  const gone = once(main, "exit");
  process.kill(-main.pid, "SIGKILL"); // it leads a group of its own
  await gone;
}

/** Stops all service workers, as the browser does with idle ones. */
export async function stopWorkers(page) {
  const session = await page.createCDPSession();
  const stopped = new Promise((resolve) => {
    session.on("ServiceWorker.workerVersionUpdated", ({ versions }) => {
      if (versions.length > 0 && versions.every(({ runningStatus }) => runningStatus === "stopped")) {
        resolve();
      }
    });
  });
  await session.send("ServiceWorker.enable");
  await session.send("ServiceWorker.stopAllWorkers");
  await stopped;
  await session.detach();
}
