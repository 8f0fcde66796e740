// The explorer with a large table: the page on a second visit, the table's first
// rows, scrolling through it, keys in the filter, and the import of a file.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atMost, median, ms, print, progress, quantile } from "./report.mjs";
import { checkpointed, visit, workerMemory } from "./visit.mjs";

const size = Number(process.env.EXPLORER ?? 1_000_000);
const visits = Number(process.env.VISITS ?? 7);
const step = 100_000;

const hook = (name) => `[data-testid="${name}"]`;
const count = (n) => n.toLocaleString("en");

/** Resolves when the next frame was painted, with the time since `start`. Pages run its source. */
function installTimer() {
  globalThis.painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))));
  globalThis.appears = (selector) =>
    new Promise((resolve) => {
      const look = () => document.querySelector(selector) !== null && (observer.disconnect(), resolve(painted()));
      const observer = new MutationObserver(look);
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      look();
    });
}

/** From the start of the navigation to tables that can be used. */
async function secondVisits(page, url) {
  const took = [];
  for (let i = 0; i < visits; i++) {
    await page.goto(url, { waitUntil: "domcontentloaded" });
    took.push(await page.evaluate((ready) => appears(ready), hook("new-table") + ":not([disabled])"));
  }
  return took;
}

/** From choosing the table to its first rows. */
async function openings(page, url) {
  const took = [];
  for (let i = 0; i < visits; i++) {
    await page.goto(url, { waitUntil: "domcontentloaded" });
    await page.waitForSelector(hook("table-item"));
    took.push(await page.evaluate(async (item, row) => {
      const begin = performance.now();
      document.querySelector(item).click();
      return (await appears(row)) - begin;
    }, hook("table-item"), hook("grid-row")));
  }
  return took;
}

/** Scrolls a screen in each frame, through all pages, for at most a minute; returns the milliseconds of each frame and the rows. */
const scrollThrough = (page) => page.evaluate(async () => {
  const sheet = document.querySelector("#sheet");
  const frames = [];
  const end = performance.now() + 60_000;
  let last = performance.now();
  for (let still = 0; still < 120 && performance.now() < end; ) {
    const before = sheet.scrollTop;
    sheet.scrollTop += sheet.clientHeight;
    still = sheet.scrollTop === before ? still + 1 : 0; // waits for the next page
    await new Promise(requestAnimationFrame);
    frames.push(performance.now() - last);
    last = performance.now();
  }
  const rows = [...document.querySelectorAll('[data-testid="grid-row"]')].map(({ dataset }) => Number(dataset.row));
  return { frames, row: Math.max(...rows) + 1 };
});

/** Types into the filter; returns the milliseconds from each key until the frame with what it changed is painted. */
async function keystrokes(page) {
  await page.focus("#filter-input");
  await page.evaluate(() => {
    globalThis.keys = [];
    let begin;
    document.querySelector("#filter-input").addEventListener("keydown", () => (begin = performance.now()), true);
    new MutationObserver(() => {
      const pressed = begin;
      begin = undefined;
      if (pressed !== undefined) painted().then((now) => keys.push(now - pressed));
    }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  });
  for (const letter of "Rank ge 100 and City eq 'Springfield' and Active eq true") {
    await page.keyboard.press(letter);
    await page.evaluate((rest) => painted().then(() => new Promise((resolve) => setTimeout(resolve, rest))), 40 + Math.random() * 16); // keys come anywhere in a frame
  }
  return page.evaluate(() => keys);
}

/** Imports a CSV file through the page; returns the milliseconds from the button to the report. */
async function importFile(page, url, rows) {
  const folder = await mkdtemp(join(tmpdir(), "sandtable-bench-"));
  const file = join(folder, "rows.csv");
  const lines = ["PartitionKey,RowKey,Name,City,Rank"];
  for (let i = 0; i < rows; i++) lines.push(`p${String(Math.floor(i / 500)).padStart(5, "0")},r${String(i).padStart(7, "0")},Customer number ${i},Springfield,${i % 10_000}`);
  await writeFile(file, lines.join("\n"));
  try {
    await page.goto(`${url}?account=devstoreaccount1&table=Imported&page=import`, { waitUntil: "domcontentloaded" });
    await page.waitForSelector(hook("choose-file") + ":not([disabled])", { visible: true });
    const [chooser] = await Promise.all([page.waitForFileChooser(), page.click(hook("choose-file"))]);
    const begin = Date.now();
    await chooser.accept([file]);
    await page.waitForSelector(hook("import") + ":not([disabled])");
    const checked = Date.now();
    await page.click(hook("import"));
    await page.waitForSelector(hook("report"));
    return { check: checked - begin, write: Date.now() - checked };
  } finally {
    await rm(folder, { recursive: true });
  }
}

export const explorer = () =>
  visit(async ({ browser, app, open }) => {
    const page = await open();
    await page.evaluateOnNewDocument(installTimer);
    await page.setViewport({ width: 1440, height: 860 });
    await page.evaluate(async () => {
      await load.send("create", "Bench");
      await load.send("create", "Imported");
    });
    for (let n = 0; n < size; n += step) {
      await page.evaluate((from, to) => load.fill("Bench", from, to), n, Math.min(n + step, size));
      progress(`explorer: ${count(Math.min(n + step, size))} entities`);
    }
    await checkpointed(page);
    const ready = await secondVisits(page, app.url);
    const opened = await openings(page, app.url);
    progress("explorer: scrolling");
    const before = await workerMemory(browser, app.url);
    const heap = () => page.evaluate(() => performance.memory.usedJSHeapSize);
    const heapBefore = await heap();
    const { frames, row } = await scrollThrough(page);
    const grown = (await workerMemory(browser, app.url)) - before;
    const heapGrown = (await heap()) - heapBefore;
    const keys = await keystrokes(page);
    progress("explorer: importing a file");
    const imported = await importFile(page, app.url, 100_000);
    const slow = frames.filter((time) => time > 50).length;
    const rows = [
      ["page ready on a second visit", ms(median(ready)) + " ms", atMost(400, median(ready), "ms")],
      [`first rows of a table of ${count(size)}`, ms(median(opened)) + " ms", atMost(200, median(opened), "ms")],
      [`frames over 50 ms of ${count(frames.length)}, scrolling to row ${count(row)}`, `${slow} (longest ${ms(Math.max(...frames))} ms)`, atMost(0, slow)],
      ["memory of the worker and of the page's scripts meanwhile", `+${(grown / 2 ** 20).toFixed(0)} and ${(heapGrown / 2 ** 20).toFixed(0)} MiB`, "flat"],
      ["a key in the filter, p50", ms(median(keys)) + " ms", atMost(16, median(keys), "ms")],
      ["a key in the filter, p95", ms(quantile(keys, 0.95)) + " ms", atMost(16, quantile(keys, 0.95), "ms")],
      ["import of a CSV file of 100,000 rows, check and write", `${ms(imported.check)} + ${ms(imported.write)} ms`, atMost(8000, imported.check + imported.write, "ms")],
    ];
    print(["explorer", "measured", "promise"], rows);
  });
