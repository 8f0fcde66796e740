// Starting in Node.js: the engine runs in this process, and requests reach it
// by a function call. There is no port.

/** The version of the build that this file is of. */
const version = "{{.Version}}";

const PROGRAM = new URL("{{.Program}}", import.meta.url); // named by its content

async function start(options = {}) {
  const { folder, accounts, durability, seed } = checkedForNode(options);
  const host = await programHost(folder, durability);
  const sandtable = new Sandtable(host);
  try {
    await sandtable.prepare({ accounts, seed });
  } catch (reason) {
    await sandtable.close();
    throw reason;
  }
  return sandtable;
}

/** The options of start, as they are meant. */
function checkedForNode({ folder = "", accounts, durability, seed, ...unknown }) {
  refuseUnknown(unknown);
  if (typeof folder !== "string" && !(folder instanceof URL)) {
    refuseOption("folder is the path of a folder; without it everything is in memory.");
  }
  return { folder: folder instanceof URL ? fileURLToPath(folder) : folder, seed, ...checkedStore({ accounts, durability }) };
}

// What has been compiled is kept: tests start a service each.
let compiled = null;

async function programHost(folder, durability) {
  const release = folder === "" ? () => {} : await lockFolder(folder);
  try {
    compiled ??= WebAssembly.compile(await fs.promises.readFile(PROGRAM));
    const { Go, Program } = isolated();
    const go = new Go();
    go.exit = () => {}; // it would print its status, of which the error says more
    const instance = await WebAssembly.instantiate(await compiled, go.importObject);
    const told = { tell: () => {}, troubles: [] };
    const event = (kind, detail) => told.tell(kind, JSON.parse(detail));
    const program = await Program.start(go, instance, { build: version, store: "", folder, durability, event });
    program.ended.then(() => program.closing || tellCrash(told));
    return hostOfProgram(program, program.ended.then(release), told);
  } catch (reason) {
    await release();
    throw reason instanceof SandtableError ? reason : new SandtableError("NotConnected", `The engine cannot be started. ${reason.message}`, { cause: reason });
  }
}

/** Tells that the engine is no more, also those who listen later. */
function tellCrash(told) {
  const error = new SandtableError("EngineCrashed", "The engine crashed: close this service and start another. What was acknowledged in a folder is kept.");
  told.troubles.push(error);
  told.tell("error", error);
}

/**
 * @param {Program} program
 * @param {Promise<void>} released fulfilled when it has ended and its folder is free
 * @param {{tell: (name: string, detail: object) => void, troubles: SandtableError[]}} told gets what to call
 *   with what the program tells, and has what is wrong with it
 */
function hostOfProgram(program, released, told) {
  let closed = false;
  return {
    base: "http://localhost/_sandtable/",
    async request(head, body, signal) {
      if (closed) {
        throw new SandtableError("Closed", "This service was closed: start another one.");
      }
      return abortableAnswer(async () => (ours(head) ? program.serve(head, body) : null), signal);
    },
    watch(names, tell) {
      told.tell = tell;
      program.watch(names.includes("change") || names.includes("request"));
    },
    standing: (name) => (name === "error" ? told.troubles : []),
    describe: () => ({ mode: "node", client: version, worker: version, lost: [] }),
    seeding: (work) => work(false, () => {}), // nobody else has this store
    close: async () => {
      closed = true;
      await program.close();
      await released;
    },
  };
}

/** Whether a request is for Sandtable: all that the SDK is given here is. */
function ours(head) {
  return addressed(head.slice(head.indexOf(" ") + 1).split("\n", 1)[0], "http://localhost/") !== null;
}

/**
 * Go's loader and what runs a program, with a global object of their own: Go
 * finds its files there, and nothing of this process is changed.
 */
function isolated() {
  const own = { fs };
  const globals = new Proxy(globalThis, {
    get: (all, name) => (name in own ? own[name] : all[name]),
    set: (_, name, value) => {
      own[name] = value;
      return true;
    },
    deleteProperty: (_, name) => delete own[name],
  });
  return programIn(globals, globals);
}

/**
 * Makes a folder this process's own, as long as it lives or until it gives it
 * up. Fulfilled with the function that does that.
 */
async function lockFolder(folder) {
  await fs.promises.mkdir(folder, { recursive: true });
  const path = join(await fs.promises.realpath(folder), "sandtable.lock");
  const mine = `${path}.${randomUUID()}`;
  await fs.promises.writeFile(mine, `${process.pid} ${processStart()}`);
  try {
    // A link is made by one process alone.
    while (!(await linked(mine, path))) {
      await dropDeadLock(path, folder);
    }
  } finally {
    await fs.promises.rm(mine, { force: true });
  }
  return () => fs.promises.rm(path, { force: true });
}

async function linked(from, to) {
  try {
    await fs.promises.link(from, to);
    return true;
  } catch (reason) {
    if (reason.code === "EEXIST") {
      return false;
    }
    throw reason;
  }
}

/** Removes the lock of a process that has ended; throws if it has not. */
async function dropDeadLock(path, folder) {
  if (await heldAlive(path)) {
    throw new SandtableError("InUse", `${folder} is in use by process ${await ownerOf(path)}. If that is no program of yours, delete ${path}.`);
  }
  const dead = `${path}.${randomUUID()}`;
  await fs.promises.rename(path, dead).catch(() => {});
  if (await heldAlive(dead)) {
    await linked(dead, path); // another process was quicker, and has made its own
  }
  await fs.promises.rm(dead, { force: true });
}

async function heldAlive(lock) {
  const [owner, started] = (await fs.promises.readFile(lock, "utf8").catch(() => "0 0")).split(" ").map(Number);
  return alive(owner, started);
}

async function ownerOf(lock) {
  return (await fs.promises.readFile(lock, "utf8").catch(() => "?")).split(" ")[0];
}

/**
 * Whether a process lives that began at some time. One with this number may be
 * a later one: in a container all have the same.
 */
function alive(owner, started) {
  if (owner === process.pid) {
    return Math.abs(started - processStart()) <= 1;
  }
  try {
    return owner > 0 && process.kill(owner, 0);
  } catch (reason) {
    return reason.code === "EPERM"; // somebody else's
  }
}

/** When this process began, in seconds of a clock that nobody sets; the same in all of its threads. */
function processStart() {
  return Math.round(Number(process.hrtime.bigint()) / 1e9 - process.uptime());
}

export { start, SandtableError, version };
