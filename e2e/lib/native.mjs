// The native server in memory: bin/sandtable serve, built by `make build`.

import { once } from "node:events";
import { Agent } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { start } from "./processes.mjs";
import { after, before } from "./test.mjs";

const binary = process.env.SANDTABLE ?? fileURLToPath(new URL("../../bin/sandtable", import.meta.url));

/**
 * Registers the hooks that start and stop a native server for the tests of one file.
 *
 * @param {(here: object) => void | Promise<void>} prepare further setup before the tests
 * @param {...string} flags in addition to the address
 * @returns {{port: number, connection: string, account: string, key: string, path: string, host: string, options: object, control?: URL}}
 *   filled in before the tests: the connection string that the server prints
 *   and its parts, the account's address by path and, as the cloud has it, by
 *   host; options are what a client in Node.js needs to reach the latter
 */
export function native(prepare = () => {}, ...flags) {
  const here = {};
  let child;
  before(async () => {
    child = start(binary, "make build", ["serve", "-data", "", "-addr", "127.0.0.1:0", "-quiet", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith("DefaultEndpointsProtocol=")) {
        describe(here, line);
        if (!flags.includes("-control")) {
          return prepare(here);
        }
      }
      if (line.startsWith("Control API: ")) {
        here.control = new URL(line.slice("Control API: ".length)); // the status URL with the token
        return prepare(here);
      }
    }
    throw new Error(`sandtable serve ${flags.join(" ")}: it does not print its address`);
  });
  after(async () => {
    here.options?.agent.destroy();
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    if (code !== 0) {
      throw new Error(`sandtable serve exited with ${code}`);
    }
  });
  return here;
}

function describe(here, connection) {
  const field = (name) => new RegExp(`${name}=([^;]*)`).exec(connection)[1];
  here.connection = connection;
  here.account = field("AccountName");
  here.key = field("AccountKey");
  here.path = field("TableEndpoint");
  here.port = Number(new URL(here.path).port);
  here.host = `http://${here.account}.table.core.windows.net:${here.port}`;
  here.options = { allowInsecureConnection: true, agent: new Agent({ lookup: toLoopback }), retryOptions: { maxRetries: 0 } };
}

/** Resolves every host name to this machine. */
function toLoopback(name, options, found) {
  if (options.all) {
    found(null, [{ address: "127.0.0.1", family: 4 }]);
  } else {
    found(null, "127.0.0.1", 4);
  }
}
