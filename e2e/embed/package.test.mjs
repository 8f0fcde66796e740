// The npm package that `make package` builds.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "../lib/test.mjs";
import { fileURLToPath } from "node:url";

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
  const engines = files.filter((name) => /^engine\.[0-9a-f]{16}\.wasm$/.test(name));
  assert.equal(engines.length, 1, files.join(" "));
  assert.deepEqual(files.filter((name) => name !== engines[0]), ["LICENSE", "README.md", "copy.js", "node.d.ts", "node.js", "package.json", "sandtable-worker.js", "sandtable.d.ts", "sandtable.js"]);
  assert.ok((await readFile(join(folder, "package/sandtable-worker.js"), "utf8")).includes(engines[0]));
});

test("every export exists, and there are no dependencies", async () => {
  const paths = Object.values(manifest.exports).flatMap((target) => (typeof target === "string" ? [target] : Object.values(target)));
  for (const path of paths) {
    await readFile(join(folder, "package", path));
  }
  assert.deepEqual([manifest.name, manifest.type, manifest.license], ["sandtable", "module", "MIT"]);
  assert.deepEqual([manifest.dependencies, manifest.peerDependencies, manifest.scripts], [undefined, undefined, undefined]);
});

test("the module can be imported outside a page; start then names what is missing", async () => {
  const { start, SandtableError } = await import(join(folder, "package/sandtable.js"));
  await assert.rejects(start(), (error) => error instanceof SandtableError && error.code === "InsecureContext");
});

test("it runs in Node.js", async () => {
  const { start } = await import(join(folder, "package/node.js"));
  const sandtable = await start({ accounts: ["demo"] });
  assert.deepEqual((await sandtable.accounts.list()).map(({ name }) => name), ["demo", "devstoreaccount1"]);
  await sandtable.close();
});

test("sandtable copy writes the files that a site serves and deletes outdated ones", async () => {
  const site = join(folder, "public");
  await mkdir(site);
  await writeFile(join(site, "engine.0123456789abcdef.wasm"), "of an earlier version");
  await writeFile(join(site, "robots.txt"), "the site's own");
  execFileSync(process.execPath, [join(folder, "package/copy.js"), "copy", site]);
  const engine = (await readdir(join(folder, "package"))).find((name) => name.endsWith(".wasm"));
  assert.deepEqual((await readdir(site)).sort(), [engine, "robots.txt", "sandtable-worker.js", "sandtable.js"]);
  assert.throws(() => execFileSync(process.execPath, [join(folder, "package/copy.js")], { stdio: "pipe" }), { status: 2 });
});
