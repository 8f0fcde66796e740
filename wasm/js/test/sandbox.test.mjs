// The parts of the sandbox that need no browser.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { allowed, readUpTo, Refused } from "../sandbox/bridge.js";
import { lineOfCall, noteCalls } from "../sandbox/calls.js";
import { failureOf } from "../sandbox/failure.js";
import { format, formatAll, formatTable } from "../sandbox/format.js";
import { failureIn, tableOf } from "../sandbox/host.js";
import { limitedSender, weigh } from "../sandbox/limits.js";
import { PortRequests } from "../sandbox/port-requests.js";
import { CodeError, compose, readCode } from "../sandbox/program.js";
import { treesIn, treesOf } from "../sandbox/tree.js";

const where = { origin: "https://playground.table.core.windows.net", endpoint: "https://host/folder/table/run1/" };
const limits = { body: 10 };

describe("bridge", () => {
  const urls = {
    "/Orders()?$filter=a%20eq%201": "https://host/folder/table/run1/Orders()?$filter=a%20eq%201",
    "/": "https://host/folder/table/run1/",
    "/../../other/Tables": "https://host/folder/table/run1/other/Tables",
    "/a/%2e%2e/%2E./other": "https://host/folder/table/run1/other",
    "/..%2fother": "https://host/folder/table/run1/..%2fother",
    "//other/Tables": "https://host/folder/table/run1//other/Tables",
    "/Tables#part": "https://host/folder/table/run1/Tables",
  };
  for (const [path, want] of Object.entries(urls)) {
    test(`${path} stays in the account`, () => assert.equal(allowed(["GET", where.origin + path, [], null], where, limits).url, want));
  }

  test("a preflight keeps its headers under names that scripts may send", () => {
    const headers = [["Origin", "https://shop.example"], ["access-control-request-method", "GET"], ["accept", "a"]];
    assert.deepEqual(allowed(["OPTIONS", where.origin, headers, null], where, limits).headers, [["x-sandtable-preflight-origin", "https://shop.example"], ["x-sandtable-preflight-access-control-request-method", "GET"], ["accept", "a"]]);
    assert.deepEqual(allowed(["GET", where.origin, headers, null], where, limits).headers, headers);
  });

  test("an answer that is too long is not read to its end", async () => {
    let read = 0, cancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array((read += 4, 4))),
      cancel: () => void (cancelled = true),
    }, { highWaterMark: 0 });
    await assert.rejects(readUpTo(endless, limits.body), Refused);
    assert.ok(cancelled && read === 12, `${read} bytes were read, cancelled: ${cancelled}`);
    assert.deepEqual(await readUpTo(new Response("ten bytes.").body, limits.body), new TextEncoder().encode("ten bytes."));
  });

  test("an answered request does not listen to its caller's signal", async () => {
    const listeners = new Set();
    const signal = { addEventListener: (_, f) => listeners.add(f), removeEventListener: (_, f) => listeners.delete(f) };
    const requests = new PortRequests(([, id]) => queueMicrotask(() => requests.receive([id, { status: 204 }])));
    const answer = requests.send("GET", where.origin, [], null, signal);
    assert.equal(listeners.size, 1);
    await answer;
    assert.equal(listeners.size, 0);
  });

  const refused = {
    "no message": null,
    "a short message": ["GET"],
    "another method": ["TRACE", where.origin, [], null],
    "another host": ["GET", "https://other.table.core.windows.net/", [], null],
    "a longer host": ["GET", where.origin + ".example.com/", [], null],
    "another scheme": ["GET", where.origin.replace("https", "http"), [], null],
    "another port": ["GET", where.origin + ":8443/", [], null],
    "the page's own origin": ["GET", "https://host/folder/_sandtable/accounts", [], null],
    "a relative address": ["GET", "/Tables", [], null],
    "no text": ["GET", { toString: () => where.origin }, [], null],
    "a long address": ["GET", where.origin + "/" + "a".repeat(20_000), [], null],
    "a body that is text": ["POST", where.origin, [], "text"],
    "a long body": ["POST", where.origin, [], new ArrayBuffer(11)],
    "headers that are no list": ["GET", where.origin, { a: 1 }, null],
    "a malformed header": ["GET", where.origin, [["a b", "c"]], null],
    "too many headers": ["GET", where.origin, Array(51).fill(["a", "b"]), null],
  };
  for (const [name, message] of Object.entries(refused)) {
    test(`${name} is refused`, () => assert.throws(() => allowed(message, where, limits), Refused));
  }
});

