// What the page asks of a browser, in every browser engine: transactions sent past
// fetch, the clipboard, other endpoints, and faults.

import assert from "node:assert/strict";
import { inBrowsers } from "../lib/browsers.mjs";
import { native } from "../lib/native.mjs";
import { byHand, controlled, request } from "../lib/page.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

// What comes of the requests with this seed; 0 is a failed fetch.
const SEEDED = [201, 201, 201, 201, 503, 201, 201, 201, 201, 201, 503, 0];

const address = "https://devstoreaccount1.table.core.windows.net";

inBrowsers(suite);

function suite(engine) {
  const server = native(undefined, "-cors", "permissive");
  const here = visit(async ({ page }) => {
    await page.setViewport?.({ width: 1440, height: 860 });
  }, engine);
  const { hook, click, type, shows, gone } = byHand(() => here.page);
  const go = (args) => here.page.goto(`${here.app.url}?account=devstoreaccount1&${args}`, { waitUntil: "domcontentloaded" });

  /** Creates a table with entities. */
  async function seed(table, ...entities) {
    const headers = { "content-type": "application/json" };
    for (const [path, body] of [["Tables", { TableName: table }], ...entities.map((entity) => [table, entity])]) {
      assert.equal((await request(here.page, `${address}/${path}`, { method: "POST", headers, body: JSON.stringify(body) })).status, 201);
    }
  }

  /** Sets the rules, then inserts entities one after another; returns the statuses, 0 for a failed fetch. */
  const run = (rules, table) => here.page.evaluate(async (address, rules, table) => {
    const json = { "content-type": "application/json" };
    const post = (path, body) => fetch(`${address}/${path}`, { method: "POST", headers: json, body: JSON.stringify(body) }).then(({ status }) => status, (error) => (error instanceof TypeError ? 0 : -1));
    await post("Tables", { TableName: table });
    await fetch("_sandtable/accounts/devstoreaccount1/faults", { method: "PUT", headers: json, body: JSON.stringify({ seed: 20261120, rules }) });
    const statuses = [];
    for (let i = 0; i < 12; i++) statuses.push(await post(table, { PartitionKey: "p", RowKey: String(i) }));
    await fetch("_sandtable/accounts/devstoreaccount1/faults", { method: "PATCH", headers: json, body: '{"on":false}' });
    return statuses;
  }, address, rules, table);

  const entities = async (table) => JSON.parse((await request(here.page, `${address}/${table}()`, { headers: { accept: "application/json" } })).text).value.length;

  test("the transactions of a clone are sent as messages", async () => {
    const { page } = here;
    await seed("Source", ...["a", "b"].map((RowKey) => ({ PartitionKey: "", RowKey })));
    await go("");
    await click("select-table");
    await click("clone-table");
    await type("clone-name", "Copy");
    await page.evaluate(() => {
      globalThis.statuses = [];
      globalThis.fetched = [];
      const [send, fetch] = [globalThis.sandtableSend, globalThis.fetch];
      globalThis.sandtableSend = async (...request) => {
        const answer = await send(...request);
        statuses.push(answer?.status ?? null);
        return answer;
      };
      globalThis.fetch = (url, ...rest) => (fetched.push(String(url)), fetch(url, ...rest));
    });
    await click("clone");
    await shows("grid-row", "b");
    const { statuses, fetched } = await page.evaluate(() => ({ statuses, fetched }));
    assert.deepEqual(statuses, [202]);
    assert.deepEqual(fetched.filter((url) => url.endsWith("/$batch")), []);
  });

  test("after the worker was stopped, a transaction is still sent as a message, and one to another endpoint is not", async () => {
    const { page } = here;
    await engine.stopWorkers(page); // this may reload the page
    await controlled(page);
    const lines = ["--b", "Content-Type: multipart/mixed; boundary=c", "", "--c", "Content-Type: application/http", "", "POST table/devstoreaccount1/Nothing HTTP/1.1", "", "{}", "--c--", "--b--", ""];
    const answers = await page.evaluate(async (body) => {
      const send = (url) => sandtableSend("POST", new URL(url, document.baseURI).href, "\nContent-Type:multipart/mixed; boundary=b", new TextEncoder().encode(body));
      return [(await send("table/devstoreaccount1/$batch")).status, await send("https://elsewhere.example/table/devstoreaccount1/$batch")];
    }, lines.join("\r\n"));
    assert.deepEqual(answers, [202, null]);
  });

  test("an export is copied, although the table is read after the click", async () => {
    await seed("Things", { PartitionKey: "p", RowKey: "r", When: "2026-01-01T00:00:00Z", "When@odata.type": "Edm.DateTime" });
    await go("table=Things&page=export");
    await click("copy-export");
    await shows("copy-export", "Copied");
  });

  test("the types of an entity's properties fit their fields", async () => {
    await go("table=Things&entity=p%2Fr");
    await here.page.waitForSelector(".panel .field select");
    const [given, needed] = await here.page.evaluate(() => {
      const select = [...document.querySelectorAll(".panel .field select")].find((select) => select.selectedOptions[0].textContent === "DateTime");
      const copy = select.cloneNode(true);
      copy.replaceChildren(new Option("DateTime"));
      copy.style.width = "max-content";
      select.after(copy);
      const widths = [select.offsetWidth, copy.offsetWidth];
      copy.remove();
      return widths;
    });
    assert.ok(needed <= given, `${needed} px are needed, ${given} px are there`);
  });

  test("a request marked as the network's goes there, even to an address of the worker's", async () => {
    const own = "table/devstoreaccount1/Tables"; // the site's server answers it with 404
    assert.equal((await request(here.page, own)).status, 200);
    assert.equal((await request(here.page, own + "#network")).status, 404);
  });

  test("an account of a native server is connected, and disconnected again", async () => {
    await go("");
    await here.page.waitForSelector(`${hook("new-endpoint")}:not([disabled])`, { visible: true });
    await click("new-endpoint");
    await type("endpoint-text", server.connection);
    await click("connect-endpoint");
    await shows("status-pill", "Connected");
    await click("new-remote-table");
    await type("table-name", "Elsewhere");
    await click("create-table");
    await shows("loaded", "No entities");
    await shows("table-item", "Elsewhere");
    const stored = await here.page.evaluate(() => JSON.stringify([location.href, { ...localStorage }]));
    assert.ok(!stored.includes(server.key) && !stored.includes(encodeURIComponent(server.key)), stored);
    await click("disconnect");
    await click("confirm");
    await gone("remote-item");
  });

  test("the same seed fails the same requests in every engine", async () => {
    const statuses = await run([{ operation: "any write", effect: "ServerBusy", share: 0.3 }, { operation: "any write", effect: "answerLost", share: 0.2 }], "Seeded");
    assert.deepEqual(statuses, SEEDED);
    assert.equal(await entities("Seeded"), statuses.filter((status) => status !== 503).length);
  });

  test("a cut connection is a failed fetch, and nothing was done", async () => {
    const statuses = await run([{ operation: "any write", effect: "connectionCut", every: 3 }], "Cut");
    assert.deepEqual(statuses, Array.from({ length: 12 }, (_, i) => (i % 3 === 2 ? 0 : 201)));
    assert.equal(await entities("Cut"), 8);
  });

  test("the page shows the rules and what they did", async () => {
    await go("page=faults");
    // All at once, while requests are sent: rules are in memory, and Firefox soon stops an idle worker.
    const shown = Promise.all([shows("fault-rules", "connection cut"), shows("fault-hits", "connection cut · rule 1"), shows("fault-bar", "Faults are off")]);
    await run([{ operation: "any write", effect: "connectionCut", every: 3 }], "Shown");
    await shown;
  });
}
