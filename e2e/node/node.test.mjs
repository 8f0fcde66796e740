// Sandtable inside a Node.js process: no browser, no port.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readlinkSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { crashEngine } from "../lib/crash.mjs";
import { after, before, test } from "../lib/test.mjs";
import { Worker } from "node:worker_threads";
import * as sdk from "@azure/data-tables";
import { start } from "../../build/node/node.js";
import { cases, context } from "../lib/sdk-cases.mjs";

// The well-known key of devstoreaccount1.
const key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

// The number of rounds in which processes contend for a folder.
const ROUNDS = Number(process.env.ROUNDS ?? 2);

let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sandtable-node-"));
});

after(() => rm(folder, { recursive: true }));

const clientOf = (sandtable, table, account) => new sdk.TableClient(sandtable.endpoint(account), table, { httpClient: sandtable.httpClient });

/** Reads the row keys of a table. */
async function rows(client) {
  const keys = [];
  for await (const { rowKey } of client.listEntities()) keys.push(rowKey);
  return keys;
}

for (const [name, credentials] of Object.entries({ "the account's key": { account: "devstoreaccount1", key }, "no credential": {} })) {
  test(`every SDK method works with ${name}`, async (t) => {
    const sandtable = await start();
    for (const { name, run, want } of cases) {
      await t.test(name, async () => {
        const got = await run(context(sdk, { address: sandtable.endpoint(), ...credentials, options: { httpClient: sandtable.httpClient } }));
        assert.deepEqual(JSON.parse(JSON.stringify(got)), want);
      });
    }
    await sandtable.close();
  });
}

test("services in one process are isolated", async () => {
  const [one, other] = await Promise.all([start({ accounts: ["shop"] }), start()]);
  await clientOf(one, "Orders", "shop").createTable();
  assert.deepEqual((await one.accounts.list()).map(({ name }) => name), ["devstoreaccount1", "shop"]);
  assert.deepEqual((await other.accounts.list()).map(({ name }) => name), ["devstoreaccount1"]);
  assert.equal("Go" in globalThis || "sandtable" in globalThis || "fs" in globalThis, false);
  const { store, mode, lost } = await one.status();
  assert.deepEqual({ store, mode, lost }, { store: "memory", mode: "node", lost: [] });
  await Promise.all([one.close(), other.close()]);
  await assert.rejects(clientOf(one, "Orders", "shop").createTable(), ({ code }) => code === "Closed");
  await assert.rejects(one.status(), ({ code }) => code === "Closed");
});

