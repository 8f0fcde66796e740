// Further builds of the web app for update tests: the output of `make build`,
// assembled again with changed contents.

import { execFile } from "node:child_process";
import { appendFile, cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Builds the web app under a name. Both programs, the worker's script and the
 * page differ from those of any other name.
 *
 * @param {string} name of the build, which its assets and programs carry
 * @returns {Promise<{folder: string, version: string, drop: () => Promise<void>}>}
 */
export async function anotherBuild(name) {
  const place = await mkdtemp(join(tmpdir(), "sandtable-build-"));
  const folder = join(place, "site");
  const from = (path) => join(place, path);
  await Promise.all([
    cp(join(root, "build/engine.wasm"), from("engine.wasm")),
    cp(join(root, "build/app.wasm"), from("app.wasm")),
    cp(join(root, "web/assets"), from("assets"), { recursive: true }),
  ]);
  await Promise.all([
    appendFile(from("engine.wasm"), customSection(name)),
    appendFile(from("app.wasm"), customSection(name)),
    appendFile(from("assets/css/tokens.css"), `/* ${name} */\n`),
  ]);
  const { stdout: go } = await run("go", ["env", "GOROOT"]);
  const exec = join(go.trim(), "lib/wasm/wasm_exec.js");
  const flags = { engine: from("engine.wasm"), app: from("app.wasm"), exec, worker: join(root, "wasm/js"), assets: from("assets"), out: folder };
  await run("go", ["run", "./wasm/app", ...Object.entries(flags).flatMap(([flag, value]) => ["-" + flag, value])], { cwd: root });
  const script = await readFile(join(folder, "app-worker.js"), "utf8");
  return {
    folder,
    version: /build: "(\w+)"/.exec(script)[1],
    drop: () => rm(place, { recursive: true, force: true }),
  };
}

/** A custom section, which WebAssembly ignores: same program, different hash. */
function customSection(name) {
  const text = Buffer.from(name);
  return Buffer.concat([Buffer.from([0, text.length + 1, text.length]), text]);
}
