// Bundles what student code and the playground use of npm into the files next to
// this one, which are committed: building Sandtable needs neither Node.js nor
// npm. `make vendor` runs it after `npm ci`, and a test compares the result.

import { readFile, writeFile } from "node:fs/promises";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";

const here = import.meta.dirname;

// @azure/core-xml parses with the DOM in browsers, which a worker lacks. Its
// own build for other platforms parses with fast-xml-parser.
const xmlWithoutDOM = {
  name: "xml without a DOM",
  setup(build) {
    build.onResolve({ filter: /^@azure\/core-xml$/ }, () => ({ path: `${here}/node_modules/@azure/core-xml/dist/esm/index.js` }));
  },
};

/** What is bundled, by file: all that packages export, or the names that we use. */
const bundles = {
  "azure-data-tables.js": {
    exports: { "@azure/data-tables": "*" },
    options: { format: "iife", globalName: "azureDataTables", plugins: [xmlWithoutDOM] },
  },
  "acorn.js": { exports: { acorn: "*" }, options: { format: "esm" } },
  "codemirror.js": {
    exports: {
      "@codemirror/autocomplete": ["closeBrackets", "closeBracketsKeymap"],
      "@codemirror/commands": ["defaultKeymap", "history", "historyKeymap", "indentLess", "indentMore"],
      "@codemirror/lang-javascript": ["javascriptLanguage"],
      "@codemirror/language": ["bracketMatching", "indentOnInput", "indentUnit", "StreamLanguage", "syntaxHighlighting"],
      "@codemirror/search": ["closeSearchPanel", "findNext", "findPrevious", "openSearchPanel", "search"],
      "@codemirror/state": ["EditorState", "RangeSet", "StateEffect", "StateField"],
      "@codemirror/view": ["Decoration", "EditorView", "GutterMarker", "gutterLineClass", "highlightActiveLine", "highlightActiveLineGutter", "keymap", "lineNumbers"],
      "@lezer/highlight": ["classHighlighter"],
    },
    options: { format: "esm" },
  },
};

/** Returns the module that exports all of a bundle. */
const entry = (exports) =>
  Object.entries(exports).map(([name, names]) => `export ${names === "*" ? "*" : `{ ${names.join(", ")} }`} from "${name}";`).join("\n");

/** Bundles one of the files; returns its content. */
async function bundle({ exports, options }) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: entry(exports), resolveDir: here },
    absWorkingDir: here,
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    ...options,
  });
  return (await notice(Object.keys(metafile.inputs))) + outputFiles[0].text;
}

/** Returns a comment with name, version and licence of each package in a bundle. */
async function notice(inputs) {
  const folders = new Set(inputs.map((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]).filter(Boolean));
  const lines = [];
  const texts = new Map();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(await readFile(`${here}/${folder}/package.json`, "utf8"));
    lines.push(`${name} ${version}, ${license}`);
    const text = (await readFile(`${here}/${folder}/LICENSE`, "utf8").catch(() => "")).replaceAll("*/", "* /").trim();
    if (text !== "") {
      texts.set(text, [...(texts.get(text) ?? []), name]);
    }
  }
  const licences = [...texts].map(([text, names]) => `${names.join(", ")}:\n\n${text}`);
  return `/*\nBundled by make vendor, not written here:\n\n${lines.join("\n")}\n\n${licences.join("\n\n")}\n*/\n`;
}

const files = await Promise.all(Object.entries(bundles).map(async ([name, how]) => [name, await bundle(how)]));
for (const [name, content] of files) {
  await writeFile(`${here}/${name}`, content);
  console.log(`${name}: ${content.length} bytes, ${brotliCompressSync(content).length} with brotli`);
}
