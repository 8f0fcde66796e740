// Responses that Go streams through a service worker in Chromium: delivery,
// backpressure, end and failure. The program is wasm/internal/jshttp/streams.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "../lib/test.mjs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { dropProfile, launch, newProfile } from "../lib/browser.mjs";
import { open } from "../lib/page.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));

// A worker that starts the program as the app does, and restarts it when it has ended.
const script = `
  import { headOf, responseOf } from "./answers.js";
  import { Program } from "./program.js";
  let started;
  const program = () => (started ??= start());
  async function start() {
    const go = new Go();
    const { instance } = await WebAssembly.instantiateStreaming(fetch("streams.wasm"), go.importObject);
    const program = await Program.start(go, instance, {});
    program.ended.then(() => (started = undefined));
    return program;
  }
  self.addEventListener("install", () => self.skipWaiting());
  self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
  self.addEventListener("fetch", (event) => {
    const { pathname } = new URL(event.request.url);
    if (pathname.startsWith("/go/")) {
      event.respondWith(program().then((program) => program.serve(headOf(event.request, event.request.url), null)).then(responseOf));
    } else if (pathname === "/close") {
      event.respondWith(program().then((program) => program.close()).then(() => new Response("closed")));
    }
  });
`;

let folder, server, profile, browser, page;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sandtable-streams-"));
  const wasm = join(folder, "streams.wasm");
  await run("go", ["build", "-o", wasm, "./wasm/internal/jshttp/streams"], { cwd: root, env: { ...process.env, GOOS: "js", GOARCH: "wasm" } });
  const { stdout } = await run("go", ["env", "GOROOT"]);
  const loader = await readFile(join(stdout.trim(), "lib/wasm/wasm_exec.js"), "utf8");
  const bundle = await build({ stdin: { contents: script, resolveDir: join(root, "wasm/js") }, bundle: true, write: false, format: "iife" });
  const files = {
    "/": ["text/html", `<!doctype html><title>streams</title><script>navigator.serviceWorker.register("worker.js")</script>`],
    "/worker.js": ["text/javascript", loader + bundle.outputFiles[0].text],
    "/streams.wasm": ["application/wasm", await readFile(wasm)],
  };
  server = createServer((request, response) => {
    const [type, content] = files[request.url] ?? ["text/plain", ""];
    response.writeHead(content === "" ? 404 : 200, { "content-type": type }).end(content);
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  profile = await newProfile();
  browser = await launch(profile);
  page = await open(browser, `http://localhost:${server.address().port}/`);
});

after(async () => {
  await browser?.close();
  server?.close();
  await dropProfile(profile);
  await rm(folder, { recursive: true, force: true });
});

test("a streamed response arrives complete and in order", async () => {
  const wrong = await page.evaluate(async () => {
    const bytes = new Uint8Array(await (await fetch("/go/whole")).arrayBuffer());
    return [bytes.length, bytes.findIndex((byte, at) => byte !== Math.floor(at / 65536))];
  });
  assert.deepEqual(wrong, [200 * 65536, -1]);
});

test("a response starts before it is complete, and backpressure stops the writer", async () => {
  const written = await page.evaluate(async () => {
    const reader = (await fetch("/go/endless")).body.getReader();
    await reader.read();
    const written = async () => Number(await (await fetch("/go/written")).text());
    // The buffers between Go and the page fill up; then Go writes no more.
    let before = -1;
    let now = await written();
    for (let same = 0; same < 50; same = now === before ? same + 1 : 0) {
      before = now;
      now = await written();
    }
    await reader.cancel();
    await fetch("/go/ended");
    return now;
  });
  assert.ok(written < 64 * 16, `${written} pieces were written for a reader of one`); // 64 MiB
});

test("aborting a fetch ends its response", async () => {
  const outcome = await page.evaluate(async () => {
    const controller = new AbortController();
    const response = await fetch("/go/endless", { signal: controller.signal });
    controller.abort();
    const ended = await fetch("/go/ended");
    return [ended.status, await response.arrayBuffer().then(() => "whole", ({ name }) => name)];
  });
  assert.deepEqual(outcome, [200, "AbortError"]);
});

test("a response that is cut off fails", async () => {
  const outcome = await page.evaluate(async () => {
    const response = await fetch("/go/broken");
    return [response.status, await response.arrayBuffer().then(() => "whole", ({ name }) => name)];
  });
  assert.deepEqual(outcome, [200, "TypeError"]);
});

/** Reads an endless response during another fetch; returns both outcomes and the status of the next request. */
function during(path) {
  return page.evaluate(async (path) => {
    const reader = (await fetch("/go/endless")).body.getReader();
    const read = async () => {
      while (!(await reader.read()).done);
    };
    const reading = read().then(() => "whole", ({ name }) => name);
    const { status } = await fetch(path);
    return [status, await reading, (await fetch("/go/written")).status];
  }, path);
}

test("closing the program does not wait for an endless response", async () => {
  assert.deepEqual(await during("/close"), [200, "TypeError", 200]);
});

test("a response fails when its program crashes, and a new program serves the next request", async () => {
  assert.deepEqual(await during("/go/crash"), [500, "TypeError", 200]);
});
