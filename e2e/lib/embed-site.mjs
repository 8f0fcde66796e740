// An embedding site on a static host: its own pages with the files of dist/embed
// next to them.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";
import { cases, context } from "./sdk-cases.mjs";
import { sdkBundle } from "./sdk.mjs";

const embed = new URL("../../dist/embed/", import.meta.url);
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".jsonl": "application/jsonl" };

/**
 * Serves a site.
 *
 * @param {string} folder the site's path on its host, such as "/" or "/some/folder/"
 * @param {Record<string, string>} own its files by path; sdk.js, which defines
 *   `sdk`, and the files of dist/embed are served too
 * @param {{copied?: string, fresh?: boolean, shared?: boolean, clean?: boolean, headers?: object}} [how] the folder for
 *   the files of dist/embed, whether browsers may cache responses without revalidation, whether pages of other origins
 *   may load the files, whether page.html redirects to page, and more headers
 * @returns {Promise<{url: string, requested: string[], files: object, stop: () => void}>}
 */
export async function serveSite(folder, own, { copied = "", fresh = false, shared = false, clean = false, headers: more = {} } = {}) {
  const requested = [];
  const files = { ...own };
  const find = async (path) => {
    if (path in files) return files[path];
    if (clean && path + ".html" in files) return files[path + ".html"];
    if (path === "sdk.js") return sdkBundle();
    return path.startsWith(copied) ? readFile(new URL(path.slice(copied.length), embed)).catch(() => null) : null;
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    requested.push(pathname);
    if (clean && pathname.endsWith(".html")) {
      response.writeHead(308, { location: pathname.replace(/\.html$/, "") }).end();
      return;
    }
    const path = pathname.startsWith(folder) ? pathname.slice(folder.length).replace(/(^|\/)$/, "$1index.html") : "none";
    const content = await find(path);
    if (content === null || content === undefined) {
      response.writeHead(404, { "content-type": "text/html" }).end("<!doctype html>Not found");
      return;
    }
    const headers = { "content-type": types[extname(path)] ?? (clean && extname(path) === "" ? "text/html" : "application/octet-stream"), ...more };
    if (shared) headers["access-control-allow-origin"] = "*";
    if (fresh) headers["cache-control"] = "max-age=3600";
    response.writeHead(200, headers).end(content);
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return {
    url: `http://localhost:${server.address().port}${folder}`,
    requested,
    files,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns a page that starts Sandtable as `sandtable` and loads the SDK as `sdk`. */
export function pageOf(options = "{}", module = "./sandtable.js") {
  return `<!doctype html><title>demo</title><script src="sdk.js"></script><script type="module">
    import { start, SandtableError } from ${JSON.stringify(module)};
    globalThis.Sandtable = { start, SandtableError };
    globalThis.loads = Number(sessionStorage.getItem("loads") ?? 0) + 1;
    sessionStorage.setItem("loads", loads);
    globalThis.started = start(${options}).then((s) => (globalThis.sandtable = s, "started"), (error) => ({ name: error.name, code: error.code, message: error.message }));
  </script>`;
}

/** Opens a page and waits for start to settle; page.outcome is "started" or the error. */
export async function visitSite(browser, url) {
  const page = await browser.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  await page.goto(url);
  page.outcome = await outcome(page);
  return page;
}

/** Waits for start to settle in a loaded page: "started" or the error. */
export async function outcome(page) {
  await page.waitForFunction(() => globalThis.started !== undefined, { polling: 20 }); // also works in a hidden tab
  return page.evaluate(() => started);
}

/** Writes and reads one entity in a page that has started Sandtable. */
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

/** Runs the SDK cases in a page that has started Sandtable, in an account of their own, through its client or through fetch. */
export async function everyMethod(t, page, account, direct) {
  await page.evaluate(`(async () => {
    await sandtable.accounts.create(${JSON.stringify(account)});
    const text = await sandtable.connectionString(${JSON.stringify(account)});
    const access = { address: sandtable.endpoint(${JSON.stringify(account)}), sas: /SharedAccessSignature=(.*)$/.exec(text)[1] };
    globalThis.tested = (${context})(sdk, { ...access, options: ${direct} ? { httpClient: sandtable.httpClient } : {} });
  })()`);
  for (const { name, run, want, wantWithSAS } of cases) {
    await t.test(name, async () => {
      const got = await page.evaluate(`(async () => JSON.stringify(await ({ ${run} }).run(tested)))()`);
      assert.deepEqual(JSON.parse(got), wantWithSAS ?? want);
    });
  }
}