test("a killed process loses no acknowledged write", async () => {
  const data = join(folder, "killed");
  const code = `
    import { TableClient } from "@azure/data-tables";
    import { start } from ${JSON.stringify(new URL("../../build/node/node.js", import.meta.url).href)};
    const sandtable = await start({ folder: ${JSON.stringify(data)} });
    const client = new TableClient(sandtable.endpoint(), "Kept", { httpClient: sandtable.httpClient });
    await client.createTable();
    for (let i = 0; ; i++) {
      await client.createEntity({ partitionKey: "p", rowKey: String(i).padStart(5, "0") });
      console.log(i);
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { cwd: import.meta.dirname, stdio: ["ignore", "pipe", "inherit"] });
  let last;
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line);
    if (last === 200) break;
  }
  await assert.rejects(start({ folder: data }), { code: "InUse" });
  child.kill("SIGKILL");
  await once(child, "exit");
  const sandtable = await start({ folder: data });
  const keys = await rows(clientOf(sandtable, "Kept"));
  assert.ok(keys.length > last, `${keys.length} entities, and ${last + 1} were acknowledged`);
  assert.deepEqual(keys, keys.map((_, i) => String(i).padStart(5, "0")));
  assert.equal((await sandtable.status()).store, "file");
  await sandtable.close();
});

test("one service at a time can open a folder", async () => {
  const data = join(folder, "shared");
  const first = await start({ folder: data, durability: "relaxed" });
  await clientOf(first, "Mine").createTable();
  await assert.rejects(start({ folder: data }), { name: "SandtableError", code: "InUse" });
  await first.close();
  assert.deepEqual(await owners(data), []);
  await writeFile(join(data, "owner-7"), earlier(process.pid));
  const second = await start({ folder: data });
  assert.deepEqual(await rows(clientOf(second, "Mine")), []);
  await second.close();
});

test("a folder in use by another thread is refused, and of ten concurrent starts one gets it", async () => {
  const data = join(folder, "threads");
  const first = await start({ folder: data, durability: "relaxed" });
  const code = `
    import { parentPort } from "node:worker_threads";
    import { start } from ${JSON.stringify(new URL("../../build/node/node.js", import.meta.url).href)};
    parentPort.postMessage(await start({ folder: ${JSON.stringify(data)} }).then(() => "it has it", ({ code }) => code));`;
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  assert.deepEqual(await once(thread, "message"), ["InUse"]);
  await thread.terminate();
  await first.close();
  await writeFile(join(data, "owner-7"), earlier(process.pid));
  const all = await Promise.allSettled(Array.from({ length: 10 }, () => start({ folder: data, durability: "relaxed" })));
  const has = all.filter(({ status }) => status === "fulfilled");
  assert.deepEqual([has.length, ...new Set(all.flatMap(({ reason }) => reason?.code ?? []))], [1, "InUse"]);
  await has[0].value.close();
  assert.deepEqual(await owners(data), []);
});

/** Lists the files that name the store's owner. */
async function owners(data) {
  return (await readdir(data)).filter((name) => name.startsWith("owner-"));
}

/** The owner file of an earlier process with a reused process id. */
function earlier(pid) {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return `${pid} 1 ${boot} ${readlinkSync("/proc/self/ns/pid")} - false\n`;
}

test("one of several processes takes over a dead owner's folder with every acknowledged write", async () => {
  const data = join(folder, "contended");
  const made = await start({ folder: data, durability: "relaxed" });
  await clientOf(made, "Mine").createTable();
  await made.close();
  const acknowledged = [];
  for (let round = 0; round < ROUNDS; round++) {
    await writeFile(join(data, `owner-${1000 * (round + 1)}`), earlier(process.pid));
    let ended = 0, release;
    const released = new Promise((resolve) => (release = resolve)); // once the others were refused
    const all = await Promise.all(Array.from({ length: 6 }, async (_, i) => {
      const result = await contend(data, `${round}-${i}`, [], released);
      if (++ended === 5) release();
      return result;
    }));
    assert.equal(all.filter(({ keys }) => keys.length > 0).length, 1, JSON.stringify(all));
    acknowledged.push(...all.flatMap(({ keys }) => keys));
  }
  await checkKept(data, acknowledged);
});

test("a process in another container is refused, and one that forces its way in fences the owner", async (t) => {
  if (process.getuid() !== 0) {
    return t.skip("only root can create a PID namespace");
  }
  const data = join(folder, "containers");
  const first = await start({ folder: data, durability: "relaxed" });
  const client = clientOf(first, "Mine");
  await client.createTable();
  await client.createEntity({ partitionKey: "p", rowKey: "first" });
  const container = ["unshare", "--pid", "--fork", "--mount-proc"];
  const refused = await contend(data, "refused", container);
  assert.deepEqual([refused.code, refused.keys], ["InUse", []]);
  const [owner] = await owners(data);
  await rm(join(data, owner)); // as the error message suggests, but with a live owner
  const second = await contend(data, "second", container);
  assert.equal(second.keys.length, 10);
  await assert.rejects(client.createEntity({ partitionKey: "p", rowKey: "lost?" }));
  await first.close().catch(() => {});
  await checkKept(data, ["first", ...second.keys]);
});

/** Starts a process that tries to open the folder and then inserts entities: ten, and more until it is released. */
async function contend(data, name, container, released) {
  const code = `
    import { setTimeout } from "node:timers/promises";
    import { TableClient } from "@azure/data-tables";
    import { start } from ${JSON.stringify(new URL("../../build/node/node.js", import.meta.url).href)};
    const keys = [];
    let released = false;
    process.stdin.on("end", () => (released = true)).resume();
    try {
      const sandtable = await start({ folder: ${JSON.stringify(data)}, durability: "relaxed" });
      const client = new TableClient(sandtable.endpoint(), "Mine", { httpClient: sandtable.httpClient });
      for (let i = 0; i < 10 || !released; i++) {
        await client.createEntity({ partitionKey: "p", rowKey: "${name}-" + i });
        keys.push("${name}-" + i);
        await setTimeout(100);
      }
      await sandtable.close();
      console.log(JSON.stringify({ keys }));
    } catch (reason) {
      console.log(JSON.stringify({ keys, code: reason.code, message: reason.message }));
    }`;
  const [program, ...args] = [...container, process.execPath, "--input-type=module", "-e", code];
  const child = spawn(program, args, { cwd: import.meta.dirname, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.on("error", () => {}); // a process that was refused has ended
  Promise.resolve(released).then(() => child.stdin.end());
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return JSON.parse(line);
}

async function checkKept(data, acknowledged) {
  const sandtable = await start({ folder: data });
  assert.deepEqual(await rows(clientOf(sandtable, "Mine")), acknowledged.toSorted());
  await sandtable.close();
}

test("a folder that is not a store is refused and left unchanged", async () => {
  const data = join(folder, "foreign");
  const made = await start({ folder: data });
  await made.close();
  await writeFile(join(data, "wal-9-1"), "somebody's notes");
  await assert.rejects(start({ folder: data }), { name: "SandtableError", code: "NotConnected", message: /wal-9-1: .* not a file of a store/ });
  assert.equal(await readFile(join(data, "wal-9-1"), "utf8"), "somebody's notes");
});

test("requests to other services go to the network", async () => {
  const server = createServer((request, response) => response.writeHead(418, { "x-path": request.url }).end("elsewhere"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const sandtable = await start();
  const client = new sdk.TableClient(`http://127.0.0.1:${server.address().port}/other`, "Table", { httpClient: sandtable.httpClient, allowInsecureConnection: true, retryOptions: { maxRetries: 0 } });
  await assert.rejects(client.getEntity("p", "r"), { statusCode: 418 });
  server.close();
  server.closeAllConnections();
  await once(server, "close");
  await assert.rejects(client.getEntity("p", "r"), { name: "RestError", code: "ECONNREFUSED" });
  await sandtable.close();
});

