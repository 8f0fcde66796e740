// The modules of the worker's script are parts of one classic script: they
// share a scope, export nothing and may use what a worker has. The tests give
// them a scope of their own, with what they say a worker has.

import { readFileSync } from "node:fs";

/**
 * Runs modules in one scope.
 *
 * @param {string[]} modules names without ".js", those first that others use
 * @param {string[]} names what to return of what they declare
 * @param {object} globals what they see of a worker
 */
export function load(modules, names, globals = {}) {
  const source = modules.map((name) => readFileSync(new URL(`../${name}.js`, import.meta.url), "utf8")).join("\n");
  const run = new Function(...Object.keys(globals), `"use strict";\n${source}\nreturn { ${names.join(", ")} };`);
  return run(...Object.values(globals));
}
