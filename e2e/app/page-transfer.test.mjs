// Import and export through the page: file chooser, buttons, downloads.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "../lib/test.mjs";
import { byHand, request } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

/** The number of rows in the large import. */
const rows = 40_000;
const folder = await mkdtemp(join(tmpdir(), "sandtable-transfer-"));
after(() => rm(folder, { recursive: true, force: true }));

let downloads; // the CDP session that reports downloads
const here = visit(async ({ page, browser }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await page.waitForSelector(`${hook("new-table")}:not([disabled])`);
  await page.evaluate(async () => {
    for (const name of ["Large", "Small"]) {
      await fetch("https://devstoreaccount1.table.core.windows.net/Tables", {
        method: "POST", headers: { "content-type": "application/json", prefer: "return-no-content" }, body: JSON.stringify({ TableName: name }),
      });
    }
  });
  downloads = await browser.target().createCDPSession();
  await downloads.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, eventsEnabled: true });
});
const { hook, click, chooseFile, press, shows, gone } = byHand(() => here.page);

function text(name) {
  return here.page.$eval(hook(name), (element) => element.textContent);
}

/** Opens a page of one of the account's tables, with query arguments. */
async function go(table, name, args = "") {
  await here.page.goto(`${here.app.url}?account=devstoreaccount1${table && `&table=${table}`}&page=${name}${args}`, { waitUntil: "domcontentloaded" });
}

/** Clicks a button and picks a file in the file chooser that it opens. */
async function choose(name, content, button = "choose-file") {
  await chooseFile(button, join(folder, name), content);
}

/** Clicks a button and returns the name and text of the downloaded file. */
async function download(button) {
  const done = new Promise((resolve) => {
    let name;
    const begin = (event) => { name = event.suggestedFilename; };
    const progress = (event) => {
      if (event.state === "completed") {
        downloads.off("Browser.downloadWillBegin", begin);
        downloads.off("Browser.downloadProgress", progress);
        resolve(name);
      }
    };
    downloads.on("Browser.downloadWillBegin", begin);
    downloads.on("Browser.downloadProgress", progress);
  });
  await click(button);
  const name = await done;
  return { name, text: await readFile(join(folder, name), "utf8") };
}

async function count(table) {
  const { text } = await request(here.page, `_sandtable/accounts/devstoreaccount1/tables`);
  return JSON.parse(text).tables.find((t) => t.name === table)?.entities;
}

/** A CSV file of n rows in ten partitions. */
function csv(n) {
  const lines = ["PartitionKey,RowKey,Name,Age,Since"];
  for (let i = 0; i < n; i++) {
    lines.push(`p${i % 10},${String(i).padStart(8, "0")},"Elif ""Yılmaz"", Jr",${18 + (i % 70)},2024-04-13T08:33:00Z`);
  }
  return lines.join("\r\n") + "\r\n";
}

