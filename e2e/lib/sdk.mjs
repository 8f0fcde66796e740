// The unchanged Azure SDK for JavaScript, bundled into one script for pages.

import { build } from "esbuild";

let bundle;

/** Returns the script, which defines `sdk` with the exports of @azure/data-tables. */
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
