// The client that start returns in an embedding page.

import assert from "node:assert/strict";
import { stopWorkers } from "../lib/browser.mjs";
import { outcome, pageOf, visitSite } from "../lib/embed-site.mjs";
import { embedding, rows, useSDK } from "../lib/embedding.mjs";
import { test } from "../lib/test.mjs";

const here = embedding();

test("one tab seeds an empty store, once", async () => {
  const seed = `async (s) => { const c = new sdk.TableClient(s.endpoint(), "Seeded", { httpClient: s.httpClient }); await c.createTable(); await c.createEntity({ partitionKey: "p", rowKey: "r" }); }`;
  const { url } = await here.site("/", { "index.html": pageOf(`{ seed: ${seed} }`) });
  const tabs = await Promise.all([visitSite(here.browser, url), visitSite(here.browser, url)]);
  assert.deepEqual(tabs.map(({ outcome }) => outcome), ["started", "started"]);
  await tabs[0].evaluate(() => new sdk.TableClient(sandtable.endpoint(), "Seeded").deleteEntity("p", "r"));
  await tabs[0].reload();
  assert.equal(await outcome(tabs[0]), "started");
  const { entities } = await tabs[0].evaluate(() => sandtable.status());
  assert.equal(entities, 0);
});

for (const mode of ["service worker", "worker"]) {
  test(`a page with the documented content security policy works with a ${mode}`, async () => {
    const policy = "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' https://devstoreaccount1.table.core.windows.net";
    const html = pageOf(mode === "worker" ? '{ fallback: "worker" }' : "{ fallback: false }").replace("<title>", `<meta http-equiv="content-security-policy" content="${policy}"><title>`);
    const { url } = await here.site("/", { "index.html": html });
    const page = await visitSite(here.browser, url);
    assert.equal(page.outcome, "started");
    assert.deepEqual(await useSDK(page, "ByFetch", false), rows);
    assert.deepEqual(await useSDK(page, "ByClient", true), rows);
  });
}

const archive = ['{"@sandtable":"archive","version":1}', '{"@sandtable":"account","name":"devstoreaccount1","access":"open"}', '{"@sandtable":"table","name":"Seeded"}'];
for (let i = 0; i < 5000; i++) {
  archive.push(JSON.stringify({ PartitionKey: "p", RowKey: String(i).padStart(6, "0"), Text: "é".repeat(150), "Big@odata.type": "Edm.Int64", Big: String(2n ** 60n) }));
}
archive.push('{"@sandtable":"end","accounts":1,"tables":1,"entities":5000}', "");

for (const fallback of ["false", '"worker"']) {
  test(`a store is seeded from an archive, dumped, reset and restored (fallback: ${fallback})`, async () => {
    const { url } = await here.site("/", { "index.html": pageOf(`{ seed: "seed.jsonl", fallback: ${fallback} }`), "seed.jsonl": archive.join("\n") });
    const page = await visitSite(here.browser, url);
    assert.equal(page.outcome, "started");
    const result = await page.evaluate(async () => {
      const counts = async () => {
        const { tables, entities } = await sandtable.status();
        return [tables, entities];
      };
      const seen = [await counts()];
      const dump = await sandtable.dump();
      const one = await sandtable.dump({ account: "devstoreaccount1" });
      await sandtable.accounts.create("demo");
      await sandtable.reset({ account: "devstoreaccount1" });
      seen.push(await counts(), (await sandtable.accounts.list()).length);
      await sandtable.reset();
      seen.push(await counts(), (await sandtable.accounts.list()).length);
      const progress = [];
      const loaded = await sandtable.load(dump, { onProgress: ({ entities, bytes, totalBytes }) => progress.push([entities, bytes, totalBytes]) });
      seen.push(await counts());
      const again = await sandtable.load(await dump.text());
      seen.push(await counts());
      const entity = await new sdk.TableClient(sandtable.endpoint(), "Seeded").getEntity("p", "004999");
      const lines = (await dump.text()).split("\n");
      return { seen, loaded, again, steps: progress.length, last: progress.at(-1), size: dump.size, one: one.size, big: String(entity.Big?.value ?? entity.Big), lines: lines.length, ends: lines.at(-2) };
    });
    assert.deepEqual(result.seen, [[1, 5000], [0, 0], 2, [0, 0], 1, [1, 5000], [1, 5000]]);
    assert.equal(result.loaded.entities, 5000);
    assert.equal(result.again.entities, 5000);
    assert.ok(result.steps >= 2, `${result.steps} steps`);
    assert.deepEqual(result.last, [5000, result.size, result.size]);
    assert.equal(result.one, result.size);
    assert.equal(result.big, String(2n ** 60n));
    assert.match(result.ends, /"@sandtable":"end"/);
    await page.reload();
    assert.equal(await outcome(page), "started");
  });
}

