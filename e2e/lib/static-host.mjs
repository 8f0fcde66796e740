// A static host, the plainest there is: the files of dist/ in some folder of
// a site, and nothing but files.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";

const dist = new URL("../../dist/", import.meta.url);

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json" };

/**
 * Serves dist/ below a path.
 *
 * @param {string} folder such as "/some/folder/"
 * @returns {Promise<{url: string, deploy: (comment: string) => void, stop: () => void}>}
 *   deploy makes another build of the worker's script by adding a comment
 */
export async function serveStatically(folder) {
  let comment = "";
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const path = pathname.startsWith(folder) ? pathname.slice(folder.length) || "index.html" : "";
    const content = await readFile(new URL(path, dist)).catch(() => null);
    if (content === null) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" });
    response.write(content);
    response.end(path === "app-worker.js" ? `\n// ${comment}\n` : "");
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return {
    url: `http://localhost:${server.address().port}${folder}`,
    deploy: (text) => (comment = text),
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
