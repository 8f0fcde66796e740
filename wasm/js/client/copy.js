// sandtable copy FOLDER: copies the files that a site must serve into its folder of
// static files, and deletes those of an earlier version of this package. The elements
// with the sandbox, and the explorer, which is larger than all the rest, are copied on
// request, and replaced where they are: all files are of one version.

import { existsSync } from "node:fs";
import { copyFile, cp, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const served = /^(?:sandtable-worker\.js|sandtable\.js|engine\.[0-9a-f]{16}\.wasm)$/;

const rest = process.argv.slice(3);
const parts = ["--elements", "--explorer"];
const [folder, ...more] = rest.filter((word) => !parts.includes(word));
const usage = `usage: sandtable copy FOLDER [--elements] [--explorer]

Copies the service worker and what it loads into the folder of a site's static files,
with --elements what createSandbox() and elements.js load,
and with --explorer the page that openExplorer() opens.`;
if (["-h", "-help", "--help"].includes(folder)) {
  console.log(usage);
  process.exit(0);
}
if (folder === undefined || folder.startsWith("-") || more.length > 0) {
  console.error(usage);
  process.exit(2);
}

const here = dirname(fileURLToPath(import.meta.url));
const names = (await readdir(here)).filter((name) => served.test(name));
await mkdir(folder, { recursive: true });
const old = (await readdir(folder)).filter((name) => served.test(name) && !names.includes(name));
await Promise.all(names.map((name) => copyFile(join(here, name), join(folder, name))));
await Promise.all(old.map((name) => rm(join(folder, name))));

/**
 * Copies a folder if it is wanted or was copied before. One of that name has to be ours.
 *
 * @param {boolean} wanted
 * @param {string} name
 * @param {string} ours a file that only our folder has
 * @returns {Promise<boolean>} whether it is there now
 */
async function copy(wanted, name, ours) {
  const target = join(folder, name);
  const before = existsSync(join(target, ours));
  if (wanted && existsSync(target) && !before) {
    console.error(`${target} is a folder of the site's own: rename it, or copy Sandtable's to another place by hand, next to the worker.`);
    process.exit(1);
  }
  if (wanted || before) {
    await rm(target, { recursive: true, force: true });
    await cp(join(here, name), target, { recursive: true });
  }
  return wanted || before;
}

const elements = rest.includes("--elements");
if (await copy(elements, "sandbox", "frame.js")) {
  await copyFile(join(here, "elements.js"), join(folder, "elements.js"));
}
await copy(elements, "editor", "editor-view.js");
await copy(rest.includes("--explorer"), "explorer", "web/js/explorer.js");
