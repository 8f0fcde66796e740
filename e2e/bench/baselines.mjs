// Lower bounds: service workers that return constants, or append to IndexedDB
// first. Each has its own page.

import { createServer } from "node:http";
import { once } from "node:events";

// As large as the response to a point read (see entities.mjs).
const answer = `const answer = () => new Response(${JSON.stringify("x".repeat(226))}, { headers: { "content-type": "application/json" } });`;

const start = `
  self.addEventListener("install", () => self.skipWaiting());
  self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
`;

const constant = `${start}${answer}
  self.addEventListener("fetch", (event) => {
    if (event.request.url.endsWith("/measured")) event.respondWith(answer());
  });
`;

// append puts one record into a database in its own transaction.
const log = `
  const database = new Promise((resolve, reject) => {
    const opening = indexedDB.open("bench", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("log");
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  let next = 0;
  async function append(record) {
    const transaction = (await database).transaction("log", "readwrite", { durability: "relaxed" });
    transaction.objectStore("log").put(record, next++);
    transaction.commit();
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
  }
`;

// 226 bytes per request.
const appending = `${start}${answer}${log}
  async function insert(request) {
    await request.arrayBuffer();
    await append(new Uint8Array(226));
    return answer();
  }
  self.addEventListener("fetch", (event) => {
    if (event.request.url.endsWith("/measured")) event.respondWith(insert(event.request));
  });
`;

// As many bytes as the WAL record and the response of a transaction of 100 inserts.
const transactions = `${start}${log}
  const text = new TextEncoder().encode("HTTP/1.1 204".padEnd(55_250));
  async function transact(request) {
    const body = await request.arrayBuffer();
    await append(new Uint8Array(body.slice(0, 13_150)));
    return new Response(text.slice(), { status: 202, headers: { "content-type": "multipart/mixed" } });
  }
  self.addEventListener("fetch", (event) => {
    if (event.request.url.endsWith("/$batch")) event.respondWith(transact(event.request));
  });
`;

const page = `<!doctype html><title>bench</title><script>navigator.serviceWorker.register("worker.js")</script>`;
const files = {
  "/constant/": ["text/html", page],
  "/constant/worker.js": ["text/javascript", constant],
  "/append/": ["text/html", page],
  "/append/worker.js": ["text/javascript", appending],
  "/transactions/": ["text/html", page],
  "/transactions/worker.js": ["text/javascript", transactions],
};

/** Serves the baselines at /constant/, /append/ and /transactions/. */
export async function serveBaselines() {
  const server = createServer((request, response) => {
    const [type, text] = files[request.url] ?? ["text/plain", ""];
    response.writeHead(text === "" ? 404 : 200, { "content-type": type }).end(text);
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return { url: `http://localhost:${server.address().port}`, stop: () => server.close() };
}
