// Chromium with a visitor's settings: no network or security feature that a page
// could notice is switched off.

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
  // The address bar's popups are pages, and loading them is a sixth of what a short test costs.
  "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
];

/** Creates a folder for a new profile. */
export function newProfile() {
  return mkdtemp(join(tmpdir(), "sandtable-e2e-"));
}

/** Deletes a profile; retries, because a browser may still be closing files in it. */
export function dropProfile(profile) {
  return rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/**
 * Options for launch: the browser reports no requests, which under load is most of its
 * work, and attaches no debugger to workers, which changes how it stops them.
 */
export const unobserved = { networkEnabled: false, targetFilter: (target) => target.type() !== "service_worker" };

/** Starts Chromium on a profile. Its protocol timeout is generous: on a busy machine one call can take minutes. */
export async function launch(profile, options = {}) {
  const env = { ...process.env, TMPDIR: profile }; // a browser that is killed leaves a folder there
  return patient(await puppeteer.launch({ executablePath: executable, userDataDir: profile, env, args: flags, protocolTimeout: 600_000, ...options }));
}

/**
 * How long a page waits for an element or a condition, in milliseconds: shorter than
 * the limit of a test, so that the failure names the place.
 */
export const patience = 200_000;

/** Makes each new page of a browser wait as long as a busy machine may need. */
export function patient(browser) {
  const newPage = browser.newPage.bind(browser);
  return Object.assign(browser, {
    async newPage() {
      const page = await newPage();
      page.setDefaultTimeout(patience);
      return page;
    },
  });
}

/** Kills all processes of a browser at once, so that none writes anything more. */
export async function kill(browser) {
  const main = browser.process();
  const gone = once(main, "exit");
  process.kill(-main.pid, "SIGKILL"); // the main process leads its own process group
  await gone;
}

/** Watches the service workers of a page's browser, to stop them as the browser stops idle ones. */
export async function watchWorkers(page) {
  const session = await page.createCDPSession();
  const alive = new Set(); // versions that are not known to be stopped
  let left = new Set(); // versions being stopped
  let notify = () => {};
  session.on("ServiceWorker.workerVersionUpdated", ({ versions }) => {
    for (const { versionId, runningStatus } of versions) {
      if (runningStatus === "stopped") {
        alive.delete(versionId);
        left.delete(versionId);
      } else {
        alive.add(versionId);
      }
    }
    notify();
  });
  const all = new Promise((resolve) => (notify = resolve)); // the first event lists all versions
  await session.send("ServiceWorker.enable");
  await all;
  return {
    /** Stops all workers; the next request starts one again. A worker that has already stopped sends no event. */
    async stop() {
      left = new Set(alive);
      const done = new Promise((resolve) => (notify = () => left.size === 0 && resolve()));
      notify();
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
