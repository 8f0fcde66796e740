// Firefox over WebDriver BiDi. Puppeteer could start it too, but removes its
// preferences from the profile at a time of its own, possibly while the next
// browser starts.

import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { patient } from "./browser.mjs";
import { end, start } from "./processes.mjs";

const program = process.env.FIREFOX ?? "/usr/bin/firefox-esr";

const preferences = {
  // Firefox stops an idle worker after this many milliseconds; the default is 30 seconds.
  "dom.serviceWorkers.idle_timeout": 2000,
  // No first-run windows and no background requests.
  "app.normandy.enabled": false,
  "app.update.disabledForTesting": true,
  "browser.aboutwelcome.enabled": false,
  "browser.newtabpage.enabled": false,
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "browser.sessionstore.resume_from_crash": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.homepage_override.mstone": "ignore",
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "extensions.update.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,#remote-settings-dummy/v1",
  "toolkit.telemetry.server": "",
};

/**
 * A profile on which Firefox has started once: with a copy, it starts in half the time.
 * "npm test" makes it (firefox-profile.mjs); without it, tests take longer.
 */
export const used = fileURLToPath(new URL("../node_modules/.cache/firefox", import.meta.url));

/** Starts Firefox on a profile. */
export async function launch(profile) {
  if (existsSync(used) && (await readdir(profile)).length === 0) {
    await cp(used, profile, { recursive: true });
  }
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`);
  await writeFile(join(profile, "user.js"), lines);
  const leader = start(program, "apt-get install firefox-esr, or FIREFOX=/path/to/it", ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0", "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, MOZ_CRASHREPORTER_DISABLE: "1" }, // its helper would escape our process group
  });
  const gone = once(leader, "exit");
  try {
    const browserWSEndpoint = await address(leader.stderr);
    leader.stderr.resume(); // keep draining, or Firefox blocks on a full pipe
    const browser = patient(await puppeteer.connect({ browserWSEndpoint, protocol: "webDriverBiDi", protocolTimeout: 600_000 }));
    const close = browser.close.bind(browser);
    return Object.assign(browser, {
      process: () => leader,
      async close() {
        await close();
        await gone;
      },
    });
  } catch (reason) {
    end(leader);
    throw reason;
  }
}

/** Reads the address that a browser listens at from its standard error. */
async function address(errors) {
  const lines = [];
  for await (const line of createInterface({ input: errors })) {
    lines.push(line);
    const found = /^WebDriver BiDi listening on (ws:\S+)/.exec(line);
    if (found) {
      return found[1] + "/session";
    }
  }
  throw new Error(`Firefox does not start: ${lines.join("\n")}`);
}

/** Waits until the browser has stopped the idle service worker of a page, which holds Web Locks until then. */
export function stopWorkers(page) {
  return page.evaluate(async () => {
    const { held } = await navigator.locks.query();
    for (const { name } of held) {
      await navigator.locks.request(name, () => {});
    }
  });
}
