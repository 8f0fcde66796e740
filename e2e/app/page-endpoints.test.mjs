// Accounts of other endpoints in the page: a native server, reached by connection string, SAS URL, or account and key.
// Its keys are nowhere in the browser unless the user chose to remember them.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as sdk from "@azure/data-tables";
import { native } from "../lib/native.mjs";
import { byHand, controlled } from "../lib/page.mjs";
import { after, test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const folder = await mkdtemp(join(tmpdir(), "sandtable-endpoints-"));
after(() => rm(folder, { recursive: true, force: true }));

const server = native();
const here = visit(async ({ page }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await page.waitForSelector(`${hook("new-table")}:not([disabled])`);
});

const { hook, click, chooseFile, replace, shows, gone } = byHand(() => here.page);
const owner = () => sdk.TableServiceClient.fromConnectionString(server.connection, { allowInsecureConnection: true });
const things = () => sdk.TableClient.fromConnectionString(server.connection, "Things", { allowInsecureConnection: true });
const id = () => `${server.account}@127.0.0.1:${server.port}`;

/** Everything that the page's origin keeps in the browser, as text: bytes are read as Latin-1. */
function kept() {
  return here.page.evaluate(async () => {
    const found = [location.href, JSON.stringify(history.state), document.cookie, JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })];
    const text = (value) => {
      if (value instanceof ArrayBuffer) return new TextDecoder("latin1").decode(value);
      if (ArrayBuffer.isView(value)) return new TextDecoder("latin1").decode(value);
      if (value !== null && typeof value === "object") return Object.entries(value).map(([name, part]) => name + " " + text(part)).join(" ");
      return String(value);
    };
    for (const { name } of await indexedDB.databases()) {
      const database = await new Promise((resolve, reject) => {
        const request = indexedDB.open(name);
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
      for (const store of database.objectStoreNames) {
        const all = (method) => new Promise((resolve, reject) => {
          const request = database.transaction(store).objectStore(store)[method]();
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
        found.push(text(await all("getAllKeys")), text(await all("getAll")));
      }
      database.close();
    }
    for (const name of await caches.keys()) {
      for (const request of await (await caches.open(name)).keys()) found.push(request.url);
    }
    return found;
  });
}

/** Fails if a secret is anywhere in what the browser keeps. */
async function keptNowhere(secret) {
  const found = await kept();
  assert.ok(found.slice(5).some((text) => text.includes("devstoreaccount1")), "IndexedDB could not be read");
  for (const form of [secret, encodeURIComponent(secret), encodeURIComponent(encodeURIComponent(secret))]) {
    assert.equal(found.filter((text) => text.includes(form)).map((text) => text.slice(0, 200)).length, 0);
  }
}

async function form() {
  await click("new-endpoint");
  await here.page.waitForSelector(hook("connect-endpoint"), { visible: true });
}

async function disconnect() {
  await click("disconnect");
  await click("confirm");
  await gone("remote-item");
}

test("what is wrong with a connection string is said at the field", async () => {
  await form();
  await replace("endpoint-text", "AccountName=acc;AccountKey=%%");
  await click("connect-endpoint");
  await shows("endpoint-problem", "not valid Base64");
});

test("an account without a CORS rule for the page: the rule that is missing is shown", async () => {
  await replace("endpoint-text", server.connection);
  await click("connect-endpoint");
  await shows("endpoint-problem", "no CORS rule");
  await shows("endpoint-problem", new URL(here.app.url).origin);
  await shows("cors-command", "az storage cors add");
  await gone("remote-item");
});

test("an endpoint that is down is not mistaken for a blocked one", async () => {
  await replace("endpoint-text", "DefaultEndpointsProtocol=http;AccountName=acc;AccountKey=c2VjcmV0;TableEndpoint=http://127.0.0.1:9/acc");
  await click("connect-endpoint");
  await shows("endpoint-problem", "Nothing answers at 127.0.0.1:9");
});

test("with the rule, a connection string connects; tables and entities work", async () => {
  await owner().setProperties({ cors: [{ allowedOrigins: new URL(here.app.url).origin, allowedMethods: "DELETE,GET,HEAD,MERGE,OPTIONS,PATCH,POST,PUT", allowedHeaders: "*", exposedHeaders: "*", maxAgeInSeconds: 3600 }] });
  await replace("endpoint-text", server.connection);
  await click("connect-endpoint");
  await shows("remote-item", server.account);
  await shows("status-pill", "Connected");
  await click("new-remote-table");
  await replace("table-name", "Things");
  await click("create-table");
  await shows("loaded", "No entities");
  await things().createEntity({ partitionKey: "p", rowKey: "1", Name: "Amara" });
  await here.page.keyboard.press("F5");
  await shows("grid-row", "Amara");
  await shows("loaded", "All 1 loaded");
});

test("import and export work against it", async () => {
  await click("import");
  await chooseFile("choose-file", join(folder, "things.csv"), "PartitionKey,RowKey,Name\np,2,Bo\np,3,\"Elif, Jr\"\n");
  await shows("verdict", "2 valid");
  await click("import");
  await shows("report", "Written2");
  const names = [];
  for await (const entity of things().listEntities()) names.push(entity.Name);
  assert.deepEqual(names, ["Amara", "Bo", "Elif, Jr"]);

  const session = await here.browser.target().createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, eventsEnabled: true });
  await click("done");
  await click("export");
  await shows("preview", "PartitionKey,RowKey");
  const done = new Promise((resolve) => {
    let name;
    session.on("Browser.downloadWillBegin", (event) => (name = event.suggestedFilename));
    session.on("Browser.downloadProgress", (event) => event.state === "completed" && resolve(name));
  });
  await click("export-file");
  assert.match(await readFile(join(folder, await done), "utf8"), /"Elif, Jr"/);
});

test("the key is nowhere in the browser, and gone after a reload", async () => {
  await keptNowhere(server.key);
  await here.page.goto(`${here.app.url}?account=${encodeURIComponent(id())}&table=Things`, { waitUntil: "domcontentloaded" });
  await here.page.waitForSelector(hook("connect-again"), { visible: true });
  await gone("remote-item");
  await keptNowhere(server.key);
});

test("a SAS URL of a table connects to that table alone", async () => {
  const sas = sdk.generateTableSas("Things", new sdk.AzureNamedKeyCredential(server.account, server.key), { permissions: { query: true }, expiresOn: new Date(Date.now() + 3600_000) });
  await click("connect-again");
  await replace("endpoint-text", `${server.path}/Things?${sas}`);
  await click("connect-endpoint");
  await shows("grid-row", "Amara");
  await shows("remote-host", "by SAS");
  assert.equal((await here.page.$$(hook("new-remote-table"))).length, 0);
  await keptNowhere(new URLSearchParams(sas).get("sig"));
  await disconnect();
});

test("account and key connect; remembered, they are there after a reload, and disconnecting deletes them", async () => {
  await form();
  await here.page.click('[data-choice="key"]');
  await replace("endpoint-endpoint", `http://127.0.0.1:${server.port}`);
  await replace("endpoint-account", server.account);
  await replace("endpoint-key", server.key);
  await click("remember");
  await shows("remember-hint", "in plain text");
  await click("connect-endpoint");
  await shows("table-item", "Things");
  assert.ok((await kept()).some((text) => text.includes(server.key)), "the key is not remembered");
  await here.page.reload({ waitUntil: "domcontentloaded" });
  await shows("table-item", "Things");
  await disconnect();
  await keptNowhere(server.key);
});

test("a link names an account and a table: nothing is sent before the user connects", async () => {
  const sent = [];
  const listen = (request) => request.url().startsWith(server.path) && sent.push(request.url());
  here.page.on("request", listen);
  await here.page.goto(`${here.app.url}?page=endpoint&endpoint=${encodeURIComponent(server.path)}&open=Things`, { waitUntil: "domcontentloaded" });
  await shows("linked", `the table Things of the account ${server.account} at ${server.path}`);
  assert.deepEqual(sent, []);
  await replace("endpoint-key", server.key);
  await click("connect-endpoint");
  await shows("grid-row", "Amara");
  here.page.off("request", listen);
  await keptNowhere(server.key);
  await disconnect();
});

test("a link with a signature is refused, and leaves the address", async () => {
  await here.page.goto(`${here.app.url}?page=endpoint&endpoint=${encodeURIComponent(server.path + "/Things?sv=1&sig=verysecret")}`, { waitUntil: "domcontentloaded" });
  await shows("endpoint-problem", "do not belong in links");
  await here.page.waitForFunction(() => !location.href.includes("verysecret"));
  await keptNowhere("verysecret");
});

test("a connected account never meets the account of this browser that has the same address", async () => {
  // This browser has an account devstoreaccount1, whose worker answers at the emulator's address; nothing else does.
  await here.page.goto(here.app.url, { waitUntil: "domcontentloaded" });
  await controlled(here.page);
  const address = "http://127.0.0.1:10002/devstoreaccount1/Tables";
  const answers = (url) => here.page.evaluate((url) => fetch(url, { mode: "no-cors" }).then(() => true, () => false), url);
  assert.equal(await answers(address), true);
  assert.equal(await answers(address + "#network"), false, "the worker has answered, or a server has this port");
});

test("the page reported no error", () => {
  assert.deepEqual(here.page.problems, []);
});