test("a malformed archive fails with a clear error after loading the lines before it", async () => {
  const { url } = await here.site("/", { "index.html": pageOf() });
  const page = await visitSite(here.browser, url);
  const load = (source) => page.evaluate((source) => sandtable.load(source).then(() => "loaded", ({ name, code, status, message }) => ({ name, code, status, message })), source);
  const cut = await load(archive.slice(0, 100).join("\n") + "\n");
  assert.deepEqual([cut.name, cut.code, cut.status], ["SandtableError", "Refused", 400], JSON.stringify(cut));
  assert.deepEqual([(await load("none.jsonl")).code, (await load("none.jsonl")).status], ["Archive", 404]);
  assert.equal((await load('{"@sandtable":"archive","version":99}\n')).code, "Refused");
  assert.equal((await page.evaluate(() => sandtable.status())).entities, 97);
});

for (const fallback of ["false", '"worker"']) {
  test(`a store of a newer format version fails at once with an error that can reset it (fallback: ${fallback})`, async () => {
    const { url } = await here.site("/", { "index.html": pageOf(`{ fallback: ${fallback} }`), "newer.html": "<!doctype html>" });
    const page = await here.browser.newPage();
    await page.goto(url + "newer.html");
    await page.evaluate(
      (name) =>
        new Promise((resolve, reject) => {
          const request = indexedDB.open(name, 999);
          request.onsuccess = () => resolve(request.result.close());
          request.onerror = reject;
        }),
      "sandtable " + url,
    );
    await page.goto(url);
    assert.equal((await outcome(page)).code, "StoreFormat");
    const started = await page.evaluate(`Sandtable.start({ fallback: ${fallback} }).catch(async (error) => {
      await error.reset();
      globalThis.sandtable = await Sandtable.start({ fallback: ${fallback} });
      return error.code;
    })`);
    assert.equal(started, "StoreFormat");
    assert.deepEqual(await useSDK(page, "Again", true), rows);
  });
}

for (const options of ["{}", '{ fallback: "worker" }']) {
  test(`a page can verify and compact its store with ${options}`, async () => {
    const { url } = await here.site("/", { "index.html": pageOf(options) });
    const page = await visitSite(here.browser, url);
    assert.deepEqual(await useSDK(page, "Kept", true), rows);
    const { verified, compacted } = await page.evaluate(async () => ({ compacted: await sandtable.compact(), verified: await sandtable.verify() }));
    assert.deepEqual([verified.entities, verified.problemCount, verified.problems], [2, 0, []]);
    assert.deepEqual([compacted.after.walRecords, compacted.after.bytes > 0], [0, true]);
  });
}

test("a SAS grants exactly what it names", async () => {
  const { url } = await here.site("/", { "index.html": pageOf('{ accounts: [{ name: "closed", access: "strict" }] }') });
  const page = await visitSite(here.browser, url);
  const result = await page.evaluate(async () => {
    const refused = (promise) => promise.then(() => "done", ({ statusCode, code }) => statusCode ?? code);
    const connection = await sandtable.connectionString("closed");
    const orders = sdk.TableClient.fromConnectionString(connection, "Orders");
    await orders.createTable();
    await orders.createEntity({ partitionKey: "p", rowKey: "r" });
    const address = await sandtable.sasUrl("closed", { table: "Orders", permissions: "r", expiresOn: new Date(Date.now() + 3600_000) });
    const [base, sas] = [new URL(address).origin, new URL(address).search.slice(1)];
    const reader = new sdk.TableClient(base, "Orders", new sdk.AzureSASCredential(sas), { httpClient: sandtable.httpClient });
    const outsider = new sdk.TableClient(sandtable.endpoint("closed"), "Orders");
    const late = await sandtable.sasUrl("closed", { table: "Orders", permissions: "r", startsOn: "2020-01-01", expiresOn: "2021-01-01T00:00:00Z" });
    const own = await sandtable.connectionString("closed", sas);
    const results = [
      await refused(reader.getEntity("p", "r")),
      await refused(reader.deleteEntity("p", "r")),
      await refused(outsider.getEntity("p", "r")),
      await refused(new sdk.TableClient(base, "Orders", new sdk.AzureSASCredential(new URL(late).search.slice(1))).getEntity("p", "r")),
      await refused(sdk.TableClient.fromConnectionString(own, "Orders").getEntity("p", "r")),
      await refused(sandtable.sasUrl("closed", { table: "Orders", permissions: "r", expiresOn: "soon" })),
      await refused(sandtable.sasUrl("none", { permissions: "r", expiresOn: new Date() })),
    ];
    await sandtable.accounts.setAccess("closed", "open");
    results.push(await refused(outsider.getEntity("p", "r")));
    await sandtable.accounts.delete("closed");
    results.push((await sandtable.accounts.list()).map(({ name }) => name));
    return results;
  });
  assert.deepEqual(result, ["done", 403, 404, 403, "done", "InvalidOption", "Refused", "done", ["devstoreaccount1"]]);
});

