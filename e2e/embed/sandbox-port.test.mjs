// Code in a sandboxed frame with an opaque origin, whose requests a page answers.

import assert from "node:assert/strict";
import { inBrowsers } from "../lib/browsers.mjs";
import { outcome, pageOf } from "../lib/embed-site.mjs";
import { embedding } from "../lib/embedding.mjs";
import { test } from "../lib/test.mjs";


// The frame's policy leaves it no network: what it reaches, it reaches over the port.
const frame = `<!doctype html><meta http-equiv="content-security-policy" content="default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:"><script>
  addEventListener("message", async ({ data, ports: [port] }) => {
    const script = document.createElement("script");
    script.textContent = data.sdk;
    document.head.append(script);
    const { createClient, describeError } = await import(URL.createObjectURL(new Blob([data.module], { type: "text/javascript" })));
    const client = createClient(port);
    const refused = (promise) => promise.then(() => "allowed", (reason) => describeError(reason).status + " " + describeError(reason).code);
    const codeOf = async (response) => response.status + " " + (await response.json())["odata.error"]?.code;
    const run = new Function("client", "sdk", "refused", "codeOf", "return (" + data.code + ")()");
    parent.postMessage({ origin: self.origin, result: await run(client, sdk, refused, codeOf).catch(String) }, "*");
  }, { once: true });
</script>`;

/** Runs code in a new frame; returns its origin and what the code returned. */
function inFrame(page, options, code) {
  return page.evaluate(
    async (frame, options, code) => {
      const [module, sdk] = await Promise.all(["sandtable.js", "sdk.js"].map(async (file) => (await fetch(file)).text()));
      const element = document.createElement("iframe");
      element.setAttribute("sandbox", "allow-scripts");
      element.srcdoc = frame;
      const loaded = new Promise((resolve) => (element.onload = resolve));
      document.body.append(element);
      await loaded;
      const { port1, port2 } = new MessageChannel();
      const disconnect = sandtable.connect(port1, options);
      const result = new Promise((resolve) => addEventListener("message", ({ data, source }) => source === element.contentWindow && resolve(data)));
      element.contentWindow.postMessage({ module, sdk, code }, "*", [port2]);
      const ended = await result;
      disconnect();
      element.remove();
      return ended;
    },
    frame,
    options,
    code.toString(),
  );
}

inBrowsers(suite);

function suite(engine) {
  const here = embedding(engine);

  for (const mode of ["service worker", "worker"]) {
    test(`an SDK client in an opaque origin uses the allowed account alone, with a ${mode}`, async () => {
      const start = `{ accounts: ["visitor", "other", { name: "closed", access: "strict" }], fallback: ${mode === "worker" ? '"worker"' : false} }`;
      const { url } = await here.site("/", { "index.html": pageOf(start).replace("<script", "<body><script") });
      const page = await here.browser.newPage();
      await page.goto(url);
      assert.equal(await outcome(page), "started");

      const { origin, result } = await inFrame(page, { accounts: ["visitor", "closed", "missing"] }, async () => {
        const address = (account) => `https://${account}.table.core.windows.net`;
        const clientOf = (account, table = "Orders") => new sdk.TableClient(address(account), table, { httpClient: client.httpClient, retryOptions: { maxRetries: 0 } });
        const orders = clientOf("visitor");
        await orders.createTable();
        await orders.createEntity({ partitionKey: "p", rowKey: "é", n: 1 });
        await orders.submitTransaction([["create", { partitionKey: "p", rowKey: "2" }]]);
        const rows = [];
        for await (const { rowKey } of orders.listEntities()) rows.push(rowKey);
        const json = { headers: { accept: "application/json" } };
        return {
          rows,
          fetched: (await (await client.fetch(address("visitor") + "/Tables", json)).json()).value.map(({ TableName }) => TableName),
          missingEntity: await refused(orders.getEntity("p", "none")),
          other: await refused(clientOf("other").createTable()),
          missing: await refused(clientOf("missing").createTable()),
          closed: (await refused(clientOf("closed").createTable())).split(" ")[0],
          control: await codeOf(await client.fetch(address("visitor") + "/_sandtable/accounts")),
          elsewhere: await codeOf(await client.fetch("https://example.com/")),
          network: await fetch(address("visitor") + "/Tables").then(() => "reached", () => "refused"),
        };
      });
      assert.equal(origin, "null");
      assert.deepEqual(result, {
        rows: ["2", "é"],
        fetched: ["Orders"],
        missingEntity: "404 ResourceNotFound",
        other: "403 AuthorizationFailure",
        missing: "403 AuthorizationFailure",
        closed: "404",
        control: "403 AuthorizationFailure",
        elsewhere: "403 AuthorizationFailure",
        network: "refused",
      });
      const tables = await page.evaluate(async () => Object.fromEntries((await sandtable.accounts.list()).map(({ name, tables }) => [name, tables])));
      assert.deepEqual([tables.visitor, tables.other, tables.closed], [1, 0, 0]);

      const reader = await inFrame(page, { accounts: ["visitor"], operations: ["Query Entities", "Entity Group Transaction"] }, async () => {
        const orders = new sdk.TableClient("https://visitor.table.core.windows.net", "Orders", { httpClient: client.httpClient });
        const rows = [];
        for await (const { rowKey } of orders.listEntities()) rows.push(rowKey);
        return [rows.length, await refused(orders.deleteEntity("p", "2")), await refused(orders.submitTransaction([["delete", { partitionKey: "p", rowKey: "2" }]]))];
      });
      assert.deepEqual(reader.result, [2, "403 AuthorizationPermissionMismatch", "403 AuthorizationPermissionMismatch"]);
    });
  }
}
