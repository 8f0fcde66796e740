// The npm package that `make package` builds.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { start } from "../lib/processes.mjs";
import { after, before, test } from "../lib/test.mjs";
import { fileURLToPath } from "node:url";
import { TableClient } from "@azure/data-tables";
import ts from "typescript";

const build = fileURLToPath(new URL("../../build/", import.meta.url));
let folder, manifest;

before(async () => {
  const { version } = JSON.parse(await readFile(join(build, "../wasm/js/client/package.json"), "utf8"));
  folder = await mkdtemp(join(tmpdir(), "sandtable-package-"));
  execFileSync("tar", ["-xzf", join(build, `sandtable-${version}.tgz`), "-C", folder]);
  manifest = JSON.parse(await readFile(join(folder, "package/package.json"), "utf8"));
});

after(() => rm(folder, { recursive: true, force: true }));

test("it contains exactly the files that are needed", async () => {
  const files = (await readdir(join(folder, "package"))).sort();
  const engines = files.filter((name) => /^engine(-node)?\.[0-9a-f]{16}\.wasm$/.test(name));
  assert.equal(engines.length, 2, files.join(" "));
  assert.deepEqual(files.filter((name) => !engines.includes(name)), ["LICENSE", "README.md", "cli.js", "copy.js", "editor", "elements.d.ts", "elements.js", "error.d.ts", "events.d.ts", "explorer", "node.d.ts", "node.js", "package.json", "sandbox", "sandbox.d.ts", "sandtable-worker.js", "sandtable.d.ts", "sandtable.js", "serve.js", "snapshot.d.ts", "testing.d.ts"]);
  assert.ok((await readFile(join(folder, "package/sandtable-worker.js"), "utf8")).includes(engines[1]));
  assert.ok((await readFile(join(folder, "package/node.js"), "utf8")).includes(engines[0]));
});

test("every export exists, and there are no dependencies", async () => {
  const paths = Object.values(manifest.exports).flatMap((target) => (typeof target === "string" ? [target] : Object.values(target)));
  for (const path of paths) {
    await readFile(join(folder, "package", path));
  }
  assert.deepEqual([manifest.name, manifest.type, manifest.license], ["sandtable", "module", "MIT"]);
  assert.deepEqual([manifest.dependencies, manifest.peerDependencies, manifest.scripts], [undefined, undefined, undefined]);
});

test("the module can be imported outside a page; start then names the one for Node.js", async () => {
  const { start, SandtableError } = await import(join(folder, "package/sandtable.js"));
  for (const options of [undefined, { worker: "/sandtable-worker.js" }]) {
    await assert.rejects(start(options), (error) => error instanceof SandtableError && error.code === "NoWorker" && error.message.includes('"sandtable/node"'));
  }
});

test("it runs in Node.js", async () => {
  const { start } = await import(join(folder, "package/node.js"));
  const sandtable = await start({ accounts: ["demo"] });
  assert.deepEqual((await sandtable.accounts.list()).map(({ name }) => name), ["demo", "devstoreaccount1"]);
  await sandtable.close();
});

test("its types for Node.js need no types of a page, and include those of what start returns", async () => {
  const test = join(folder, "package/test.ts");
  await writeFile(test, `
    import { start, describeError, SandtableError, version } from "./node.js";
    import type { ChangeEvent, NodeSandtable, RecordedRequest, SandtableErrorCode, Snapshot } from "./node.js";
    const sandtable: NodeSandtable = await start();
    sandtable.on("change", ({ kind }: ChangeEvent) => console.log(kind, version));
    export const requests: RecordedRequest[] = await sandtable.requests();
    const { mode, tables, store } = await sandtable.status();
    export const status: ["node", number, string] = [mode, tables, store];
    export const taken: Snapshot = await sandtable.snapshot("shop");
    export const codeOf = (error: unknown): SandtableErrorCode | string => (error instanceof SandtableError ? error.code : describeError(error).code);
  `);
  const options = { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, lib: ["lib.es2022.d.ts"], types: ["node"], typeRoots: [fileURLToPath(new URL("../node_modules/@types", import.meta.url))] };
  const program = ts.createProgram([test], options);
  // Not the types of Node.js, which take seconds to check.
  const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder));
  const found = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(), ...ours.flatMap((file) => ts.getPreEmitDiagnostics(program, file))];
  assert.ok(ours.length > 1);
  assert.deepEqual(found.map(({ file, start, messageText }) => `${file?.fileName}:${start}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`), []);
});

