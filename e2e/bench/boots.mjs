// A visitor's waiting time: from the start of the navigation to the engine's first
// response.

import { serveApp } from "../lib/app.mjs";
import { dropProfile, launch, newProfile } from "../lib/browser.mjs";
import { controlled } from "../lib/page.mjs";
import { median, ms, print, progress, quantile } from "./report.mjs";
import { endpoint } from "./visit.mjs";

const visits = Number(process.env.VISITS ?? 5);

/** Opens the app in a browser; returns the milliseconds until the first response. */
async function firstAnswer(browser, url) {
  const page = await browser.newPage();
  await page.goto(url, { waitUntil: "commit" }).catch(() => page.goto(url));
  await controlled(page);
  return page.evaluate(async (endpoint) => {
    const response = await fetch(`${endpoint}/Tables`, { headers: { accept: "application/json" } });
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    await response.text();
    return performance.now();
  }, endpoint);
}

export async function boots() {
  progress(`first visits, and second ones: ${visits} of each`);
  const first = [];
  const again = [];
  const app = await serveApp();
  try {
    for (let i = 0; i < visits; i++) {
      const profile = await newProfile();
      for (const times of [first, again]) {
        const browser = await launch(profile);
        times.push(await firstAnswer(browser, app.url));
        await browser.close();
      }
      await dropProfile(profile);
    }
  } finally {
    await app.stop();
  }
  const row = (what, times) => [what, ms(median(times)), ms(quantile(times, 1))];
  print(["from navigation to the first answer", "p50 ms", "max ms"], [row("first visit: download, install, compile, boot", first), row("browser started again", again)]);
}
