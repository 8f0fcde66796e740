// sandtable serve: answers the Table service's REST API on a port of this machine,
// in place of Azurite's table service. The native program does it if it is on
// the PATH: it is faster, and has TLS, more flags and strict accounts.
// Otherwise the engine runs in this process.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { access, constants, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { delimiter, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";

const usage = `usage: sandtable serve [flags]

  -addr HOST:PORT    the address to listen on, of this machine alone (default 127.0.0.1:10002)
  -data FOLDER       the folder of the tables (default: they are in memory)
  -seed FILE         an archive to load into a store without tables
  -ready-file FILE   a file to write once requests are answered: the address, then connection strings

AZURITE_ACCOUNTS="NAME:KEY1:KEY2;…" in the environment names accounts, as for Azurite.

If the native program is on the PATH, it serves instead, and takes its own flags.`;

// Azurite's flags, with what to use instead.
const NEEDLESS = "leave it out, because nothing changes without it";
const AZURITE = new Map(Object.entries({
  tableHost: "use -addr HOST:PORT", tablePort: "use -addr 127.0.0.1:PORT", location: "use -data FOLDER", l: "use -data FOLDER",
  inMemoryPersistence: "leave it out: tables are in memory unless -data names a folder",
  silent: "leave it out: requests are not logged", s: "leave it out: requests are not logged",
  loose: NEEDLESS, L: NEEDLESS, skipApiVersionCheck: NEEDLESS, disableTelemetry: NEEDLESS, disableProductStyleUrl: NEEDLESS,
}));

// The emulator's account and its well-known key.
const ACCOUNT = "devstoreaccount1";
const KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

// Headers that are about the connection, and the host, which is in the URL.
const OF_CONNECTION = /^(?:connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$/i;
const OURS = /^\/[a-z0-9]{3,24}(?:-secondary)?(?:[/?]|$)/;
const MAX_BODY = 4 << 20;
// How much of a longer body is discarded before the answer, and for how many milliseconds.
const MAX_DISCARD = 64 << 20;
const DISCARD_TIME = 10_000;
const MAX_HEADERS = 64 << 10;
// Names of this machine that no web page can come from.
const LOCAL = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|(?:[^.]+\.)*localhost|host\.docker\.internal)\.?(?::\d+)?$/i;

const args = process.argv.slice(3);
const native = await findNative();
if (native !== null) {
  runNative(native);
} else {
  await serve(readFlags()).catch((error) => {
    console.error("sandtable serve: " + error.message);
    process.exit(2);
  });
}

/** Returns the path of the native program, null if it is not installed. */
async function findNative() {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, process.platform === "win32" ? "sandtable.exe" : "sandtable");
    try {
      await access(path, constants.X_OK);
      const file = await open(path);
      const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0).finally(() => file.close());
      if (buffer.toString() !== "#!") return path; // a script is this package's own command
    } catch {
      // There is none in this folder.
    }
  }
  return null;
}

function runNative(path) {
  // Before the program runs: a signal that ended this process alone would leave it running.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  const child = spawn(path, ["serve", ...args], { stdio: "inherit" });
  child.on("exit", (code, signal) => process.exit(signal === null ? code : 1));
}

/** Flags have one dash or two, as those of the native program. */
function readFlags() {
  const doubled = args.map((arg) => arg.replace(/^-(?=[a-z]{2})/i, "--"));
  const option = { type: "string" };
  try {
    const { values } = parseArgs({ args: doubled, options: { addr: option, data: option, seed: option, "ready-file": option, help: { type: "boolean", short: "h" } } });
    if (!values.help) return { ...values, ...addressOf(values.addr ?? "127.0.0.1:10002"), accounts: accountsOf(process.env.AZURITE_ACCOUNTS ?? "") };
  } catch (error) {
    const wrong = error.code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? unknownFlag(doubled) : error.message;
    console.error("sandtable serve: " + wrong);
    process.exit(2);
  }
  console.log(usage);
  process.exit(0);
}

