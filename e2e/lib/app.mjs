// The program under test: bin/sandtable web, built by `make build`.

import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { start } from "./processes.mjs";

const binary = process.env.SANDTABLE ?? fileURLToPath(new URL("../../bin/sandtable", import.meta.url));

/**
 * Serves the web app until stop is called.
 *
 * @param {number} port to listen on; 0 picks one
 * @returns {Promise<{url: string, port: number, stop: () => Promise<number>}>}
 *   stop returns the exit code
 */
export async function serveApp(port = 0) {
  const child = start(binary, "make build", ["web", "-addr", `localhost:${port}`], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const first = once(createInterface(child.stdout), "line").then(([line]) => line);
  const line = await Promise.race([first, exited.then(([code]) => `exited with ${code}`)]);
  const url = /^Sandtable is at (http:\S+)$/.exec(line)?.[1];
  if (url === undefined) {
    throw new Error(`sandtable web: ${line}`);
  }
  return {
    url: url + "/",
    port: Number(new URL(url).port),
    async stop() {
      child.kill("SIGTERM");
      return (await exited)[0];
    },
  };
}