test("import and export of a small table", async (t) => {
  await t.test("a malformed row is reported with its line number, and all others are imported", async () => {
    await go("Small", "import");
    const evil = "<img src=x onerror=\"window.executed=1\">";
    await choose(`evil ${"<b>"}.csv`, `\ufeffPartitionKey,RowKey,Age,Age@type,${evil.replaceAll('"', "")}\np,1,5,Int32,a\np,2,${evil.replaceAll('"', "")},Int32,b\np,3,"line\r\nbreak",String,c\n`);
    await shows("verdict", "2 valid");
    await shows("problem", "<img");
    assert.match(await text("problem"), /^line 3Age/);
    const problems = await download("download-problems");
    assert.equal(problems.text.split("\n").length, 3, problems.text);
    await click("import");
    await shows("report", "Written2");
    assert.equal(await count("Small"), 2);
    assert.equal(await here.page.evaluate(() => window.executed), undefined);
  });

  await t.test("a file in another encoding is read once the encoding is chosen", async () => {
    await go("Small", "import");
    await choose("latin.csv", Buffer.from("PartitionKey,RowKey,Name\nq,1,J\xf6rg\n", "latin1"));
    await shows("encodings", "Jörg");
    await click("use-encoding");
    await shows("verdict", "1 valid");
    await here.page.keyboard.press("Escape");
    await here.page.waitForSelector(hook("new-entity"));
    assert.equal(await count("Small"), 2, "Esc has imported");
  });

  await t.test("an exported table imports unchanged", async () => {
    await go("Small", "export");
    await shows("preview", "PartitionKey,RowKey");
    const whole = await download("export-file");
    assert.match(whole.text, /^PartitionKey,RowKey,Timestamp,/);
    assert.match(whole.text, /"line\r\nbreak",String/);
    await go("", "import");
    await choose("Copied.csv", whole.text);
    await shows("existing", "all are new");
    await click("import");
    await shows("report", "Written2");
    await click("done");
    await here.page.waitForSelector(hook("new-entity"));
    const read = (table) => here.page.evaluate(async (table) => {
      const response = await fetch(`https://devstoreaccount1.table.core.windows.net/${table}`, { headers: { accept: "application/json;odata=minimalmetadata" } });
      return (await response.json()).value.map(({ Timestamp, ...rest }) => Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith("odata."))));
    }, table);
    assert.deepEqual(await read("Copied"), await read("Small"));
  });
});

test("while files are dragged over the window it says where they go, and they are imported there", async () => {
  const paths = ["dragged.csv", "second.csv"].map((name) => join(folder, name));
  await Promise.all(paths.map((path) => writeFile(path, "PartitionKey,RowKey\na,1\n")));
  const session = await here.page.createCDPSession();
  const drag = (type) => session.send("Input.dispatchDragEvent", { type, x: 700, y: 400, data: { items: [], files: paths, dragOperationsMask: 1 } });
  const covered = (words) => here.page.waitForFunction((words) => (document.querySelector("#drop-target")?.textContent ?? "") === words, {}, words);
  for (const end of ["dragleave", "mousemove", "drop"]) {
    await go("Small", "settings");
    await here.page.waitForSelector(hook("table-settings"));
    await drag("dragEnter");
    await covered("Drop here to import into Small");
    if (end === "drop") {
      await drag("dragOver"); // now over what covers the window
      await drag("drop");
    } else {
      // The driver reports neither that the window was left nor that the pointer moves.
      await here.page.$eval("#drop-target", (cover, end) => cover.dispatchEvent(new MouseEvent(end, { bubbles: true })), end);
    }
    await covered("");
  }
  await here.page.waitForFunction(() => document.querySelector(".page")?.textContent.includes("Import dragged.csv"));
  await shows("facts", "next: second.csv");
});

test("files that are chosen together are imported one after the other", async () => {
  const paths = ["First.csv", "Second.csv"].map((name) => join(folder, name));
  await Promise.all(paths.map((path, i) => writeFile(path, csv(10 + i))));
  await go("", "import");
  const [chooser] = await Promise.all([here.page.waitForFileChooser(), click("choose-file")]);
  await chooser.accept(paths);
  await shows("facts", "next: Second.csv");
  await shows("next-file", "Skip this file");
  await click("import");
  await shows("next-file", "Next file");
  await click("next-file");
  await here.page.waitForFunction((field) => document.querySelector(field)?.value === "Second", {}, hook("table-name"));
  await gone("next-file");
  await click("import");
  await shows("done", "Open Second");
  assert.deepEqual([await count("First"), await count("Second")], [10, 11]);
});

test("Ctrl+C in the preview copies the whole file", async () => {
  await go("Small", "export");
  await shows("preview", "PartitionKey,RowKey");
  await here.page.evaluate(() => {
    navigator.clipboard.write = async ([item]) => { window.copied = await (await item.getType("text/plain")).text(); };
  });
  await here.page.focus(hook("preview"));
  await press("Control", "c");
  await shows("copy-export", "Copied");
  assert.match(await here.page.evaluate(() => window.copied), /^\ufeff?PartitionKey,RowKey,/);
});