test("a request for an account that does not exist stays in the process", async () => {
  const sandtable = await start({ patchFetch: true });
  const client = new sdk.TableClient("https://misspelled.table.core.windows.net", "Table", { httpClient: sandtable.httpClient });
  await assert.rejects(client.getEntity("p", "r"), { statusCode: 404 });
  assert.equal((await fetch("https://misspelled.table.core.windows.net/Tables")).status, 404);
  await sandtable.close();
});

test("an unknown option is refused", async () => {
  await assert.rejects(start({ file: "here" }), { name: "SandtableError", code: "InvalidOption", message: /no option "file"/ });
  await assert.rejects(start({ accounts: ["No"] }), { code: "InvalidOption" });
  await assert.rejects(start({ folder: new URL("https://example.com/") }), { code: "InvalidOption" });
  await assert.rejects(start({ seed: 42 }), { code: "InvalidOption", message: /^start\(\): seed is an archive/ });
});

test("a crashed engine is reported, and its folder can be opened again", async () => {
  const data = join(folder, "crashed");
  const sandtable = await start({ folder: data });
  await clientOf(sandtable, "Kept").createTable();
  const reported = new Promise((resolve) => sandtable.on("error", resolve));
  crashEngine();
  await assert.rejects(sandtable.status(), ({ status }) => status === 500);
  const { name, code } = await reported;
  assert.deepEqual([name, code], ["SandtableError", "EngineCrashed"]);
  const late = await new Promise((resolve) => sandtable.on("error", resolve));
  assert.equal(late.code, "EngineCrashed");
  await sandtable.close();
  const next = await start({ folder: data });
  assert.equal((await next.status()).tables, 1);
  await next.close();
});