describe("program", () => {
  const modules = ["sdk"];

  test("imports are blanked where they are", () => {
    const code = 'import all, {\n  a as b } from "sdk"; b();\nimport * as sdk from "sdk";';
    const { body, bindings, imports } = readCode(code, modules);
    assert.equal(body.length, code.length);
    assert.equal(body.replaceAll(" ", ""), "\nb();\n");
    assert.equal(body.split("\n")[1].indexOf("b();"), code.split("\n")[1].indexOf("b();"));
    assert.deepEqual(bindings, ['const all = $import($modules, "sdk", "default");', 'const b = $import($modules, "sdk", "a");', 'const sdk = $modules["sdk"];']);
    assert.deepEqual(imports, ["sdk"]);
  });

  test("thousands of imports are blanked in one pass", () => {
    const code = 'import "sdk";\n'.repeat(40_000);
    assert.equal(readCode(code, modules).body, (" ".repeat(13) + "\n").repeat(40_000));
  });

  test("code over the limit is refused before it is parsed", () => {
    assert.equal(readCode("a;", modules, 2).body, "a;");
    assert.throws(() => readCode("a; (", modules, 3), (error) => error instanceof CodeError && error.message === "The code has more than 3 characters.");
  });

  test("text that looks like an import stays", () => {
    const code = '// import a from "x"\nconst b = `import c from "x"`;';
    assert.equal(readCode(code, modules).body, code);
  });

  test("what a script reads as a comment, and a module as code, is refused", () => {
    assert.throws(() => readCode("let b = 2;\nconst c = 1 <!--b;", modules), (error) => error instanceof CodeError && error.line === 2 && error.column === 13);
    assert.throws(() => readCode("x;\n--> a comment in scripts", modules), CodeError);
    assert.throws(() => readCode('import "sdk"; --> a comment once the import is blanked', modules), CodeError);
  });

  test("the first line of an executable file is a comment", () => {
    assert.equal(readCode("#!/usr/bin/env node\nrun();", modules).body, "///usr/bin/env node\nrun();");
    assert.throws(() => readCode("run();\n#!/usr/bin/env node", modules), CodeError);
  });

  for (const code of ['const a = "<!--";', "// <!-- -->", "`<!--${1}-->`;", "/<!--/;", "let n = 3; while (n --> 0) {}", "1 < !--self.n;"]) {
    test(`${code} means the same in both`, () => assert.equal(readCode(code, modules).body, code));
  }

  test("the code begins at the line that is passed to the runtime", () => {
    const script = compose("runtime\nof two lines", [{ name: "sdk", variable: "sdk", script: "sdk" }], { body: "CODE", bindings: [] }, { messages: 1, bytes: 2 });
    const line = Number(/sandboxRun\(\{ "sdk": sdk \}, (\d+),/.exec(script)?.[1]);
    assert.equal(script.split("\n")[line - 1], "CODE");
  });

  const errors = {
    'import "https://example.com/x.js";': [1, 1, /Only sdk can be imported/],
    "const a = 1;\n  const = 2;": [2, 9, /Unexpected token/],
    "export const a = 1;": [1, 1, /nobody to export to/],
    'await import("sdk");': [1, 7, /at the top/],
    "import.meta.url": [1, 1, /at the top/],
    "}); self.x = 1; (() => {": [1, 1, /Unexpected token/],
  };
  for (const [code, [line, column, message]] of Object.entries(errors)) {
    test(`refuses ${code}`, () => {
      assert.throws(() => readCode(code, modules), (error) => {
        assert.ok(error instanceof CodeError, String(error));
        assert.deepEqual([error.line, error.column], [line, column]);
        assert.match(error.message, message);
        return true;
      });
    });
  }

  test("code nested without end is refused, not fatal", () => assert.throws(() => readCode("[".repeat(200_000), modules), CodeError));
});

describe("format", () => {
  const self = { a: 1 };
  self.self = self;
  const values = [
    ["text", '"text"'],
    [-0, "-0"],
    [10n, "10n"],
    [undefined, "undefined"],
    [{ a: 1, "b c": [true, null] }, '{ a: 1, "b c": [true, null] }'],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [new Map([["a", 1]]), 'Map(1) { "a" => 1 }'],
    [new Uint8Array([1, 2]), "Uint8Array(2) [1, 2]"],
    [new RangeError("no"), "RangeError: no"],
    [self, "{ a: 1, self: [Circular] }"],
    [{ a: { b: { c: { d: {} } } } }, "{ a: { b: { c: { d: {…} } } } }"],
    [{ get a() { throw new Error(); } }, "[object that cannot be shown]"],
    [Object.create(null), "{}"],
  ];
  for (const [value, want] of values) {
    test(want, () => assert.equal(format(value), want));
  }

  test("long values are cut", () => {
    assert.ok(formatAll(["x".repeat(1e6)]).length < 11_000);
    assert.match(format(Array(1000).fill(0)), /… 950 more/);
  });

  test("tables have the columns of all rows", () => {
    assert.deepEqual(formatTable([{ a: 1 }, { b: "x" }, 7]), { columns: ["(index)", "a", "b", "value"], rows: [["0", "1", "", ""], ["1", "", "x", ""], ["2", "", "", "7"]] });
    assert.deepEqual(formatTable({ x: { a: 1, b: 2 } }, ["b"]), { columns: ["(index)", "b"], rows: [["x", "2"]] });
    assert.equal(formatTable("text"), null);
  });
});

describe("trees", () => {
  const names = ({ members }) => members?.map(({ name, text }) => [name, text]);

  test("text alone has none", () => assert.equal(treesOf(["a", "b"]), null));

  test("an object has its members", () => {
    const [label, tree] = treesOf(["found", { partitionKey: "p", at: new Date(0), tags: ["a", { b: 1 }], none: null }]);
    assert.deepEqual([label.text, label.members], ["found", undefined]);
    assert.equal(tree.text, '{ partitionKey: "p", at: 1970-01-01T00:00:00.000Z, tags: Array(2), none: null }');
    assert.deepEqual(names(tree), [["partitionKey", '"p"'], ["at", "1970-01-01T00:00:00.000Z"], ["tags", '["a", {…}]'], ["none", "null"]]);
    assert.deepEqual(names(tree.members[2].members[1]), [["b", "1"]]);
    assert.deepEqual(tree.members.map(({ kind }) => kind), ["string", "date", undefined, "none"]);
  });

  test("collections and errors open", () => {
    const [map, set, error] = treesOf([new Map([["a", 1]]), new Set([7]), Object.assign(new RangeError("no"), { code: "X" })]);
    assert.deepEqual([map.text, names(map)], ['Map(1) { "a": 1 }', [['"a"', "1"]]]);
    assert.deepEqual([set.text, names(set)], ["Set(1) { 7 }", [["0", "7"]]]);
    assert.deepEqual(names(error).map(([name]) => name), ["name", "message", "stack", "code"]);
  });

  test("what contains itself, throws or never ends has a bound", () => {
    const self = { a: 1 };
    self.self = self;
    assert.deepEqual(names(treesOf([self])[0]), [["a", "1"], ["self", "[Circular]"]]);
    assert.equal(treesOf([{ get a() { throw new Error(); } }])[0].text, "[object that cannot be shown]");
    const endless = () => ({ get next() { return endless(); } });
    let depth = 0;
    for (let node = treesOf([endless()])[0]; node.members; node = node.members[0]) depth++;
    assert.equal(depth, 6);
    const wide = Array.from({ length: 1000 }, () => Array(1000).fill("x".repeat(1000)));
    const [tree] = treesOf([wide]);
    assert.deepEqual([tree.members.length, tree.more], [100, 900]);
    assert.ok(JSON.stringify(tree).length < 400_000);
  });

  test("what the runtime sends arrives as it is", () => {
    const trees = treesOf(["a", { b: [1, { c: true }], d: new Map([[1, 2]]) }, 3]);
    assert.deepEqual(treesIn(JSON.stringify(trees)), JSON.parse(JSON.stringify(trees)));
  });

  test("what a stranger sends is cut to a tree", () => {
    let deep = { text: "x" };
    for (let i = 0; i < 1000; i++) deep = { text: "x", members: [deep] };
    const [tree, other] = treesIn(JSON.stringify([deep, { text: { toString: 1 }, name: 7, kind: "constructor", more: -1, members: "text" }]));
    assert.ok(JSON.stringify(tree).length < 500);
    assert.deepEqual(other, { text: "" });
    const [wide] = treesIn(JSON.stringify([{ text: "w", members: Array(100_000).fill({ text: "y".repeat(1000), name: "n".repeat(1000) }) }]));
    assert.deepEqual([wide.members.length, wide.members[0].text.length, wide.members[0].name.length], [100, 501, 101]);
    for (const json of ["null", "no JSON", "7", "[null]", "[".repeat(100_000)]) {
      assert.equal(treesIn(json), null);
    }
  });
});

describe("failure", () => {
  test("the service's code is taken out of the SDK's message", () => {
    const error = Object.assign(new Error('{"odata.error":{"code":"TableNotFound","message":{"lang":"en-US","value":"The table.\\nRequestId:1\\nTime:2"}}}'), { name: "RestError", statusCode: 404 });
    assert.deepEqual(failureOf(error, () => 7), { name: "RestError", message: "The table.", code: "TableNotFound", status: 404, line: 7 });
  });

  test("anything can be thrown", () => {
    assert.equal(failureOf("text", () => 0).message, "text");
    assert.equal(failureOf(Object.create(null), () => 0).message, "an object that cannot be shown");
  });
});

describe("messages of a program", () => {
  const itself = [];
  itself.push(itself);
  const weights = {
    "a request": [["fetch", 1, ["GET", "https://x", [["a", "b"]], null]], 40, 100],
    "a body": [["fetch", 1, ["PUT", "", [], new ArrayBuffer(1000)]], 1000, 1100],
    "a long array": [new Array(1e6).fill(0), 1001, Infinity],
    "a view": [new Uint8Array(1), 1001, Infinity],
    "a map in an array": [[new Map()], 1001, Infinity],
    "an array that contains itself": [itself, 1001, Infinity],
    "a long number": [["log", "log", "", 1n << 1_000_000n], 1001, Infinity],
  };
  for (const [name, [data, least, most]] of Object.entries(weights)) {
    test(`${name} is weighed`, () => {
      const got = weigh(data, 1000);
      assert.ok(got >= least && got <= most, String(got));
    });
  }

  for (const [name, limits, want] of [["messages", { messages: 3, bytes: 1e6 }, 4], ["bytes", { messages: 1e6, bytes: 250 }, 3]]) {
    test(`a program sends no more ${name} than those that end its run`, () => {
      let sent = 0;
      const send = limitedSender({ postMessage: () => sent++ }, limits);
      for (let i = 0; i < 100; i++) {
        send(["log", "log", "x".repeat(70), i]);
      }
      assert.equal(sent, want);
    });
  }

  test("a table is cut to what is shown", () => {
    const { columns, rows } = tableOf(JSON.stringify({ columns: new Array(100).fill("c"), rows: new Array(1000).fill(["a", 1, { toString: 1 }]) }));
    assert.deepEqual([columns.length, rows.length, rows[0]], [31, 200, ["a", "", ""]]);
    assert.deepEqual(tableOf("null"), { columns: [], rows: [] });
  });

  test("a failure not sent by our runtime is an empty one", () => {
    for (const json of ['{"name":{"toString":1},"message":1}', "null", "no JSON", "[]"]) {
      assert.deepEqual(failureIn(json), { name: "Error", message: "", code: "", status: 0, line: 0 });
    }
  });
});

describe("lines of calls", () => {
  class Client {
    async get() {
      await null;
      throw new Error("no");
    }
    list() {
      return { next: () => Promise.reject(new Error("no")), [Symbol.asyncIterator]() { return this; } };
    }
    name() {
      return "name";
    }
  }
  noteCalls(Client, () => 7);
  const client = new Client();
  test("an error leads to the call that ended in it", async () => {
    assert.equal(lineOfCall(await client.get().catch((error) => error)), 7);
    assert.equal(lineOfCall(await client.list().next().catch((error) => error)), 7);
  });
  test("other results and errors stay as they are", () => {
    assert.equal(client.name(), "name");
    assert.equal(lineOfCall(new Error("other")), 0);
    assert.equal(lineOfCall("text"), 0);
  });
});
