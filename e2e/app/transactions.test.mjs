// The explorer's transactions go to the worker as messages, past fetch.

import assert from "node:assert/strict";
import { inBrowsers } from "../lib/browsers.mjs";
import { byHand, controlled } from "../lib/page.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

inBrowsers((engine) => {
  const here = visit(async ({ page }) => {
    await page.setViewport?.({ width: 1440, height: 860 });
  }, engine);
  const { click, type, shows } = byHand(() => here.page);

  test("a clone is written by messages", async () => {
    const { page } = here;
    await page.goto(here.app.url, { waitUntil: "domcontentloaded" });
    await page.evaluate(async () => {
      const post = async (path, body) => {
        const { status } = await fetch("https://devstoreaccount1.table.core.windows.net/" + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
        if (status !== 201) throw new Error(path + " " + status);
      };
      await post("Tables", { TableName: "Source" });
      for (const RowKey of ["a", "b"]) await post("Source", { PartitionKey: "", RowKey });
    });
    await page.goto(`${here.app.url}?account=devstoreaccount1`, { waitUntil: "domcontentloaded" });
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

  test("so they are once the worker was stopped, and other endpoints' are fetched", async () => {
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
});
