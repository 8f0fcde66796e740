// The Azure SDK for JavaScript, unchanged, as one script for a page.

import { build } from "esbuild";

let bundle;

/** Returns the script; it defines `sdk` with all that @azure/data-tables exports. */
export function sdkBundle() {
  bundle ??= build({
    stdin: { contents: 'export * from "@azure/data-tables";', resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "sdk",
    platform: "browser",
    minify: true,
  }).then(({ outputFiles }) => outputFiles[0].text);
  return bundle;
}
