// The settings of an account: what the page saves is what the SDK reads, and nothing is deleted before its name is typed.

import assert from "node:assert/strict";
import { addSDK, byHand, connection, json, request } from "../lib/page.mjs";
import { test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const here = visit(async ({ page }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await page.waitForSelector(`${hook("new-table")}:not([disabled])`);
  await request(page, "_sandtable/accounts", json({ name: "second" }));
});

const { hook, click, replace, shows, gone } = byHand(() => here.page);

async function go(query) {
  await here.page.goto(here.app.url + query, { waitUntil: "domcontentloaded" });
}

const accounts = async () => JSON.parse((await request(here.page, "_sandtable/accounts")).text).accounts;

test("service properties are shown as they will be sent, and the SDK reads what was saved", async () => {
  await go("?account=second&page=settings");
  await click("log-write");
  await replace("days-log", "0");
  await here.page.waitForSelector(`${hook("save-properties")}[disabled]`);
  await replace("days-log", "7");
  await shows("will-be-sent", "<Days>7</Days>");
  await shows("unsaved", "2 changes not saved");
  await click("save-properties");
  await gone("will-be-sent");
  await addSDK(here.page);
  const stored = await here.page.evaluate(async ({ connectionString }) => sdk.TableServiceClient.fromConnectionString(connectionString).getProperties(), await connection(here.page, "second"));
  assert.equal(stored.logging.write, true);
  assert.equal(stored.logging.read, false);
  assert.deepEqual(stored.logging.retentionPolicy, { enabled: true, days: 7 });
});

test("leaving with unsaved properties asks first", async () => {
  await click("log-delete");
  await click("tab-access");
  await here.page.waitForSelector(hook("confirm"), { visible: true });
  await click("confirm");
  await here.page.waitForSelector(hook("sas-form"));
});

test("a strict account refuses unsigned requests", async () => {
  await go("?account=second&page=settings");
  await here.page.waitForSelector(hook("account-settings"));
  const unsigned = async () => (await request(here.page, "https://second.table.core.windows.net/Tables")).status;
  assert.equal(await unsigned(), 200);
  await here.page.click('[data-choice="strict"]');
  await here.page.waitForSelector('[data-choice="strict"][aria-pressed="true"]');
  assert.equal(await unsigned(), 404); // as the service: an anonymous request finds nothing
});

test("an account is deleted once its name is typed", async () => {
  await replace("delete-name", "secon");
  await here.page.keyboard.press("Enter");
  await here.page.waitForSelector(`${hook("delete-forever")}[disabled]`);
  assert.equal((await accounts()).length, 2);
  await replace("delete-name", "second");
  await click("delete-forever");
  await here.page.waitForFunction((selector) => document.querySelectorAll(selector).length === 1, {}, hook("account-item"));
  assert.deepEqual((await accounts()).map(({ name }) => name), ["devstoreaccount1"]);
});

test("a deleted table's name is blocked if a setting says so, and comes back from the snapshot that was taken first", async () => {
  const table = "https://devstoreaccount1.table.core.windows.net/Tables";
  const headers = { "content-type": "application/json", accept: "application/json;odata=nometadata" };
  await request(here.page, table, { method: "POST", headers, body: '{"TableName":"Precious"}' });
  await go("?account=devstoreaccount1&table=Precious&page=settings");
  for (const fact of ["0 entities in 0 partitions", "0 of 5", "Created20"]) await shows("table-settings", fact);
  await here.page.click('[data-choice="40s"]');
  await here.page.waitForFunction(() => document.querySelector(".removal").textContent.includes("The name stays blocked for 40s."));
  await replace("delete-name", "Precious");
  await click("delete-forever");
  await here.page.waitForFunction(() => !location.search.includes("Precious"));
  assert.match((await request(here.page, table, { method: "POST", headers, body: '{"TableName":"precious"}' })).text, /TableBeingDeleted/);
  const { snapshots } = JSON.parse((await request(here.page, "_sandtable/accounts/devstoreaccount1/snapshots")).text);
  assert.deepEqual([snapshots.at(-1).name, snapshots.at(-1).kind], ["before deleting Precious", "delete"]);
  await request(here.page, "_sandtable/accounts/devstoreaccount1/restore", json({ id: snapshots.at(-1).id }));
  assert.match((await request(here.page, table, { headers })).text, /Precious/);
});

test("a table is emptied: it stays, with its access policies", async () => {
  const tables = "https://devstoreaccount1.table.core.windows.net";
  const acl = "<SignedIdentifiers><SignedIdentifier><Id>kept</Id><AccessPolicy><Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>";
  await request(here.page, `${tables}/Tables`, json({ TableName: "Full" }));
  const put = await request(here.page, `${tables}/Full?comp=acl`, { method: "PUT", headers: { "x-ms-version": "2019-02-02", accept: "application/xml", "content-type": "application/xml" }, body: acl });
  assert.equal(put.status, 204, put.text);
  for (const PartitionKey of ["a", "b"]) await request(here.page, `${tables}/Full`, json({ PartitionKey, RowKey: "r" }));
  await go("?account=devstoreaccount1&table=Full&page=settings");
  await shows("table-settings", "2 entities in 2 partitions");
  await shows("table-url", `${tables}/Full`);
  await click("empty-table");
  await click("confirm");
  await shows("table-settings", "0 entities in 0 partitions");
  await here.page.waitForSelector(`${hook("empty-table")}[disabled]`);
  assert.match((await request(here.page, `${tables}/Full?comp=acl`, { headers: { "x-ms-version": "2019-02-02", accept: "application/xml" } })).text, /<Id>kept<\/Id>/);
  const { snapshots } = JSON.parse((await request(here.page, "_sandtable/accounts/devstoreaccount1/snapshots")).text);
  assert.equal(snapshots.at(-1).name, "before emptying Full");
});

test("a table's long name stays in its box and leaves the search its width", async () => {
  const name = "T".padEnd(63, "x");
  await request(here.page, "https://devstoreaccount1.table.core.windows.net/Tables", json({ TableName: name }));
  await go(`?account=devstoreaccount1&table=${name}&page=settings`);
  await here.page.waitForSelector(hook("delete-forever"));
  const beyond = await here.page.$$eval(".access-side section, .access-side h2, .removal", (all) => all.filter((box) => box.scrollWidth > box.clientWidth).map(({ className, tagName }) => `${tagName} ${className}`));
  assert.deepEqual(beyond, []);
  assert.ok(await here.page.$eval(hook("search"), ({ clientWidth }) => clientWidth > 150));
});

test("the only account cannot be deleted", async () => {
  await go("?account=devstoreaccount1&page=settings");
  await here.page.waitForSelector(hook("only-account"));
  assert.equal(await here.page.$(hook("delete-forever")), null);
});

test("the page reported no error", () => {
  assert.deepEqual(here.page.problems, []);
});
