// The first visit on a slow line: when something is painted, how much is served, and
// when the tables can be used.

import { serveApp } from "../lib/app.mjs";
import { dropProfile, launch, newProfile } from "../lib/browser.mjs";
import { atMost, median, ms, print, progress } from "./report.mjs";
import { slowLine } from "./slow-line.mjs";

const visits = Number(process.env.VISITS ?? 3);
const line = { bytesPerSecond: 1_600_000 / 8, roundTrip: 150 };

/** One visit with an empty profile. */
async function visitOnce(app) {
  const slow = await slowLine(app.port, line);
  const profile = await newProfile();
  const browser = await launch(profile);
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    await page.goto(slow.url, { waitUntil: "domcontentloaded" });
    const shown = [];
    const watching = setInterval(async () => shown.push(await page.evaluate(() => document.querySelector("progress, [role=progressbar]")?.textContent ?? "").catch(() => "")), 500);
    await page.waitForSelector('[data-testid="new-table"]:not([disabled])');
    const { origin, ready, painted } = await page.evaluate(() => ({
      origin: performance.timeOrigin,
      ready: performance.now(),
      painted: performance.getEntriesByName("first-contentful-paint")[0].startTime,
    }));
    clearInterval(watching);
    return { painted, ready, last: slow.traffic.last - origin, bytes: slow.traffic.bytes, requests: slow.traffic.requests };
  } finally {
    await browser.close();
    slow.stop();
    await dropProfile(profile);
  }
}

export async function firstVisit() {
  const app = await serveApp();
  try {
    const all = [];
    for (let i = 0; i < visits; i++) {
      all.push(await visitOnce(app));
      progress(`first visit ${i + 1} of ${visits}`);
    }
    if (process.env.DETAILS) console.error(all[0].requests.join("\n"));
    const of = (name) => median(all.map((visit) => visit[name]));
    const after = median(all.map(({ ready, last }) => Math.max(0, ready - last)));
    print(
      ["first visit, 1.6 Mbit/s, 150 ms", "measured", "promise"],
      [
        ["first paint", ms(of("painted")) + " ms", atMost(700, of("painted"), "ms")],
        ["ready", ms(of("ready")) + " ms"],
        ["ready after the last byte", ms(after) + " ms", atMost(1000, after, "ms")],
        [`served, ${all[0].requests.length} requests`, (of("bytes") / 1e6).toFixed(2) + " MB", atMost(3.2, of("bytes") / 1e6, "MB")],
      ],
    );
  } finally {
    await app.stop();
  }
}
