// sandtable copy FOLDER: copies the files that a site must serve into its folder of
// static files, and deletes those of an earlier version of this package. The explorer,
// which is larger than all the rest, is copied on request.

import { existsSync } from "node:fs";
import { copyFile, cp, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const served = /^(?:sandtable-worker\.js|sandtable\.js|engine\.[0-9a-f]{16}\.wasm)$/;

const [command, ...rest] = process.argv.slice(2);
const [folder, ...more] = rest.filter((word) => word !== "--explorer");
if (command !== "copy" || folder === undefined || more.length > 0) {
  console.error("usage: sandtable copy FOLDER [--explorer]\n\nCopies the service worker and what it loads into the folder of a site's static files,\nand with --explorer the page that openExplorer() opens.\n\n\"sandtable serve\" answers on a port of this machine.");
  process.exit(2);
}

const here = dirname(fileURLToPath(import.meta.url));
const names = (await readdir(here)).filter((name) => served.test(name));
await mkdir(folder, { recursive: true });
const old = (await readdir(folder)).filter((name) => served.test(name) && !names.includes(name));
await Promise.all(names.map((name) => copyFile(join(here, name), join(folder, name))));
await Promise.all(old.map((name) => rm(join(folder, name))));

if (rest.includes("--explorer")) {
  const explorer = join(folder, "explorer");
  if (existsSync(explorer) && !existsSync(join(explorer, "web/js/explorer.js"))) {
    console.error(`${explorer} is a folder of the site's own: rename it, or copy the explorer to another place by hand, next to the worker.`);
    process.exit(1);
  }
  await rm(explorer, { recursive: true, force: true });
  await cp(join(here, "explorer"), explorer, { recursive: true });
}