test("a copy of an export that fails rejects the clipboard's request, and says why", async () => {
  await go("Small", "export");
  await shows("preview", "PartitionKey,RowKey");
  await shows("export-file", "Export 2 entities"); // the number moves the buttons
  const faults = (on) => request(here.page, "_sandtable/accounts/devstoreaccount1/faults", {
    method: "PUT", headers: { "content-type": "application/json" },
    body: JSON.stringify({ on, rules: on ? [{ operation: "Query Entities", effect: "OperationTimedOut", every: 1 }] : [] }),
  });
  await here.page.evaluate(() => {
    navigator.clipboard.write = async ([item]) => {
      window.copied = item.getType("text/plain").then((blob) => blob.text(), (error) => `rejected: ${error.message}`);
      await item.getType("text/plain");
    };
  });
  assert.equal((await faults(true)).status, 200);
  await click("copy-export");
  await here.page.waitForFunction(() => document.querySelector(".transfer").textContent.includes("Nothing was exported."));
  assert.match(await here.page.evaluate(() => window.copied), /^rejected: /);
  await faults(false);
  await click("copy-export");
  assert.match(await here.page.evaluate(() => window.copied), /^PartitionKey,RowKey/);
});

test("a large import shows progress, and a cancelled one accounts for every row", async (t) => {
  await go("Large", "import");
  await choose("large.csv", csv(rows));
  await shows("verdict", `${rows.toLocaleString("en")} valid`);
  await click("import");
  await here.page.waitForFunction((bar, cancel) => { // in one step, because the import may be over when the test hears of the bar
    if (!(Number(document.querySelector(bar)?.getAttribute("aria-valuenow")) > 0)) return false;
    document.querySelector(cancel).click();
    return true;
  }, {}, hook("bar"), hook("cancel-import"));
  await shows("report", "Written");
  const [written, , , left] = await here.page.$$eval(`${hook("report")} b`, (all) => all.map((b) => Number(b.textContent.replaceAll(",", ""))));
  assert.equal(written + left, rows);
  assert.ok(written > 0 && left > 0, `${written} written, ${left} left`);
  assert.equal(await count("Large"), written);
  const start = performance.now();
  await here.page.evaluate((bar) => {
    globalThis.seen = new Set();
    new MutationObserver(() => seen.add(document.querySelector(bar)?.getAttribute("aria-valuenow"))).observe(document.body, { subtree: true, childList: true, attributes: true });
  }, hook("bar"));
  await click("import-rest");
  await gone("report"); // the first one
  await shows("report", "Written");
  const seen = await here.page.evaluate(() => [...seen].filter(Boolean));
  assert.ok(seen.length > 3, `the bar was at ${seen}`);
  t.diagnostic(`${left} rows in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  assert.equal(await count("Large"), rows);
});

test("the name of a long column leaves the others their space", async () => {
  await go("Small", "import");
  await choose("long.csv", `PartitionKey,RowKey,${"Column".repeat(20)}\np,1,a\n`);
  await shows("verdict", "1 valid");
  for (const width of [1440, 1024, 760, 390]) {
    await here.page.setViewport({ width, height: 860 });
    const { table, sheet, name } = await here.page.evaluate(() => ({
      table: document.querySelector(".columns").getBoundingClientRect().right,
      sheet: document.querySelector(".transfer").getBoundingClientRect().right,
      name: document.querySelector(".columns tbody th").getBoundingClientRect().width,
    }));
    assert.ok(table <= sheet && name > 80, `${width} px wide: the columns reach to ${table} of ${sheet}, and a name has ${name} px`);
  }
  await here.page.setViewport({ width: 1440, height: 860 });
});

test("the page reported no error", () => {
  assert.deepEqual(here.page.problems, []);
});