test("changes and requests are reported until the listener is removed", async () => {
  const sandtable = await start();
  const reported = [];
  let off;
  const both = new Promise((resolve) => {
    off = sandtable.on("change", ({ kind, table, rowKey }) => reported.push([kind, table, rowKey]) === 2 && resolve());
  });
  const requested = new Promise((resolve) => sandtable.on("request", resolve));
  const table = clientOf(sandtable, "Told");
  await table.createTable();
  assert.equal((await requested).status, 201);
  await table.createEntity({ partitionKey: "p", rowKey: "r" });
  await both;
  assert.deepEqual(reported, [["tableCreated", "Told", undefined], ["inserted", "Told", "r"]]);
  off();
  await table.deleteEntity("p", "r");
  await sandtable.close();
  assert.equal(reported.length, 2);
});

test("a change is reported with the entity before and after, if that is wanted", async () => {
  const sandtable = await start();
  const table = clientOf(sandtable, "Values");
  await table.createTable();
  const reported = new Promise((resolve) => {
    const all = [];
    sandtable.on("change", (change) => all.push(change) === 3 && resolve(all), { values: true });
  });
  await table.createEntity({ partitionKey: "p", rowKey: "r", Age: 41 });
  await table.updateEntity({ partitionKey: "p", rowKey: "r", Age: 42 });
  await table.deleteEntity("p", "r");
  const body = (Age) => ({ PartitionKey: "p", RowKey: "r", Age });
  assert.deepEqual((await reported).map(({ before, after }) => [before, after]), [[undefined, body(41)], [body(41), body(42)], [body(42), undefined]]);
  await sandtable.close();
});

test("partitions are counted in key order, a page at a time", async () => {
  const sandtable = await start();
  const table = clientOf(sandtable, "Spread");
  await table.createTable();
  for (const [partitionKey, rowKey] of [["b", "2"], ["a", "1"], ["b", "1"]]) await table.createEntity({ partitionKey, rowKey });
  const first = await sandtable.partitions("devstoreaccount1", "Spread", { limit: 1 });
  assert.deepEqual([first.all, first.entities, first.exact, first.next], [2, 3, true, "b"]);
  const second = await sandtable.partitions("devstoreaccount1", "Spread", { from: first.next });
  assert.deepEqual(second.partitions.map(({ key, entities, firstRowKey, lastRowKey }) => [key, entities, firstRowKey, lastRowKey]), [["b", 2, "1", "2"]]);
  await sandtable.close();
});

