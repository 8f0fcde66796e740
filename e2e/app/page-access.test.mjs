// Shared access signatures made on the Access page: the SDK uses them, and revoking a policy or a key ends them.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { addSDK, byHand } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const here = visit(async ({ page }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await page.waitForSelector(`${hook("new-table")}:not([disabled])`);
  await page.evaluate(async () => {
    const address = "https://devstoreaccount1.table.core.windows.net/";
    const send = (path, body) => fetch(address + path, { method: "POST", headers: { "content-type": "application/json", prefer: "return-no-content" }, body: JSON.stringify(body) });
    await send("Tables", { TableName: "Customers" });
    await send("Customers", { PartitionKey: "EU-West", RowKey: "1", Name: "Amara" });
  });
  await go();
});
const { hook, click, type, shows } = byHand(() => here.page);

async function go() {
  await here.page.goto(`${here.app.url}?account=devstoreaccount1&table=Customers&page=access`, { waitUntil: "domcontentloaded" });
  await here.page.waitForSelector(hook("sas-url"));
  await addSDK(here.page); // the page was loaded again
}

const text = (name) => here.page.$eval(hook(name), (element) => element.textContent);

/** Uses a link with the SDK in a page of its own: what a query and an insert return, or their error codes. */
async function use(link) {
  return here.page.evaluate(async (link) => {
    const [address, sas] = link.split("?");
    const name = address.slice(address.lastIndexOf("/") + 1);
    const client = new sdk.TableClient(address.slice(0, -name.length), name, new sdk.AzureSASCredential(sas), { retryOptions: { maxRetries: 0 } });
    const attempt = (work) => work().catch((error) => error.details?.odataError?.code ?? String(error));
    return {
      query: await attempt(async () => {
        const names = [];
        for await (const entity of client.listEntities()) names.push(entity.Name);
        return names;
      }),
      insert: await attempt(async () => {
        await client.upsertEntity({ partitionKey: "EU-West", rowKey: "2", Name: "Bo" });
        return "done";
      }),
    };
  }, link);
}

test("a link that was made on the page does what its summary says", async () => {
  await shows("sas-summary", "Anyone with this link can query entities in Customers, over HTTPS only");
  assert.deepEqual(await use(await text("sas-url")), { query: ["Amara"], insert: "AuthorizationPermissionMismatch" });
});

test("Test this link reads with the link alone, and says what a link that cannot read is good for", async () => {
  await click("try-sas");
  await shows("sas-outcome", "The link works: it has just read the table Customers.");
  await click("letter-r");
  await click("letter-a");
  await click("try-sas");
  await shows("sas-outcome", "The signature is valid. The link may not read");
  await click("letter-a");
  await click("letter-r");
});

test("a policy is stored, fixes its fields, and revokes its links when it is deleted", async () => {
  await click("add-policy");
  await type("policy-id", "partner");
  for (const letter of ["r", "a", "u"]) await click(`policies"] [data-testid="letter-${letter}`);
  await type("policy-expiry", "2099-12-31");
  await click("save-policy");
  await shows("policy", "partner");
  await here.page.select(hook("sas-policy"), "partner");
  await shows("sas-summary", "as long as the policy partner allows it");
  await shows("sas-url", "si=partner");
  const link = await text("sas-url");
  assert.doesNotMatch(link, /[?&](sp|se)=/);
  assert.deepEqual(await use(link), { query: ["Amara"], insert: "done" });

  await click("delete-policy");
  await click("confirm");
  await shows("policy-count", "0 of 5");
  assert.deepEqual(await use(link), { query: "AuthenticationFailed", insert: "AuthenticationFailed" });
});

test("the limits that were typed survive leaving the page and loading it again", async () => {
  const kept = () => here.page.waitForFunction((from, to) => document.querySelector(from)?.value === "EU" && document.querySelector(to)?.value === "EZ", {}, hook("sas-spk"), hook("sas-epk"));
  await type("sas-spk", "EU");
  await type("sas-epk", "EZ");
  await click("tab-entities");
  await here.page.waitForSelector("#filter-input");
  await click("tab-access");
  await kept();
  await go();
  await kept();
  for (const name of ["sas-spk", "sas-epk"]) {
    await here.page.click(hook(name), { count: 3 });
    await here.page.keyboard.press("Backspace");
  }
});

test("a sixth policy cannot be added", async () => {
  for (let i = 1; i <= 5; i++) {
    await click("add-policy");
    await type("policy-id", `p${i}`);
    await click("save-policy");
    await shows("policy-count", `${i} of 5`);
  }
  await here.page.waitForSelector(`${hook("add-policy")}[disabled]`);
});

test("a pasted link is explained, and markup in it is text", async () => {
  const link = await text("sas-url");
  await here.page.$eval(`${hook("explain-link")} summary`, (summary) => summary.click());
  await here.page.waitForSelector(hook("pasted"), { visible: true });
  await here.page.type(hook("pasted"), link);
  await shows("pasted-summary", "query entities in customers");
  await shows("pasted-summary", "Signed with the primary key of devstoreaccount1.");
  await here.page.click(hook("pasted"), { count: 3 });
  await here.page.type(hook("pasted"), "https://x/?sv=1&tn=%3Cimg%20src%3Dx%20onerror%3D%22window.executed%3D1%22%3E&sp=r&sig=x");
  await shows("pasted-summary", "<img src=x");
  assert.equal(await here.page.evaluate(() => window.executed), undefined);
});

test("a key is shown, and regenerating it ends the links that it signed", async () => {
  const link = await text("sas-url");
  await click("show-primary");
  await here.page.waitForFunction((selector) => document.querySelector(selector).textContent.endsWith("=="), {}, hook("key-primary"));
  const key = await text("key-primary");
  await click("regenerate-primary");
  await click("confirm");
  await here.page.waitForFunction((selector, key) => document.querySelector(selector).textContent !== key, {}, hook("key-primary"), key);
  assert.equal((await use(link)).query, "AuthenticationFailed");
  await here.page.waitForFunction((selector, link) => document.querySelector(selector).textContent !== link, {}, hook("sas-url"), link);
  assert.deepEqual((await use(await text("sas-url"))).query, ["Amara", "Bo"]);
});

test("no key of an account is in the page's address, history or storage", async () => {
  const key = await text("key-primary");
  const kept = await here.page.evaluate(() => JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage }, document.cookie]));
  assert.ok(!kept.includes(key) && !kept.includes(encodeURIComponent(key)) && !kept.includes("sig="), kept);
});

test("on a phone, the page of policies scrolls, and the document does not", async () => {
  const id = (n) => `<SignedIdentifier><Id>policy-${n}</Id></SignedIdentifier>`;
  await here.page.evaluate((body) => fetch("https://devstoreaccount1.table.core.windows.net/Customers?comp=acl", {
    method: "PUT", headers: { accept: "application/xml", "content-type": "application/xml" }, body }), `<SignedIdentifiers>${[1, 2, 3].map(id).join("")}</SignedIdentifiers>`);
  await here.page.setViewport({ width: 390, height: 860 });
  await go();
  await here.page.waitForSelector(".policy-table");
  assert.equal(await here.page.evaluate(() => document.documentElement.scrollHeight), 860);
  await here.page.setViewport({ width: 1440, height: 860 });
});

test("the page reported no error", () => {
  assert.deepEqual(here.page.problems, []);
});