test("sandtable copy writes the files that a site serves and deletes outdated ones", async () => {
  const site = join(folder, "public");
  await mkdir(site);
  await writeFile(join(site, "engine.0123456789abcdef.wasm"), "of an earlier version");
  await writeFile(join(site, "robots.txt"), "the site's own");
  execFileSync(process.execPath, [join(folder, "package/cli.js"), "copy", site]);
  const engine = (await readdir(join(folder, "package"))).find((name) => /^engine\..*\.wasm$/.test(name));
  assert.deepEqual((await readdir(site)).sort(), [engine, "robots.txt", "sandtable-worker.js", "sandtable.js"]);
  for (const words of [[], ["copy"], ["copi", site], ["copy", "--elements", "--explore"], ["copy", site, "--explore"]]) {
    assert.throws(() => execFileSync(process.execPath, [join(folder, "package/cli.js"), ...words], { stdio: "pipe", cwd: folder }), { status: 2 }, words.join(" "));
  }
});

test("sandtable copy --elements writes the elements, their editor and the sandbox", async () => {
  const site = join(folder, "documentation");
  execFileSync(process.execPath, [join(folder, "package/cli.js"), "copy", site, "--elements"]);
  assert.deepEqual((await readdir(site)).filter((name) => !name.startsWith("engine.")).sort(), ["editor", "elements.js", "sandbox", "sandtable-worker.js", "sandtable.js"]);
  for (const part of ["sandbox", "editor"]) {
    assert.deepEqual((await readdir(join(site, part))).sort(), (await readdir(join(folder, "package", part))).sort());
  }
  await writeFile(join(site, "sandbox/host.js"), "of an earlier version");
  execFileSync(process.execPath, [join(folder, "package/cli.js"), "copy", site]);
  assert.equal(await readFile(join(site, "sandbox/host.js"), "utf8"), await readFile(join(folder, "package/sandbox/host.js"), "utf8"), "what was copied before is replaced");
});

test("sandtable copy --explorer writes the explorer too, but not over a folder of the site's own", async () => {
  const site = join(folder, "explored");
  const copy = () => execFileSync(process.execPath, [join(folder, "package/cli.js"), "copy", site, "--explorer"], { stdio: "pipe" });
  await mkdir(join(site, "explorer"), { recursive: true });
  await writeFile(join(site, "explorer/index.html"), "the site's own");
  assert.throws(copy, { status: 1 });
  assert.equal(await readFile(join(site, "explorer/index.html"), "utf8"), "the site's own");
  await rm(join(site, "explorer"), { recursive: true });
  copy();
  await writeFile(join(site, "explorer/app.0123456789abcdef.js"), "of an earlier version");
  copy();
  assert.deepEqual((await readdir(join(site, "explorer"))).sort(), (await readdir(join(folder, "package/explorer"))).sort());
});

test("every command has help, and an unknown one is named", () => {
  const said = (...words) => spawnSync(process.execPath, [join(folder, "package/cli.js"), ...words], { env: { ...process.env, PATH: "" }, encoding: "utf8" });
  for (const words of [["help"], ["-h"], ["--help"], ["serve", "-h"], ["serve", "--help"], ["help", "serve"], ["copy", "--help"]]) {
    const { status, stdout } = said(...words);
    assert.deepEqual([status, stdout.slice(0, 17)], [0, "usage: sandtable "], words.join(" "));
  }
  const { status, stderr } = said("foo");
  assert.deepEqual([status, stderr], [2, 'sandtable: unknown command "foo"; "sandtable help" lists the commands\n']);
});

const children = new Set();
after(() => children.forEach((child) => child.kill("SIGKILL"))); // those of a test that failed

