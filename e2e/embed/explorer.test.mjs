// The explorer of an embedding site: sandtable.openExplorer() shows the page's own store, live.

import assert from "node:assert/strict";
import { after, before, describe, test } from "../lib/test.mjs";
import { dropProfile, launch, newProfile, stopWorkers } from "../lib/browser.mjs";
import { chosenEngines } from "../lib/browsers.mjs";
import { pageOf, serveSite, visitSite } from "../lib/embed-site.mjs";
import { clickStill } from "../lib/page.mjs";

const button = '<button onclick="sandtable.openExplorer({ table: \'Customers\' })">Look</button>';

/** A demo in a folder, with its files in another one that is outside the worker's scope. */
const apart = (options) => ({
  "demo/index.html": button + pageOf(options, "../lib/sandtable.js").replace('src="sdk.js"', 'src="../sdk.js"'),
  "demo/sandtable-worker.js": 'importScripts("../lib/sandtable-worker.js");',
});

const ways = [
  { name: "a service worker next to the page", site: { "index.html": button + pageOf("{ fallback: false }") }, path: "", mode: "service worker" },
  { name: "a service worker whose files are in another folder", site: apart('{ fallback: false, worker: "sandtable-worker.js" }'), path: "demo/index.html", copied: "lib/", mode: "service worker", store: "/demo/" },
  { name: "a plain worker", site: { "index.html": button + pageOf('{ fallback: "worker" }') }, path: "", mode: "worker" },
  { name: "a plain worker whose files are in another folder", site: apart('{ fallback: "worker" }'), path: "demo/index.html", copied: "lib/", mode: "worker", store: "/demo/" },
];

/** Writes an entity with the SDK in a demo. */
const write = (page, name) =>
  page.evaluate(async (name) => {
    const client = new sdk.TableClient(sandtable.endpoint(), "Customers");
    await client.createTable();
    await client.createEntity({ partitionKey: "EU", rowKey: name, name });
  }, name);

/** Waits until the explorer shows a text. */
const shows = (explorer, text) => explorer.waitForFunction((text) => document.body?.textContent.includes(text), { polling: 50 }, text);

/** The message of an explorer that cannot start. */
const refusal = async (explorer) => {
  await explorer.waitForSelector(".boot [role=alert]");
  return explorer.evaluate(() => document.querySelector(".boot [role=alert]").textContent);
};