/** Says what is wrong with flags of which one is unknown, and what to use instead if it is Azurite's. */
function unknownFlag(flags) {
  const names = flags.filter((flag) => flag.startsWith("-")).map((flag) => flag.replace(/^-+/, "").replace(/=.*/, ""));
  const azurite = names.find((name) => AZURITE.has(name));
  if (azurite !== undefined) return `-${azurite} is Azurite's: ${AZURITE.get(azurite)}`;
  const name = names.find((one) => !["addr", "data", "seed", "ready-file", "help", "h"].includes(one));
  return `there is no flag -${name} in Node.js ("sandtable serve -h" lists them); the native program has more, and takes most of Azurite's`;
}

/** Splits an address, and refuses one that other machines reach: requests need no signature here. */
function addressOf(text) {
  const found = /^(127\.0\.0\.1|localhost):(\d{1,5})$/.exec(text);
  if (found === null || Number(found[2]) > 65_535) {
    throw new Error(`-addr: ${text} is not 127.0.0.1:PORT or localhost:PORT; the native program also serves other machines.`);
  }
  return { host: found[1], port: Number(found[2]) };
}

/** Reads "name:key1:key2;name:key1". Errors do not quote it, because it contains keys. */
function accountsOf(text) {
  const fields = text.split(";").map((field) => field.trim()).filter((field) => field !== "");
  return fields.map((field) => {
    const [name, ...keys] = field.split(":");
    if (keys.length === 2 && keys[1] === "") keys.pop(); // Azurite accepts an empty second key
    if (!/^[a-z0-9]{3,24}$/.test(name) || keys.length < 1 || keys.length > 2 || !keys.every(isBase64)) {
      throw new Error("AZURITE_ACCOUNTS: want NAME:KEY or NAME:KEY1:KEY2, with keys in Base64 and semicolons between accounts.");
    }
    if (name === ACCOUNT && keys[0] !== KEY) {
      throw new Error(`AZURITE_ACCOUNTS: in Node.js ${ACCOUNT} has its well-known key; the native program takes another.`);
    }
    return { name, keys };
  });
}

function isBase64(text) {
  return text !== "" && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
}

/** Returns an archive of accounts with their keys. */
function archiveOf(accounts) {
  const lines = accounts.map(({ name, keys: [primaryKey, secondaryKey] }) => ({ "@sandtable": "account", name, access: "open", primaryKey, secondaryKey }));
  const all = [{ "@sandtable": "archive", version: 1 }, ...lines, { "@sandtable": "end", accounts: accounts.length, tables: 0, entities: 0 }];
  return new Blob([all.map((line) => JSON.stringify(line) + "\n").join("")]);
}

/** Fills a store: accounts first, because an archive without keys gives new ones to accounts that it creates. */
async function fill(sandtable, accounts, seed) {
  if (accounts.length > 0) await sandtable.load(archiveOf(accounts));
  if (seed !== undefined && (await sandtable.status()).tables === 0) await sandtable.load(seed);
}

