// A page reads what it shows once its stream of events has started, so that it hears of every later change;
// where the stream is late, it does not wait, and says later that changes may have been missed.

import assert from "node:assert/strict";
import { byHand, json, request } from "../lib/page.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const table = "devstoreaccount1/People";
const entity = (name) => ({
  method: "POST", headers: { "content-type": "application/json", prefer: "return-no-content" }, body: JSON.stringify({ PartitionKey: "p", RowKey: name, Name: name }) });

const here = visit(async ({ page }) => {
  await request(page, "table/devstoreaccount1/Tables", json({ TableName: "People" }));
  await insert("Amara");
  await page.evaluateOnNewDocument((address, berit) => {
    const Original = EventSource;
    const connected = new Promise((resolve) => (globalThis.connect = resolve));
    // An EventSource that sends no request before connect() is called, or a row was inserted.
    globalThis.EventSource = class extends EventTarget {
      constructor(url) {
        super();
        globalThis.asked = true;
        globalThis.stream = this;
        if (location.hash === "#insert") fetch(address, berit).then(connect);
        connected.then(() => (this.source = this.closed ? null : new Original(url))).then((source) => {
          for (const type of source ? ["start", "change", "position", "lost", "error"] : []) {
            source.addEventListener(type, ({ data, lastEventId }) => this.dispatchEvent(new MessageEvent(type, { data, lastEventId })));
          }
        });
      }
      get readyState() {
        return this.source?.readyState ?? Original.CONNECTING;
      }
      close() {
        this.closed = true;
        this.source?.close();
      }
    };
  }, "table/" + table, entity("Berit"));
});
const { hook, shows } = byHand(() => here.page);

async function insert(name) {
  const { status } = await request(here.page, "table/" + table, entity(name));
  assert.equal(status, 204);
}

async function openTable(hash) {
  await here.page.goto("about:blank"); // a change of the hash alone loads no page
  await here.page.goto(`${here.app.url}?account=devstoreaccount1&table=People#${hash}`, { waitUntil: "domcontentloaded" });
  await here.page.waitForFunction(() => globalThis.asked);
}

test("a row that is inserted just before the events start is shown", async () => {
  await openTable("insert");
  await shows("grid-row", "Berit");
  await insert("Chidi");
  await here.page.waitForSelector(`${hook("show-new")}, ${hook("read-again")}`); // the latter where the start took seconds
});

test("events that start late keep no page from opening, and it offers to read again", async () => {
  await openTable("");
  await shows("grid-row", "Chidi");
  assert.equal(await here.page.$(hook("read-again")), null);
  await insert("Dora");
  await here.page.evaluate(() => connect());
  await here.page.waitForSelector(hook("read-again"));
});

test("a row that is inserted while a stream reconnects is shown", async () => {
  await openTable("insert");
  await shows("grid-row", "Dora");
  await here.page.evaluate(() => new Promise((resolve) => stream.addEventListener("error", resolve, { once: true }))); // the worker ends it after ten seconds
  await insert("Emeka");
  await here.page.waitForSelector(hook("show-new"));
});
