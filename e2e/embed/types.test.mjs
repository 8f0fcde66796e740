// The module's type declarations: they compile together with the SDK's, and they
// cover every export.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "../lib/test.mjs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { Sandtable } from "../../wasm/js/client/client.js";
import { HttpClient } from "../../wasm/js/client/http-client.js";
import { BOUNDS } from "../../wasm/js/client/sandboxes.js";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const declarations = path("../../dist/embed/sandtable.d.ts");
const module = path("../../dist/embed/sandtable.js");

/** Lists a file's run-time exports from its syntax. */
function exportedValues(file) {
  const program = ts.createProgram([file], { allowJs: true, noEmit: true, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext });
  const checker = program.getTypeChecker();
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  const values = symbols.map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)).filter(({ flags }) => flags & ts.SymbolFlags.Value);
  return { checker, symbols, names: values.map(({ name }) => name).sort() };
}

test("a correct TypeScript program compiles, and a wrong one does not", () => {
  const { config } = ts.readConfigFile(path("../types/tsconfig.json"), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, path("../types"));
  const program = ts.createProgram(fileNames, options);
  const found = ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => `${file?.fileName}:${start}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
  assert.deepEqual(found, []);
});

test("they declare what the module exports", () => {
  assert.deepEqual(exportedValues(declarations).names, exportedValues(module).names);
});

test("they declare every member of a client", () => {
  const { checker, symbols } = exportedValues(declarations);
  const members = (name) => checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbols.find((symbol) => symbol.name === name))).map(({ name }) => name).sort();
  const internal = ["constructor", "prepare", "resetUnopened"];
  const own = Object.getOwnPropertyNames(Sandtable.prototype).filter((name) => !internal.includes(name));
  assert.deepEqual(members("Sandtable"), own.sort());
  assert.deepEqual(members("Accounts"), Object.getOwnPropertyNames(Object.getPrototypeOf(new Sandtable({ request() {} }).accounts)).filter((name) => name !== "constructor").sort());
  assert.deepEqual(members("HttpClient"), Object.keys(new HttpClient(() => {})).sort());
  assert.deepEqual(members("SandboxLimits"), [...BOUNDS].sort());
  assert.deepEqual(members("Events"), ["change", "error", "recovered", "request", "update"]);
});

test("they list every error code", async () => {
  const node = path("../../build/node/node.js");
  const texts = (await Promise.all([module, node].map((file) => readFile(file, "utf8")))).join("\n");
  const used = texts.matchAll(/(?:new SandtableError\(\s*|: \[)"([A-Z]\w+)",\s/g);
  const named = /type SandtableErrorCode =([^;]*);/.exec(await readFile(path("../../dist/embed/error.d.ts"), "utf8"))[1].matchAll(/\| "(\w+)"/g);
  const distinct = (matches) => [...new Set(Array.from(matches, ([, code]) => code))].sort();
  assert.deepEqual(distinct(named), distinct(used));
});

/** Type-checks values as literals of declared types: reports missing and undeclared members. */
function mismatches(values) {
  const source = path("../types/real.ts"); // not created
  const names = [...new Set(values.map(([type]) => /[A-Z]\w+(?=\[|,|$)/.exec(type)[0]))];
  const lines = values.map(([type, value], i) => `export const value${i}: ${type} = ${JSON.stringify(value)};`);
  const text = `import type { ${names.join(", ")} } from "sandtable";\n${lines.join("\n")}\n`;
  const { config } = ts.readConfigFile(path("../types/tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, path("../types"));
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => (name === source ? ts.createSourceFile(name, text, ts.ScriptTarget.ESNext) : getSourceFile(name, ...rest));
  host.fileExists = (name) => name === source || ts.sys.fileExists(name);
  const program = ts.createProgram([source], { ...options, skipLibCheck: true }, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}

test("they match what the engine sends", async (t) => {
  const { start } = await import("../../build/node/node.js");
  const sandtable = await start();
  t.after(() => sandtable.close());
  const values = [];
  sandtable.on("change", (event) => values.push(["ChangeEvent", event]));
  sandtable.on("request", (event) => values.push(["RequestEvent", event]));
  const send = (method, path, body) =>
    sandtable.httpClient.sendRequest({ method, url: sandtable.endpoint() + path, body, headers: [["content-type", "application/json"], ["accept", "application/json;odata=nometadata"], ...(method === "DELETE" ? [["if-match", "*"]] : [])] });
  await send("POST", "/Tables", '{"TableName":"Things"}');
  await send("POST", "/Things", '{"PartitionKey":"p","RowKey":"r"}');
  await send("PUT", "/Things(PartitionKey='p',RowKey='r')", '{"a":1}');
  await send("GET", "/Things()?$filter=a%20eq%201");
  await send("GET", "/Things()?sig=wrong&sv=2019-02-02&se=2030-01-01&sp=r&tn=Things"); // refused with a reason
  await send("DELETE", "/Things(PartitionKey='p',RowKey='r')");
  await sandtable.accounts.create("other", { access: "strict" });
  await sandtable.accounts.delete("other");
  await send("DELETE", "/Tables('Things')");
  while (!values.some(([, { kind }]) => kind === "tableDeleted")) await new Promise(setImmediate);
  const recorded = await sandtable.requests({ limit: 100 });
  assert.deepEqual(await sandtable.request(recorded[0].id), recorded[0]);
  values.push(["RecordedRequest[]", recorded], ["Account[]", await sandtable.accounts.list()], ["Verified", await sandtable.verify()], ["Compacted", await sandtable.compact()]);
  const snapshot = await sandtable.snapshot("devstoreaccount1");
  values.push(["Snapshot", snapshot], ["SnapshotDifferences", await sandtable.snapshots.compare("devstoreaccount1", snapshot)]);
  const { mode, ...status } = await sandtable.status();
  values.push(["CommonStatus", status]);
  assert.equal(mode, "node");
  const kinds = new Set(values.map(([, { kind }]) => kind));
  for (const kind of ["tableCreated", "inserted", "updated", "deleted", "tableDeleted", "accountCreated", "accountDeleted"]) {
    assert.ok(kinds.has(kind), `no change of kind ${kind}`);
  }
  const requests = values.filter(([type]) => type === "RequestEvent").map(([, event]) => event);
  assert.ok(requests.some(({ statistics }) => statistics !== null) && requests.some(({ reason }) => reason !== undefined), JSON.stringify(requests));
  assert.deepEqual(mismatches(values), []);
  assert.equal(mismatches([["RequestEvent", { ...requests[0], id: "1" }], ["RequestEvent", { ...requests[0], more: 1 }]]).length, 2);
});
