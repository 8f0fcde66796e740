// A program of the playground as a Node.js project: unpacked, it runs unchanged
// against the native server.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { after, before, test } from "../lib/test.mjs";
import { native } from "../lib/native.mjs";
import { byHand } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const run = promisify(execFile);
const here = visit();
const { click, hook } = byHand(() => here.page);
const server = native();
let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "playground-project-"));
  await symlink(fileURLToPath(new URL("../node_modules", import.meta.url)), join(folder, "node_modules"));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Writes the files of an archive without compression into a folder. */
async function unpack(bytes, to) {
  const end = bytes.lastIndexOf("PK\x05\x06", undefined, "latin1");
  let at = bytes.readUInt32LE(end + 16);
  for (let n = bytes.readUInt16LE(end + 10); n > 0; n--) {
    const [size, length, start] = [bytes.readUInt32LE(at + 24), bytes.readUInt16LE(at + 28), bytes.readUInt32LE(at + 42)];
    const name = bytes.toString("utf8", at + 46, at + 46 + length);
    const content = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28);
    await mkdir(join(to, dirname(name)), { recursive: true });
    await writeFile(join(to, name), bytes.subarray(content, content + size));
    at += 46 + length + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
}

/** Opens code in the playground, and keeps what the page saves. */
async function open(code) {
  await here.page.goto(new URL("?page=playground#code=" + encodeURIComponent(code), here.app.url).href);
  await here.page.reload(); // a change of the fragment alone loads nothing
  await here.page.waitForSelector(hook("save-project"), { visible: true });
  await here.page.evaluate(() => {
    globalThis.saved = new Promise((resolve) => {
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => {
        blob.arrayBuffer().then((bytes) => resolve(btoa(String.fromCharCode(...new Uint8Array(bytes)))));
        return make.call(URL, blob);
      };
      HTMLAnchorElement.prototype.click = function () {
        globalThis.savedName = this.download;
      };
    });
  });
}

/** Saves code of the playground as a project, and runs that; returns what it printed. */
async function runProject(name, code) {
  await open(code);
  await click("save-project");
  const bytes = Buffer.from(await here.page.evaluate(() => saved), "base64");
  assert.equal(await here.page.evaluate(() => savedName), "sandtable-playground.zip");
  await unpack(bytes, join(folder, name));
  const { stdout } = await run(process.execPath, ["index.mjs"], {
    cwd: join(folder, name, "sandtable-playground"),
    env: { ...process.env, AZURE_STORAGE_CONNECTION_STRING: server.connection },
  });
  return stdout;
}

test("a program with the SDK", async () => {
  const printed = await runProject("sdk", `import { TableClient, TableServiceClient, odata } from "@azure/data-tables";
const orders = new TableClient("https://playground.table.core.windows.net", "ProjectOrders");
await orders.createTable();
await orders.submitTransaction([["create", { partitionKey: "ü", rowKey: "1", total: 1.5 }], ["create", { partitionKey: "ü", rowKey: "2", total: 3 }]]);
for await (const { rowKey } of orders.listEntities({ queryOptions: { filter: odata\`total gt \${2}\` } })) console.log("found", rowKey);
for await (const { name } of new TableServiceClient("https://playground.table.core.windows.net").listTables()) console.log(name, orders instanceof TableClient);
`);
  assert.equal(printed, "found 2\nProjectOrders true\n");
});

test("a program with fetch", async () => {
  const printed = await runProject("fetch", `const at = "https://playground.table.core.windows.net/";
const json = { "content-type": "application/json", accept: "application/json;odata=nometadata" };
console.log((await fetch(at + "Tables", { method: "POST", headers: json, body: '{"TableName":"ProjectFetch"}' })).status);
console.log((await fetch(at + "ProjectFetch(PartitionKey='a b',RowKey='%C3%BC')", { method: "PUT", headers: json, body: '{"n":1}' })).status);
const found = await fetch(at + "ProjectFetch()?$filter=n%20eq%201&$select=RowKey,n", { headers: json });
console.log(JSON.stringify(await found.json()));
console.log((await fetch(at + "?restype=service&comp=properties")).status);
`);
  assert.equal(printed, '201\n204\n{"value":[{"RowKey":"ü","n":1}]}\n200\n');
});

test("a program that the sandbox refuses is not saved", async () => {
  await open('\nimport { exec } from "node:child_process";\n');
  await click("save-project");
  await here.page.waitForFunction(() => document.querySelector(".playground-console")?.textContent.includes("Line 2: Only @azure/data-tables can be imported here, not \"node:child_process\""));
  assert.equal(await here.page.evaluate(() => globalThis.savedName), undefined);
});