/** Starts "sandtable serve" with a PATH, and returns the process and its first two lines. */
async function serve(path, ...flags) {
  const child = start(process.execPath, "", [join(folder, "package/cli.js"), "serve", ...flags], { env: { ...process.env, PATH: path }, stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  child.once("exit", () => children.delete(child));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, lines: [(await lines.next()).value, (await lines.next()).value] };
}

async function stopped({ child }) {
  child.kill("SIGTERM");
  return (await once(child, "exit"))[0];
}

test("sandtable serve answers Azure's SDK on a port and keeps its tables", async () => {
  const data = join(folder, "data");
  const ready = join(folder, "ready");
  for (const round of ["first", "second"]) {
    const server = await serve("", "-addr", "127.0.0.1:0", "--data", data, "-ready-file", ready);
    const [, connection] = (await readFile(ready, "utf8")).split("\n");
    assert.equal(connection, server.lines[1]);
    const client = TableClient.fromConnectionString(connection, "Orders", { allowInsecureConnection: true });
    await client.createTable();
    await client.createEntity({ partitionKey: "p", rowKey: round, total: 12n, name: "Zoë 😀" });
    const entity = await client.getEntity("p", "first");
    assert.deepEqual([entity.total, entity.name], [12n, "Zoë 😀"]);
    await client.submitTransaction([["create", { partitionKey: "p", rowKey: round + " 1" }], ["create", { partitionKey: "p", rowKey: round + " 2" }]]);
    await assert.rejects(client.createEntity({ partitionKey: "p", rowKey: round }), { statusCode: 409 });
    assert.equal(await stopped(server), 0);
    await assert.rejects(readFile(ready), { code: "ENOENT" });
  }
});

test("sandtable serve takes signatures of the header Date, and names its own address", async () => {
  const server = await serve("", "-addr", "127.0.0.1:0");
  const [endpoint, key] = ["TableEndpoint", "AccountKey"].map((name) => server.lines[1].match(name + "=([^;]*)")[1]);
  const { host, pathname } = new URL(endpoint + "/Tables");
  const date = new Date().toUTCString();
  const signature = createHmac("sha256", Buffer.from(key, "base64")).update(`${date}\n/devstoreaccount1${pathname}`).digest("base64");
  const headers = { date, accept: "application/json", "x-ms-version": "2019-02-02", authorization: "SharedKeyLite devstoreaccount1:" + signature };
  const { request } = await import("node:http"); // fetch sends no Date
  const [response] = await once(request(endpoint + "/Tables", { headers }).end(), "response");
  const text = Buffer.concat(await response.toArray()).toString();
  assert.equal(response.statusCode, 200, text);
  assert.equal(JSON.parse(text)["odata.metadata"], `http://${host}/devstoreaccount1/$metadata#Tables`);
  await stopped(server);
});

test("sandtable serve lets no web page in, and nothing but tables out", async () => {
  const server = await serve("", "-addr", "127.0.0.1:0");
  const base = /http:\/\/[^ ]+/.exec(server.lines[0])[0];
  const { port } = new URL(base);
  const status = async (path, headers = {}) => {
    const { request } = await import("node:http");
    const sent = request({ host: "127.0.0.1", port, path, headers: { accept: "*/*", ...headers } }).end();
    const [response] = await once(sent, "response");
    response.resume();
    return response.statusCode;
  };
  assert.equal(await status("/devstoreaccount1/Tables"), 200);
  assert.equal(await status("/devstoreaccount1/Tables", { origin: "https://example.com" }), 403);
  assert.equal(await status("/devstoreaccount1/Tables", { "sec-fetch-site": "cross-site" }), 403);
  assert.equal(await status("/devstoreaccount1/Tables", { host: "example.com" }), 403);
  for (const path of ["/", "/_sandtable/status", "//example.com/a", "http://localhost/", "http://localhost/_sandtable/status", "/.."]) {
    assert.equal(await status(path), 404, path);
  }
  assert.equal(await status("http://example.com/devstoreaccount1/Tables", { host: "localhost" }), 403);
  await stopped(server);
});

test("sandtable serve answers a body that is too long", async () => {
  const server = await serve("", "-addr", "127.0.0.1:0");
  const endpoint = server.lines[1].match(/TableEndpoint=([^;]*)/)[1];
  const response = await fetch(endpoint + "/Orders", { method: "POST", headers: { accept: "application/json", "content-type": "application/json" }, body: new Uint8Array(20 << 20) });
  assert.equal(response.status, 413);
  assert.equal((await response.json())["odata.error"].code, "RequestBodyTooLarge");
  await stopped(server);
});

test("sandtable serve stops reading a body that is far too long", async () => {
  const server = await serve("", "-addr", "127.0.0.1:0");
  const { port } = new URL(/http:\/\/[^ ]+/.exec(server.lines[0])[0]);
  const socket = connect(port, "127.0.0.1");
  socket.write(`POST /devstoreaccount1/Orders HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nContent-Type: application/json\r\nContent-Length: ${600 << 20}\r\n\r\n`);
  let answer = "";
  let sent = 0;
  const chunk = Buffer.alloc(1 << 20, " ");
  const send = () => {
    while (answer === "" && sent < 600 && !socket.destroyed) {
      sent++;
      if (!socket.write(chunk)) return;
    }
  };
  socket.on("data", (data) => (answer += data)).on("drain", send).on("error", () => {}); // it is reset while this sends
  send();
  await new Promise((resolve) => socket.on("close", resolve));
  assert.match(answer, /^HTTP\/1\.1 413 [^]*connection: close[^]*RequestBodyTooLarge/i);
  assert.ok(sent < 100, `it took ${sent} MiB`);
  await stopped(server);
});

test("sandtable serve answers unusual requests as the native program does", async () => {
  const servers = [await serve("", "-addr", "127.0.0.1:0"), await serve(join(build, "../bin"), "-addr", "127.0.0.1:0", "-data", "", "-open", "-quiet")];
  const ports = servers.map(({ lines }) => new URL(/http:\/\/[^ ,]+/.exec(lines[0])[0]).port);
  const json = "Accept: application/json";
  for (const [target, ...headers] of [
    ["GET /devstoreaccount1/Tables"],
    ["GET /devstoreaccount1/Tables", "Accept: application/json;odata=nometadata", "Accept: application/json;odata=fullmetadata"],
    ["GET /devstoreaccount1/Tables", "Accept: application/xml", json],
    ["PUT /devstoreaccount1/Some(PartitionKey='p',RowKey='r')", json, "Content-Type: application/json", "Content-Length: 0", "If-Match: *", 'If-Match: W/"x"'],
    ["GET /devstoreaccount1/Tables", json, "x-ms-client-request-id: a", "x-ms-client-request-id: b"],
    ["GET /devstoreaccount1/Tables", json, "X-Long: " + "x".repeat(50_000)],
    ["GET /devstoreaccount1/Tables", json, "X-Long: " + "x".repeat(100_000)],
    ["GET http://localhost/devstoreaccount1/Tables", json],
    ["GET http://example.com/devstoreaccount1/Tables", json],
    ["GET http://localhost/devstoreaccount1/Tables", json, "Host: example.com"],
    ...["a.localhost:80", "LOCALHOST", "localhost.", "127.0.0.2", "[::1]:80", "", "example.com", "localhost.example.com", "localhost:x"].map((host) => ["GET /devstoreaccount1/Tables", json, "Host: " + host]),
    ...["GET /", "HEAD /", "GET /favicon.ico", "GET /_sandtable/status", "GET //devstoreaccount1/Tables", "GET /nobody/Tables", "PROPFIND /devstoreaccount1/Tables", "HEAD /devstoreaccount1/Tables"].map((line) => [line, json]),
  ]) {
    const host = headers.some((header) => header.startsWith("Host:")) ? [] : ["Host: localhost"];
    const [ours, native] = await Promise.all(ports.map(async (port) => {
      const socket = connect(port, "127.0.0.1");
      socket.write([target + " HTTP/1.1", ...host, ...headers, "Connection: close", "", ""].join("\r\n"));
      const text = Buffer.concat(await socket.toArray()).toString();
      const header = (name) => new RegExp(`^${name}: (.*)$`, "im").exec(text)?.[1].trim();
      const status = text.slice(9, 12);
      return { status, ...(["403", "431"].includes(status) ? {} : { type: header("content-type"), code: header("x-ms-error-code"), id: header("x-ms-client-request-id") }) };
    }));
    assert.deepEqual(ours, native, [target, ...headers].join(", ").slice(0, 200));
  }
  await Promise.all(servers.map(stopped));
});

test("sandtable serve refuses addresses that other machines reach", () => {
  for (const flags of [["-addr", "0.0.0.0:10002"], ["-addr", "127.0.0.1"], ["-bogus"]]) {
    assert.throws(() => execFileSync(process.execPath, [join(folder, "package/cli.js"), "serve", ...flags], { env: { ...process.env, PATH: "" }, stdio: "pipe" }), { status: 2 });
  }
});

test("sandtable serve says in one line why it does not start", async () => {
  const data = join(folder, "busy");
  const server = await serve("", "-addr", "127.0.0.1:0", "-data", data);
  const { port } = new URL(/http:\/\/[^ ]+/.exec(server.lines[0])[0]);
  const any = ["-addr", "127.0.0.1:0"];
  for (const flags of [[...any, "-data", data], [...any, "-seed", join(folder, "none.jsonl")], [...any, "-seed", join(folder, "package/LICENSE")], [...any, "-ready-file", join(folder, "none/ready")], ["-addr", `127.0.0.1:${port}`], ["-addr", "127.0.0.1:99999"]]) {
    const { status, stderr } = spawnSync(process.execPath, [join(folder, "package/cli.js"), "serve", ...flags], { env: { ...process.env, PATH: "" }, encoding: "utf8" });
    assert.deepEqual([status, stderr.trimEnd().split("\n").length], [2, 1], stderr);
  }
  await stopped(server);
});

test("sandtable serve says what to use instead of Azurite's flags", () => {
  for (const [flags, want] of [
    [["--silent"], "leave it out"], [["--inMemoryPersistence"], "leave it out"], [["--tablePort", "10102"], "use -addr 127.0.0.1:PORT"], [["-l", "data"], "use -data FOLDER"],
    [["--bogus"], "there is no flag -bogus in Node.js"], [["-addr", "127.0.0.1:99999"], "-addr: 127.0.0.1:99999 is not"], [["-seed", "nofile"], "-seed: ENOENT"],
  ]) {
    const { status, stderr } = spawnSync(process.execPath, [join(folder, "package/cli.js"), "serve", ...flags], { env: { ...process.env, PATH: "" }, encoding: "utf8" });
    assert.deepEqual([status, stderr.startsWith("sandtable serve: ") && stderr.includes(want)], [2, true], stderr);
  }
});

test("sandtable serve creates the accounts of AZURITE_ACCOUNTS with their keys", async (t) => {
  const keys = ["first", "second"].map((text) => Buffer.from(text).toString("base64"));
  t.after(() => delete process.env.AZURITE_ACCOUNTS);
  process.env.AZURITE_ACCOUNTS = `shop:${keys[0]}:${keys[1]}; other:${keys[1]}:`;
  const ready = join(folder, "accounts-ready");
  const others = join(folder, "others");
  await writeFile(others, "of somebody else");
  await symlink(others, ready + ".part");
  const server = await serve("", "-addr", "127.0.0.1:0", "-ready-file", ready);
  const [base, shop] = (await readFile(ready, "utf8")).split("\n");
  assert.equal(await readFile(others, "utf8"), "of somebody else");
  assert.equal(server.lines[1], `Account shop: ${base}/shop`, "the output may be a log, so it has no key");
  const client = (connection) => TableClient.fromConnectionString(connection, "Orders", { allowInsecureConnection: true });
  assert.match(shop, new RegExp(`AccountName=shop;AccountKey=${keys[0]};`));
  await client(shop).createTable();
  await client(shop.replace(keys[0], keys[1])).createEntity({ partitionKey: "p", rowKey: "r" });
  await client(shop.replaceAll("shop", "other").replace(keys[0], keys[1])).createTable();
  await assert.rejects(client(shop.replace(keys[0], "d3Jvbmc=")).getEntity("p", "r"), { statusCode: 403 });
  await stopped(server);
  process.env.AZURITE_ACCOUNTS = "shop:" + keys[0] + ":no key";
  const { status, stderr } = spawnSync(process.execPath, [join(folder, "package/cli.js"), "serve"], { env: { ...process.env, PATH: "" }, encoding: "utf8" });
  assert.deepEqual([status, stderr.includes("AZURITE_ACCOUNTS: "), stderr.includes(keys[0])], [2, true, false], stderr);
});

test("sandtable serve runs the native program if it is on the PATH", async () => {
  const server = await serve(join(build, "../bin"), "-addr", "127.0.0.1:0", "-data", "", "-quiet");
  assert.match(server.lines[0], /data in memory/);
  const response = await fetch(server.lines[1].match(/TableEndpoint=([^;]*)/)[1] + "/Tables");
  assert.equal(response.status, 404); // as at the service, a request needs a signature
  assert.equal(await stopped(server), 0);
});
