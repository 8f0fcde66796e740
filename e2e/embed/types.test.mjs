// The types of the embeddable module: they compile with the SDK's, and they
// name what there is.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "../lib/test.mjs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { load } from "../../wasm/js/test/load.mjs";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const declarations = path("../../dist/embed/sandtable.d.ts");
const module = path("../../dist/embed/sandtable.js");

/** What a file exports at run time, by its syntax alone. */
function exportedValues(file) {
  const program = ts.createProgram([file], { allowJs: true, noEmit: true, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext });
  const checker = program.getTypeChecker();
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  const values = symbols.map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)).filter(({ flags }) => flags & ts.SymbolFlags.Value);
  return { checker, symbols, names: values.map(({ name }) => name).sort() };
}

test("a program in TypeScript compiles with them, and one that is wrong does not", () => {
  const { config } = ts.readConfigFile(path("../types/tsconfig.json"), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, path("../types"));
  const program = ts.createProgram(fileNames, options);
  const found = ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => `${file?.fileName}:${start}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
  assert.deepEqual(found, []);
});

test("they name what the module exports", () => {
  assert.deepEqual(exportedValues(declarations).names, exportedValues(module).names);
});

test("they name the members that a client has", () => {
  const { checker, symbols } = exportedValues(declarations);
  const members = (name) => checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbols.find((symbol) => symbol.name === name))).map(({ name }) => name).sort();
  const parts = ["errors", "http-client", "archive", "client"].map((name) => "client/" + name);
  const { Sandtable, HttpClient } = load(["answers", ...parts], ["Sandtable", "HttpClient"]);
  const internal = ["constructor", "prepare"];
  const own = Object.getOwnPropertyNames(Sandtable.prototype).filter((name) => !internal.includes(name));
  assert.deepEqual(members("Sandtable"), own.sort());
  assert.deepEqual(members("Accounts"), Object.keys(new Sandtable({ request() {} }).accounts).sort());
  assert.deepEqual(members("HttpClient"), Object.keys(new HttpClient(() => {})).sort());
  assert.deepEqual(members("Events"), ["change", "error", "recovered", "request", "update"]);
});

test("they name the codes of all errors", async () => {
  const node = path("../../build/node/node.js");
  const texts = (await Promise.all([module, node].map((file) => readFile(file, "utf8")))).join("\n");
  const used = texts.matchAll(/(?:new SandtableError\(\s*|: \[)"([A-Z]\w+)",\s/g);
  const named = /type SandtableErrorCode =([^;]*);/.exec(await readFile(declarations, "utf8"))[1].matchAll(/\| "(\w+)"/g);
  const distinct = (matches) => [...new Set(Array.from(matches, ([, code]) => code))].sort();
  assert.deepEqual(distinct(named), distinct(used));
});
