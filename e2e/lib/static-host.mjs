// A static host, the plainest there is: the files of a build in some folder of
// a site, and nothing but files.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json" };

/**
 * Serves a build below a path.
 *
 * @param {string} folder such as "/some/folder/"
 * @param {object} [options]
 * @param {string} [options.from] the build; that of `make build` unless told otherwise
 * @param {Record<string, string>} [options.pages] further pages, by path
 * @param {string} [options.cacheControl] what the host says about caching, if anything
 */
export async function serveStatically(folder, { from = dist, pages = {}, cacheControl } = {}) {
  const host = {
    url: "",

    /** Has the host serve another build from now on. */
    deploy: (build) => (from = build),

    /** Has the host alter a file: gets its path and content, returns the content; null is a missing file. */
    alter: (path, content) => content,

    /** The paths that were asked for, below the folder. */
    asked: [],

    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const path = pathname.startsWith(folder) ? pathname.slice(folder.length) || "index.html" : "";
    host.asked.push(path);
    const content = pages[path] ?? host.alter(path, await readFile(join(from, path)).catch(() => null));
    if (content === null) {
      response.writeHead(404).end();
      return;
    }
    const headers = { "content-type": types[extname(path)] ?? "application/octet-stream" };
    response.writeHead(200, cacheControl === undefined ? headers : { ...headers, "cache-control": cacheControl }).end(content);
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  host.url = `http://localhost:${server.address().port}${folder}`;
  return host;
}
