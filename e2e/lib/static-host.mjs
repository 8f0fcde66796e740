// A plain static host that serves a build's files under a path.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json" };

/**
 * Serves a build under a path.
 *
 * @param {string} folder such as "/some/folder/"
 * @param {object} [options]
 * @param {string} [options.from] the build's folder; by default that of `make build`
 * @param {Record<string, string>} [options.pages] further pages, by path
 * @param {string} [options.cacheControl] the Cache-Control header, if any
 */
export async function serveStatically(folder, { from = dist, pages = {}, cacheControl } = {}) {
  const host = {
    url: "",

    /** Switches to another build. */
    deploy: (build) => (from = build),

    /** Replaces a file's content: takes path and content, returns the new content or a promise of it; null means missing. */
    alter: (path, content) => content,

    /** The paths that were requested the folder. */
    requested: [],

    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const path = pathname.startsWith(folder) ? pathname.slice(folder.length) || "index.html" : "";
    host.requested.push(path);
    const content = pages[path] ?? await host.alter(path, await readFile(join(from, path)).catch(() => null));
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
