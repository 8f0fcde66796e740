// The worker of other people's sites: as their service worker, imported by it,
// or as a plain worker where there is no such thing. It answers what is ours
// and nothing else, and decides nothing that is a site's to decide: it does not
// skip waiting nor claim pages unless a page asks for it.

const VERSION = "{{.Version}}";
const PROGRAM = "{{.Program}}"; // named by its content

// The program is beside this script, which may have been imported by another
// one. Only a stack trace knows from where.
const HERE = /[a-z-]+:\/\/[^\s)]+?\.[cm]?js(?=[?:#])/.exec(new Error().stack)?.[0] ?? self.location.href;

/** The build's program, kept for when there is no network. */
class ProgramFile {
  #prefix;
  #name;

  /** @param {string} scope whose file it is; another scope may be of another build */
  constructor(scope) {
    this.#prefix = "sandtable-embed " + scope + " ";
    this.#name = this.#prefix + VERSION;
  }

  /** The file as it is kept, or from the network, and then it is kept. */
  async get() {
    const url = new URL(PROGRAM, HERE).href;
    const cache = await caches.open(this.#name).catch(() => null); // some private windows have none
    const kept = await cache?.match(url);
    if (kept) {
      return kept;
    }
    const response = await fetch(url);
    if (!response.ok) {
      throw new Error(`${url}: status ${response.status}`);
    }
    await cache?.put(url, response.clone()).catch(() => {}); // no room, perhaps: the network has it
    return response;
  }

  /** Drops other builds of this scope, and nothing else of this origin. */
  async clean() {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith(this.#prefix) && name !== this.#name);
    await Promise.all(old.map((name) => caches.delete(name)));
  }
}

/** What a service worker does, beside whatever else its site does there. */
function serve(scope) {
  const file = new ProgramFile(scope);
  const service = new Service({ scope, build: VERSION, file: () => file.get() });
  service.listen();
  new Messages(service, VERSION).listen();
  self.addEventListener("install", (event) => event.waitUntil(file.get()));
  self.addEventListener("activate", (event) => event.waitUntil(file.clean()));
  if (self.serviceWorker?.state === "activated") {
    service.wake();
  }
}

/** What a plain worker does for the pages of a scope. */
function relay(scope) {
  const nowhere = { match: async () => undefined, put: async () => {} };
  const list = { open: () => caches.open("sandtable-accounts " + scope).catch(() => nowhere) };
  const file = new ProgramFile(scope);
  const service = new Service({ scope, build: VERSION, file: () => file.get(), list });
  file.clean().catch(() => {});
  return new Relay(scope, service, new Messages(service, VERSION));
}

if ("registration" in self) {
  serve(self.registration.scope);
} else {
  let relayed = null;
  self.addEventListener("message", ({ data, ports }) => {
    if (typeof data?.sandtable === "number" && data.type === "connect") {
      relayed ??= relay(data.scope);
      relayed.connect(ports[0], data.waits === true);
    }
  });
}
