// Somebody's site with Sandtable in it: the files of dist/embed copied beside
// its pages, on a host that has nothing but files.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";
import { sdkBundle } from "./sdk.mjs";

const embed = new URL("../../dist/embed/", import.meta.url);
const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm", ".jsonl": "application/jsonl" };

/**
 * Serves a site.
 *
 * @param {string} folder of the host that it is in, such as "/" or "/some/folder/"
 * @param {Record<string, string>} own its files by their paths; sdk.js, which
 *   defines `sdk`, and those of dist/embed are there too
 * @param {{copied?: string, fresh?: boolean}} [how] the folder that dist/embed
 *   is copied to, and whether browsers may show pages again without asking
 * @returns {Promise<{url: string, asked: string[], files: object, stop: () => void}>}
 */
export async function serveSite(folder, own, { copied = "", fresh = false } = {}) {
  const asked = [];
  const files = { ...own };
  const find = async (path) => {
    if (path in files) return files[path];
    if (path === "sdk.js") return sdkBundle();
    return path.startsWith(copied) ? readFile(new URL(path.slice(copied.length), embed)).catch(() => null) : null;
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    asked.push(pathname);
    const path = pathname.startsWith(folder) ? pathname.slice(folder.length) || "index.html" : "none";
    const content = await find(path);
    if (content === null || content === undefined) {
      response.writeHead(404, { "content-type": "text/html" }).end("<!doctype html>Not found");
      return;
    }
    const headers = { "content-type": types[extname(path)] ?? "application/octet-stream" };
    if (fresh) headers["cache-control"] = "max-age=3600";
    response.writeHead(200, headers).end(content);
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return {
    url: `http://localhost:${server.address().port}${folder}`,
    asked,
    files,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A page that starts Sandtable with some options, as `sandtable`, and has the SDK as `sdk`. */
export function pageOf(options = "{}", module = "./sandtable.js") {
  return `<!doctype html><title>demo</title><script src="sdk.js"></script><script type="module">
    import { start, SandtableError } from ${JSON.stringify(module)};
    globalThis.Sandtable = { start, SandtableError };
    globalThis.loads = Number(sessionStorage.getItem("loads") ?? 0) + 1;
    sessionStorage.setItem("loads", loads);
    globalThis.started = start(${options}).then((s) => (globalThis.sandtable = s, "started"), (error) => ({ name: error.name, code: error.code, message: error.message }));
  </script>`;
}

/** Opens a page of a site, and is fulfilled when start has come to an end: "started", or an error. */
export async function visitSite(browser, url) {
  const page = await browser.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  await page.goto(url);
  page.outcome = await outcome(page);
  return page;
}

/** What start came to in a page that was opened or reloaded. */
export async function outcome(page) {
  await page.waitForFunction(() => globalThis.started !== undefined, { polling: 20 }); // in a hidden tab, too
  return page.evaluate(() => started);
}

/** Writes one entity in a page that has started Sandtable, and reads it. */
export function writes(page, table) {
  return page.evaluate(async (table) => {
    const client = new sdk.TableClient(sandtable.endpoint(), table, { httpClient: sandtable.httpClient });
    await client.createTable();
    await client.upsertEntity({ partitionKey: "p", rowKey: "é", n: 1 });
    return (await client.getEntity("p", "é")).n;
  }, table);
}

/** Reads the entity that writes wrote. */
export function reads(page, table) {
  return page.evaluate(async (table) => (await new sdk.TableClient(sandtable.endpoint(), table).getEntity("p", "é")).n, table);
}