test("a snapshot of 100,000 entities is taken and restored in under a second each, and shared as a file", async (t) => {
  const directory = await mkdtemp(join(folder, "snapshots-"));
  let sandtable = await start({ folder: directory });
  const account = "devstoreaccount1";
  const lines = ['{"@sandtable":"archive","version":1}', `{"@sandtable":"account","name":"${account}","access":"open"}`, '{"@sandtable":"table","name":"Many"}'];
  for (let i = 0; i < 100_000; i++) lines.push(JSON.stringify({ PartitionKey: "p" + Math.floor(i / 1000), RowKey: String(i).padStart(6, "0"), Number: i }));
  lines.push('{"@sandtable":"end","accounts":1,"tables":1,"entities":100000}');
  await sandtable.load(lines.join("\n"));
  const measured = async (work) => {
    const begun = performance.now();
    const result = await work();
    return [result, performance.now() - begun];
  };
  const [snapshot, taken] = await measured(() => sandtable.snapshot(account, { name: "all of it" }));
  assert.deepEqual([snapshot.entities, snapshot.name, snapshot.kind], [100_000, "all of it", "taken"]);
  await clientOf(sandtable, "Many").deleteTable();
  const kinds = [];
  sandtable.on("change", ({ kind, table }) => kinds.push([kind, table]));
  const [{ before }, restored] = await measured(() => sandtable.restore(account, snapshot));
  t.diagnostic(`100,000 entities: taken in ${taken.toFixed(1)} ms, restored in ${restored.toFixed(1)} ms`);
  assert.ok(taken < 1000 && restored < 1000, `taken in ${taken} ms, restored in ${restored} ms`);
  await clientOf(sandtable, "Many").updateEntity({ partitionKey: "p0", rowKey: "000001", Number: -1 });
  assert.deepEqual(kinds.slice(0, 2), [["snapshotsChanged", undefined], ["tableRestored", "Many"]]);
  assert.deepEqual((({ comeBack, go, change }) => [comeBack, go, change])(await sandtable.snapshots.compare(account, snapshot)), [0, 0, 1]);
  await sandtable.close();

  sandtable = await start({ folder: directory });
  assert.deepEqual((await sandtable.snapshots.list(account)).map(({ name, entities }) => [name, entities]), [["all of it", 100_000], ["before restoring all of it", 0]]);
  const file = await sandtable.dump({ account, snapshot });
  const opened = await sandtable.snapshots.open(account, file, { name: "opened" });
  assert.deepEqual([opened.entities, opened.kind, opened.incomplete], [100_000, "file", undefined]);
  await sandtable.restore(account, opened, { keep: false });
  assert.equal((await clientOf(sandtable, "Many").getEntity("p0", "000001")).Number, 1);
  await assert.rejects(sandtable.snapshots.open(account, '{"@sandtable":"archive","version":1}'), { code: "Refused" });
  await sandtable.snapshots.rename(account, before, "empty");
  await sandtable.snapshots.delete(account, snapshot);
  assert.deepEqual((await sandtable.snapshots.list(account)).map(({ name }) => name), ["empty", "opened"]);
  await assert.rejects(sandtable.restore(account, snapshot), { status: 404 });
  await assert.rejects(sandtable.restore(account), { code: "InvalidOption" });
  await sandtable.close();
});

test("a SAS is given to the SDK as in docs/embedding.md, and expires by the clock that was set", async () => {
  const sandtable = await start({ accounts: [{ name: "shop", access: "strict" }] });
  const all = sdk.TableClient.fromConnectionString(await sandtable.connectionString("shop"), "Timed", { httpClient: sandtable.httpClient });
  await all.createTable();
  const { search } = new URL(await sandtable.sasUrl("shop", { table: "Timed", permissions: "r", expiresOn: new Date(Date.now() + 3_600_000) }));
  const signed = new sdk.TableClient(sandtable.endpoint("shop"), "Timed", new sdk.AzureSASCredential(search), { httpClient: sandtable.httpClient });
  assert.deepEqual(await rows(signed), []);
  assert.ok((await sandtable.setClock(new Date(Date.now() + 7_200_000))).offset > 7000);
  await assert.rejects(rows(signed), { statusCode: 403 });
  assert.equal((await sandtable.setClock()).offset, 0);
  assert.deepEqual(await rows(signed), []);
  await sandtable.close();
});

test("patchFetch intercepts fetch for the service's hosts until the service is closed", async (t) => {
  const original = globalThis.fetch;
  const server = createServer((_, response) => response.end("the network"));
  await once(server.listen(0, "localhost"), "listening");
  t.after(() => server.close().closeAllConnections());
  const sandtable = await start({ patchFetch: true });
  const response = await fetch(sandtable.endpoint() + "/Tables", { headers: { accept: "application/json;odata=nometadata" } });
  assert.deepEqual([response.status, response.url, await response.json()], [200, sandtable.endpoint() + "/Tables", { value: [] }]);
  assert.equal(await (await fetch(`http://localhost:${server.address().port}/table/devstoreaccount1/Tables`)).text(), "the network");
  const controller = new AbortController();
  const endless = fetch(sandtable.endpoint() + "/Tables", { method: "POST", duplex: "half", body: new ReadableStream({ pull: () => new Promise(() => {}) }), signal: controller.signal });
  controller.abort();
  await assert.rejects(endless, { name: "AbortError" });
  await sandtable.close();
  assert.equal(globalThis.fetch, original);
  await assert.rejects(start({ patchFetch: "yes" }), ({ code }) => code === "InvalidOption");
});