async function serve({ host, port, accounts, data, seed: path, "ready-file": ready }) {
  const { startServed } = await import("./node.js");
  const seed = path === undefined ? undefined : new Blob([await readFile(path).catch((error) => {
    throw new Error("-seed: " + error.message);
  })]);
  const { sandtable, serve } = await startServed({ folder: data ?? "" });
  const server = createServer({ maxHeaderSize: MAX_HEADERS }, (request, response) => {
    answer(serve, request, response).catch((error) => {
      if (!response.destroyed) console.error(error); // otherwise the client is gone
      response.headersSent ? response.destroy() : response.writeHead(500).end();
    });
  });
  const stop = async () => {
    if (ready !== undefined) await rm(ready, { force: true });
    server.close();
    server.closeAllConnections();
    await sandtable.close();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
  try {
    await fill(sandtable, accounts, seed);
    await once(server.listen(port, host), "listening");
    const base = `http://${host}:${server.address().port}`;
    const named = accounts.length > 0 ? accounts : [{ name: ACCOUNT, keys: [KEY] }];
    if (ready !== undefined) await writeReady(ready, [base, ...named.map((account) => connectionTo(account, base))]);
    console.log(`Sandtable answers the Table service REST API on ${base} (${data ? "data in " + data : "data in memory"})`);
    console.log(shown(named, base, ready !== undefined).join("\n"));
  } catch (error) {
    await sandtable.close();
    throw error;
  }
}

function connectionTo({ name, keys }, base) {
  return `DefaultEndpointsProtocol=http;AccountName=${name};AccountKey=${keys[0]};TableEndpoint=${base}/${name};`;
}

/** Returns the lines about accounts. The output may be a log that others read, so a key that is a secret is on a terminal only. */
function shown(accounts, base, written) {
  const secret = (account) => account.keys[0] !== KEY && !process.stdout.isTTY;
  const lines = accounts.map((account) => secret(account) ? `Account ${account.name}: ${base}/${account.name}` : connectionTo(account, base));
  if (accounts.some(secret) && !written) lines.push("Keys are printed on a terminal only; -ready-file FILE writes the connection strings to a file of your own.");
  return lines;
}

/**
 * Creates the file atomically, so that a reader never sees a part of it. Nobody else can
 * have put a link at the temporary name: it is random, and must not exist.
 */
async function writeReady(path, lines) {
  const part = `${path}.part-${randomUUID()}`;
  try {
    await writeFile(part, lines.join("\n") + "\n", { flag: "wx", mode: 0o600 });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw new Error("-ready-file: " + error.message);
  }
}

async function answer(serve, request, response) {
  const { host, path } = targetOf(request);
  const refusal = refused(host, request);
  if (refusal !== "") {
    request.resume();
    response.writeHead(403, { "content-type": "text/plain" }).end(refusal + "\n");
    return;
  }
  // Nothing but tables is served: the engine has nothing at "/".
  const { status, head, body } = await serve(headOf(request, host, OURS.test(path) ? path : "/"), await bodyOf(request));
  if (status === 0) {
    response.destroy(); // a fault cuts the connection
    return;
  }
  for (const line of head.split("\n").filter((line) => line !== "")) {
    const colon = line.indexOf(":");
    response.appendHeader(line.slice(0, colon), line.slice(colon + 1));
  }
  if (!request.complete) response.setHeader("connection", "close");
  response.writeHead(status);
  if (body instanceof ReadableStream) {
    await pipeline(Readable.fromWeb(body), response);
  } else {
    response.end(body ?? undefined);
  }
}

/**
 * Returns a request's body, null for none. The engine refuses one that is too long, and
 * needs only its beginning. The rest is discarded, within limits: otherwise the connection
 * would be reset while the client still sends, and many clients would never see the answer.
 *
 * @returns {Promise<Buffer | null>}
 */
function bodyOf(request) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    let size = 0;
    let timer;
    const end = () => {
      clearTimeout(timer);
      request.pause();
      resolve(size > 0 ? Buffer.concat(chunks) : null);
    };
    request.on("data", (chunk) => {
      if (size <= MAX_BODY) chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_BODY) timer ??= setTimeout(end, DISCARD_TIME);
      if (size > MAX_BODY + MAX_DISCARD) end();
    });
    request.on("end", end).on("error", reject);
  });
}

/** Returns the host and the path of a request. Those of an absolute target take precedence over the Host header. */
function targetOf({ url, headersDistinct: { host = [] } }) {
  const [, named, path] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? ["", host.join(), url];
  return { host: named === "" ? "localhost" : named, path };
}

/** Returns a request's head for the engine. Headers are as they came, because a signature may cover Date; repeated ones are joined. */
function headOf({ method, headersDistinct }, host, path) {
  let head = `${method} http://${host}${path}`;
  for (const [name, values] of Object.entries(headersDistinct)) {
    if (!OF_CONNECTION.test(name)) head += `\n${name}:${values.join(", ")}`;
  }
  return head;
}

/**
 * Returns why a request is refused, "" if it is not. Requests need no signature, so
 * none may come from a web page: neither openly nor with a host name of its own
 * that was made to point here (DNS rebinding).
 */
function refused(host, { headers }) {
  if (!LOCAL.test(host)) return `The host ${JSON.stringify(host)} is not this machine.`;
  if (headers.origin !== undefined || (headers["sec-fetch-site"] ?? "none") !== "none") return "Web pages are not let in: use start() in the page, or the native program with -cors.";
  return "";
}