describe("Chromium", () => {
  const sites = [];
  let profile, browser;

  async function site(files, how) {
    sites.push(await serveSite("/", files, how));
    return sites.at(-1);
  }

  async function openExplorer(demo) {
    const opened = new Promise((resolve) => demo.once("popup", resolve));
    await demo.click("button");
    const explorer = await opened;
    explorer.problems = [];
    explorer.on("pageerror", (error) => explorer.problems.push(String(error)));
    return explorer;
  }

  before(async () => {
    profile = await newProfile();
    browser = await launch(profile);
  });

  after(async () => {
    await browser?.close();
    sites.forEach((one) => one.stop());
    await dropProfile(profile);
  });

  for (const { name, site: files, path, copied, mode, store } of ways) {
    test(name, async () => {
      const { url, requested } = await site(files, { copied });
      const demo = await visitSite(browser, url + path);
      assert.equal(demo.outcome, "started");
      assert.equal((await demo.evaluate(() => sandtable.status())).mode, mode);
      assert.ok(!requested.some((file) => file.includes("/explorer/")), "the page loads no file of the explorer");
      await write(demo, "Amara");

      const explorer = await openExplorer(demo);
      await shows(explorer, "Amara");
      assert.equal(new URL(explorer.url()).searchParams.get("store"), store ?? null);
      await write(demo, "Berit");
      await explorer.waitForSelector('[data-testid="show-new"]');
      await explorer.click('[data-testid="show-new"]');
      await shows(explorer, "Berit");

      // What the user does in the explorer reaches the demo.
      await demo.evaluate(() => {
        globalThis.created = new Promise((resolve) => sandtable.on("change", ({ kind, table }) => kind === "tableCreated" && resolve(table)));
      });
      await explorer.click('[data-testid="new-table"]');
      await explorer.waitForSelector('[data-testid="table-name"]');
      await explorer.type('[data-testid="table-name"]', "Orders\n");
      assert.equal(await demo.evaluate(() => created), "Orders");

      // Links and reloads stay in the store, and the explorer does not need the demo.
      assert.equal(new URL(explorer.url()).searchParams.get("store"), store ?? null);
      await demo.close();
      await explorer.reload();
      await shows(explorer, "Orders");
      const link = await explorer.waitForSelector('[data-testid="table-item"] ::-p-text(Customers)');
      await link.click();
      await shows(explorer, "Berit");
      assert.ok(!(await explorer.evaluate(() => document.body.textContent)).includes("Lessons"));
      assert.deepEqual(explorer.problems, []);
      await explorer.close();
    });
  }

  for (const [what, act] of [
    ["the browser stops an idle service worker", (demo) => stopWorkers(demo)],
    ["another service worker takes over", async (demo, files) => {
      files["sandtable-worker.js"] = (await (await fetch(demo.url() + "sandtable-worker.js")).text()) + "\n";
      await demo.evaluate(async () => {
        const update = new Promise((resolve) => sandtable.on("update", resolve));
        await (await navigator.serviceWorker.getRegistration()).update();
        await (await update).take();
      });
    }],
  ]) {
    test(`the explorer stays live when ${what}`, async () => {
      const { url, files } = await site(ways[0].site);
      const demo = await visitSite(browser, url);
      await write(demo, "Amara");
      const explorer = await openExplorer(demo);
      await shows(explorer, "Amara");
      await act(demo, files);
      await write(demo, "Berit");
      await explorer.waitForFunction(() => document.querySelector('[data-testid="show-new"], [data-testid="read-again"]'), { polling: 50 });
      await explorer.click('[data-testid="show-new"], [data-testid="read-again"]');
      await shows(explorer, "Berit");
      assert.deepEqual(explorer.problems, []);
    });
  }

  for (const { name, site: files, mode } of [ways[0], ways[2]]) {
    test(`requests, and a check of the store: ${name}`, async () => {
      const { url } = await site(files);
      const demo = await visitSite(browser, url);
      assert.equal((await demo.evaluate(() => sandtable.status())).mode, mode);
      await write(demo, "Amara");
      const page = await browser.newPage();
      await page.goto(url + "explorer/?page=requests");
      await shows(page, "create table"); // was answered before the page was opened
      await demo.evaluate(() => new sdk.TableClient(sandtable.endpoint(), "Customers").deleteTable());
      await shows(page, "delete table");
      await page.goto(url + "explorer/?page=storage");
      await clickStill(page, "button ::-p-text(Check the tables)"); // where it is once the page stands still; its answer comes in parts
      await shows(page, "Nothing is wrong");
      await page.close();
    });
  }

  test("an explorer of another build than the worker says so", async () => {
    const { url, files } = await site({ ...ways[0].site });
    const script = await (await fetch(url + "sandtable-worker.js")).text();
    const [, build] = /"([0-9a-f]{16})"/.exec(script);
    files["sandtable-worker.js"] = script.replaceAll(build, "0123456789abcdef");
    const demo = await visitSite(browser, url);
    await write(demo, "Amara");
    const explorer = await openExplorer(demo);
    await shows(explorer, "different versions"); // it has reloaded itself once
    await shows(explorer, "Amara");
  });

  test("a second call shows the same window", async () => {
    const { url } = await site(ways[0].site);
    const demo = await visitSite(browser, url);
    await write(demo, "Amara");
    const explorer = await openExplorer(demo);
    await shows(explorer, "Amara");
    const windows = (await browser.pages()).length;
    await demo.bringToFront();
    await Promise.all([explorer.waitForNavigation(), demo.click("button")]);
    await shows(explorer, "Amara");
    assert.equal((await browser.pages()).length, windows);
  });

  test("a link of another site opens nothing but a store of this one", async () => {
    const { url } = await site(ways[0].site);
    const other = await site({ "index.html": `<iframe src="${url}explorer/"></iframe>` });
    const demo = await visitSite(browser, url);
    await write(demo, "Amara");
    const page = await browser.newPage();
    for (const store of ["//example.com/", "https://example.com/", "javascript:alert(1)//", "/%00/../.."]) {
      await page.goto(`${url}explorer/?table=Customers&account=devstoreaccount1&store=${encodeURIComponent(store)}`);
      await page.waitForFunction(() => globalThis.sandtableExplorer !== undefined);
      assert.equal(new URL(await page.evaluate(() => sandtableExplorer.scope)).origin, new URL(url).origin, store);
    }
    await page.goto(`${url}explorer/?store=/none/`);
    assert.match(await refusal(page), /no tables of http:\/\/localhost:\d+\/none\/ yet/);
    assert.ok(!(await page.evaluate(() => indexedDB.databases())).some(({ name }) => name.includes("/none/")));
    await page.goto(other.url);
    const frame = page.frames().find((one) => one.url().includes("/explorer/"));
    assert.match(await refusal(frame), /another site shows this one in a frame/);
    await page.goto(`${url}none.html`).catch(() => {});
    await page.evaluate((src) => document.body.append(Object.assign(document.createElement("iframe"), { src })), `${url}explorer/?account=devstoreaccount1&table=Customers`);
    await page.waitForFunction(() => frames[0]?.document.body?.textContent.includes("Amara"));
  });

  test("errors say what to do", async () => {
    const { url } = await site(ways[0].site);
    const demo = await visitSite(browser, url);
    const failure = (call) => demo.evaluate(`(() => { try { ${call} } catch ({ code, message }) { return [code, message]; } })()`);
    assert.equal((await failure("open = () => null; sandtable.openExplorer()"))[0], "PopupBlocked");
    assert.equal((await failure('sandtable.openExplorer({ tabel: "Customers" })'))[0], "InvalidOption");
    assert.equal((await failure('sandtable.explorerUrl({ table: "a/b" })'))[0], "InvalidOption");
    assert.equal(await demo.evaluate(() => sandtable.explorerUrl()), url + "explorer/");
    assert.equal(await demo.evaluate(() => sandtable.explorerUrl({ account: "shop" })), url + "explorer/?account=shop");
  });
});

for (const { name, launch: start } of chosenEngines().filter(({ name }) => name !== "Chromium")) {
  describe(name, () => {
    let profile, browser, site;

    before(async () => {
      profile = await newProfile();
      browser = await start(profile);
      site = await serveSite("/", { ...ways[0].site, "plain/index.html": pageOf('{ fallback: "worker", scope: "./" }', "../sandtable.js").replace('src="sdk.js"', 'src="../sdk.js"') });
    });

    after(async () => {
      await browser?.close();
      site?.stop();
      await dropProfile(profile);
    });

    for (const [mode, path] of [["service worker", ""], ["worker", "plain/index.html"]]) {
      test(mode, async () => {
        const demo = await visitSite(browser, site.url + path);
        assert.equal(demo.outcome, "started");
        assert.equal((await demo.evaluate(() => sandtable.status())).mode, mode);
        await write(demo, "Amara");
        const explorer = await browser.newPage();
        await explorer.goto(await demo.evaluate(() => sandtable.explorerUrl({ table: "Customers" })));
        await shows(explorer, "Amara");
        await write(demo, "Berit");
        await explorer.waitForSelector('[data-testid="show-new"]');
      });
    }
  });
}