for (const options of ["{}", '{ fallback: "worker" }']) {
  test(`changes and requests of every page are reported, also after a worker restart, with ${options}`, async () => {
    const { url } = await here.site("/", { "index.html": pageOf(options) });
    const [page, other] = [await visitSite(here.browser, url), await visitSite(here.browser, url)];
    await page.evaluate(() => {
      globalThis.events = [];
      globalThis.off = sandtable.on("change", (change) => events.push(change));
      sandtable.on("request", ({ method, status, operation }) => events.push({ kind: "request", method, status, operation }));
    });
    const reported = (kind, table) => page.waitForFunction((kind, table) => events.some((event) => event.kind === kind && (table === undefined || event.table === table)), { polling: 20 }, kind, table);
    await page.evaluate(() => new sdk.TableClient(sandtable.endpoint(), "Told").createTable());
    await reported("tableCreated", "Told");
    await reported("request");
    await other.evaluate(() => new sdk.TableClient(sandtable.endpoint(), "Told", { httpClient: sandtable.httpClient }).createEntity({ partitionKey: "p", rowKey: "r" }));
    await reported("inserted", "Told");
    await page.evaluate(() => {
      const offValues = sandtable.on("change", ({ after }) => after && (globalThis.after = after, offValues()), { values: true });
    });
    await other.evaluate(() => new sdk.TableClient(sandtable.endpoint(), "Told").createEntity({ partitionKey: "p", rowKey: "valued", Age: 42 }));
    await page.waitForFunction(() => globalThis.after?.Age === 42, { polling: 20 });
    assert.equal(await page.evaluate(async () => (await sandtable.partitions("devstoreaccount1", "Told")).partitions[0].entities), 2);
    const restored = await other.evaluate(async () => {
      const account = "devstoreaccount1";
      const saved = await sandtable.snapshot(account, { name: "from a page" });
      await new sdk.TableClient(sandtable.endpoint(), "Told").deleteEntity("p", "valued");
      const { comeBack } = await sandtable.snapshots.compare(account, saved);
      const { before } = await sandtable.restore(account, saved);
      return [saved.entities, comeBack, before.kind, (await new sdk.TableClient(sandtable.endpoint(), "Told").getEntity("p", "valued")).Age];
    });
    assert.deepEqual(restored, [2, 1, "restore", 42]);
    await reported("snapshotsChanged");
    await reported("tableRestored", "Told");
    const { account, partitionKey, rowKey } = await page.evaluate(() => globalThis.events.find(({ kind }) => kind === "inserted"));
    assert.deepEqual([account, partitionKey, rowKey], ["devstoreaccount1", "p", "r"]);
    await page.evaluate(() => (events.length = 0));
    if (options === "{}") {
      await stopWorkers(page);
      await other.evaluate(() => sandtable.status());
      await reported("lost"); // changes before this page reconnected are unknown
      await other.evaluate(() => new sdk.TableClient(sandtable.endpoint(), "Told").deleteEntity("p", "r"));
      await reported("deleted", "Told");
    }
    await page.evaluate(() => {
      off();
      events.length = 0;
      return new sdk.TableClient(sandtable.endpoint(), "Told").createEntity({ partitionKey: "p", rowKey: "last" });
    });
    await reported("request");
    assert.deepEqual(await page.evaluate(() => events.filter(({ kind }) => kind !== "request")), []);
  });
}

test("start sets the durability", async () => {
  const { url } = await here.site("/", { "index.html": pageOf('{ durability: "strict" }') });
  const page = await visitSite(here.browser, url);
  assert.equal(page.outcome, "started");
  const { durability } = await page.evaluate(() => sandtable.status());
  assert.equal(durability, "strict");
});
