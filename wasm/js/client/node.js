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
  let owner = ""; // the file that says who has the folder
  const release = () => (owner === "" ? undefined : fs.promises.rm(owner, { force: true }));
  try {
    compiled ??= WebAssembly.compile(await fs.promises.readFile(PROGRAM));
    const { Go, Program } = isolated();
    const go = new Go();
    go.exit = () => {}; // it would print its status, of which the error says more
    const instance = await WebAssembly.instantiate(await compiled, go.importObject);
    const told = { tell: () => {}, troubles: [] };
    const event = (kind, detail) => told.tell(kind, JSON.parse(detail));
    const program = await Program.start(go, instance, {
      build: version,
      store: "",
      folder,
      durability,
      event,
      owns: (path) => (owner = path),
    });
    program.ended.then(() => program.closing || tellCrash(told));
    return hostOfProgram(program, program.ended.then(release), told);
  } catch (reason) {
    await release();
    const code = reason.reason === "inUse" ? "InUse" : "NotConnected";
    throw new SandtableError(code, `The engine cannot be started. ${reason.message}`, { cause: reason });
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

export { start, SandtableError, version };
