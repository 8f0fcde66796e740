// What a page, or a program, has of Sandtable once it has started.

const WELL_KNOWN = "devstoreaccount1";

class Sandtable {
  #host;
  #accounts;
  #listeners = { change: new Set(), request: new Set(), update: new Set(), error: new Set(), recovered: new Set() };
  #httpClient;
  #closed = false;

  /**
   * @param {object} host where the engine runs
   * @param {string} host.base the URL of the control API, which ends in a slash
   * @param {(head: string, body: Uint8Array | null, signal?: AbortSignal) => Promise<object | null>} host.request see Connection
   * @param {(names: string[], tell: (name: string, detail: object) => void) => void} host.watch
   *   tells of what happens from now on, and of "lost" when it may have missed something
   * @param {(name: string) => object[]} [host.standing] what has been so for a while that a name is about: a
   *   newer version that waits, and what does not work
   * @param {() => object} host.describe what status adds
   * @param {(work: (begun: boolean, begin: () => void) => Promise<void>) => Promise<void>} host.seeding
   *   does the work in one page at a time, and knows whether it was begun once and not finished
   * @param {() => void | Promise<void>} host.close
   */
  constructor(host) {
    this.#host = host;
    this.#httpClient = new HttpClient(host.request);
    this.#accounts = Object.freeze({
      list: async () => (await this.#control("GET", "accounts")).accounts,
      create: (name, { access } = {}) => this.#createAccount(name, access),
      delete: (name) => this.#deleteAccount(name),
      setAccess: (name, access) => this.#control("PATCH", "accounts/" + encodeURIComponent(name), { access }),
    });
  }

  get httpClient() {
    return this.#httpClient;
  }

  get accounts() {
    return this.#accounts;
  }

  endpoint(account = WELL_KNOWN) {
    if (!/^[a-z0-9]{3,24}$/.test(account)) {
      throw new SandtableError("InvalidOption", `${JSON.stringify(account)} is not an account's name: 3 to 24 lower-case letters and digits.`);
    }
    return `https://${account}.table.core.windows.net`;
  }

  async connectionString(account = WELL_KNOWN, sas = undefined) {
    const endpoint = this.endpoint(account);
    const given = sas ?? (await this.#control("GET", `accounts/${account}/connection`)).sas;
    return `TableEndpoint=${endpoint};SharedAccessSignature=${given.replace(/^\?/, "")}`;
  }

  async sasUrl(account = WELL_KNOWN, options = {}) {
    this.endpoint(account);
    const dates = {};
    for (const name of ["expiresOn", "startsOn"]) {
      if (options[name] !== undefined) {
        dates[name] = dateText(name, options[name]);
      }
    }
    return (await this.#control("POST", `accounts/${account}/sas`, { ...options, ...dates })).url;
  }

  async dump({ account, signal } = {}) {
    const query = account === undefined ? "" : "?account=" + encodeURIComponent(account);
    const answer = await this.#send("GET", "dump" + query, undefined, signal);
    try {
      return new Blob([await new Response(answer.body).blob()], { type: "application/jsonl" });
    } catch (reason) {
      signal?.throwIfAborted();
      throw new SandtableError("Archive", "The store could not be written whole. " + reason.message, { cause: reason });
    }
  }

  async load(source, { onProgress, signal } = {}) {
    const { stream, total } = await opened(source, signal);
    const post = (path, piece) => this.#control("POST", path, piece, signal);
    return loadArchive(stream, post, (progress) => onProgress?.({ ...progress, totalBytes: total }));
  }

  async reset(what = "all") {
    if (what !== "all" && typeof what?.account !== "string") {
      throw new SandtableError("InvalidOption", 'reset() takes "all" or { account }.');
    }
    await this.#control("POST", "reset", what === "all" ? { what } : { what: "account", account: what.account });
  }

  async verify(options) {
    return this.#upkeep("verify", options);
  }

  async compact(options) {
    return this.#upkeep("compact", options);
  }

  async status() {
    return { ...(await this.#control("GET", "status")), ...this.#host.describe() };
  }

  on(name, listener) {
    const listeners = this.#listeners[name];
    if (listeners === undefined || typeof listener !== "function") {
      throw new SandtableError("InvalidOption", `on() takes one of ${Object.keys(this.#listeners).join(", ")}, and a function.`);
    }
    if (this.#closed) {
      return () => {}; // nothing happens here any more
    }
    const own = (detail) => listener(detail); // the same function may be there twice
    const standing = this.#host.standing?.(name) ?? []; // before it is told of anything new
    listeners.add(own);
    this.#watch();
    for (const detail of standing) {
      queueMicrotask(() => own(this.#mendable(detail)));
    }
    return () => {
      if (listeners.delete(own) && !this.#closed) {
        this.#watch();
      }
    };
  }

  async close() {
    this.#closed = true;
    Object.values(this.#listeners).forEach((listeners) => listeners.clear());
    await this.#host.close();
  }

  /** Has the host tell of what is listened for. */
  #watch() {
    const names = Object.keys(this.#listeners).filter((name) => this.#listeners[name].size > 0);
    this.#host.watch(names, (name, detail) => (name === "lost" ? this.#tell("change", { kind: "lost" }) : this.#tell(name, detail)));
  }

  #tell(name, detail) {
    for (const listener of this.#listeners[name]) {
      queueMicrotask(() => listener(this.#mendable(detail))); // one that throws is nobody else's trouble
    }
  }

  /** Gives the error of a store that does not open its way out. */
  #mendable(detail) {
    if (detail instanceof SandtableError && (detail.code === "StoreFormat" || detail.code === "StoreClosed")) {
      detail.reset ??= () => this.reset();
    }
    return detail;
  }

  /**
   * Makes an account. One that was made by a try whose answer was lost is not
   * refused to the next try for being there; one that was there before is.
   */
  async #createAccount(name, access) {
    const path = "accounts/" + encodeURIComponent(name);
    const before = await this.#control("GET", path).catch(absent);
    try {
      return await this.#control("POST", "accounts", access === undefined ? { name } : { name, access });
    } catch (reason) {
      const made = reason.status === 409 && reason[UNSURE] && before === null ? await this.#control("GET", path).catch(absent) : null;
      if (made === null || made.access !== (access ?? made.access)) {
        throw reason;
      }
      return made;
    }
  }

  /** Deletes an account, which a try whose answer was lost may have done. */
  async #deleteAccount(name) {
    try {
      await this.#control("DELETE", "accounts/" + encodeURIComponent(name));
    } catch (reason) {
      if (reason.status !== 404 || !reason[UNSURE]) throw reason;
    }
  }

  /** Makes what start was asked for: settings, accounts, and what the store begins with. */
  async prepare({ durability, accounts, seed }) {
    if (durability !== undefined) {
      await this.#control("PATCH", "settings", { durability }).catch((reason) => {
        if (reason.status !== 409) throw reason; // nothing is stored here, so there is nothing to choose: status says so
      });
    }
    const known = new Set((await this.accounts.list()).map(({ name }) => name));
    for (const { name, access } of accounts) {
      if (!known.has(name)) {
        await this.accounts.create(name, { access }).catch((reason) => {
          if (reason.status !== 409) throw reason; // another tab was quicker
        });
      }
    }
    if (seed !== undefined) {
      await this.#host.seeding(async (begun, begin) => {
        if (begun || (await this.#control("GET", "status")).tables === 0) {
          begin();
          await (typeof seed === "function" ? seed(this) : this.load(seed));
        }
      });
    }
  }

  /** Has something done that may take long. The last line of the answer is the result, those before say how far it is. */
  async #upkeep(action, { onProgress, signal } = {}) {
    const { body } = await this.#send("POST", action, undefined, signal);
    const broken = (reason = new Error("There is no more of the answer.")) => {
      signal?.throwIfAborted();
      throw new SandtableError("NotConnected", `${action} did not come to its end: ${reason.message} Ask again.`, { cause: reason });
    };
    let result;
    for await (const line of linesOf(body, broken)) {
      const said = JSON.parse(line);
      if (said.progress === undefined) {
        result = said;
      } else {
        onProgress?.(said.progress);
      }
    }
    if (result === undefined) {
      broken();
    }
    if (result.error !== undefined) {
      throw new SandtableError("Refused", `POST ${action}: ${result.error.code}. ${result.error.message}`);
    }
    return result;
  }

  /** Asks the control API; fulfilled with what it answers, if that is JSON. */
  async #control(method, path, body, signal) {
    const { status, body: answered } = await this.#send(method, path, body, signal);
    return status === 204 ? undefined : new Response(answered).json();
  }

  async #send(method, path, body, signal) {
    const content = body === undefined ? null : body instanceof Uint8Array ? body : new TextEncoder().encode(JSON.stringify(body));
    // A form cannot send this type: what changes something is refused without it.
    const type = method === "GET" ? "" : "\ncontent-type:" + (body instanceof Uint8Array ? "application/x-ndjson" : "application/json");
    const head = `${method} ${this.#host.base}${path}\naccept:application/json${type}`;
    const { answer, unsure } = await this.#again(() => this.#host.request(head, content, signal));
    if (answer === null || answer.status >= 400) {
      const error = await refusedBy(answer, method, path);
      throw unsure ? Object.assign(error, { [UNSURE]: true }) : error;
    }
    return answer;
  }

  /**
   * Sends again what was answered with "busy", as SDKs do. Fulfilled with the
   * last answer, and whether that of another try was lost.
   */
  async #again(send) {
    for (let attempt = 1, unsure = false; ; attempt++) {
      const answer = await send();
      if (answer?.status !== 503 || attempt === 10 || troubleOf(answer) !== undefined) {
        return { answer, unsure };
      }
      unsure ||= answer.lost === true;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

/** The lines of a body, as they come; broken throws what a body that breaks is. */
async function* linesOf(body, broken) {
  const reader = new Response(body).body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let done = false; !done; ) {
      const part = await reader.read().catch(broken);
      done = part.done;
      text += decoder.decode(part.value, { stream: !done });
      const lines = text.split("\n");
      text = done ? "" : lines.pop();
      yield* lines.filter((line) => line !== "");
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Marks errors of a request of which an earlier try may have done what was asked for. */
const UNSURE = Symbol("unsure");

/** What there is where the control API has nothing. */
function absent(reason) {
  if (reason.status !== 404) throw reason;
  return null;
}

/** What is in the way, where asking again is not likely to help. */
function troubleOf({ status, head }) {
  return status === 503 ? troubles[/^x-sandtable-reason:(.*)$/im.exec(head)?.[1].trim()] : undefined;
}

/** The error that a refusal of the control API is. */
async function refusedBy(answer, method, path) {
  if (answer === null) {
    return new SandtableError("Refused", `${method} ${path}: the worker does not know this address.`);
  }
  const said = await new Response(answer.body).json().catch(() => ({}));
  const { code = "", message = "" } = said.error ?? { code: said["odata.error"]?.code, message: said["odata.error"]?.message?.value };
  const [trouble, advice] = troubleOf(answer) ?? ["Refused"];
  const refused = `${method} ${path}: ${answer.status} ${code}. ${message}`;
  return new SandtableError(trouble, advice === undefined ? refused : `${advice} ${refused}`, { status: answer.status });
}

/** A date as the control API reads it. */
function dateText(name, value) {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) {
    throw new SandtableError("InvalidOption", `${name} is not a date: ${String(value)}`);
  }
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}

/** The bytes of what is to be loaded, and how many they are if that is known. */
async function opened(source, signal) {
  if (typeof source === "string" && source.trimStart().startsWith("{")) {
    return opened(new Blob([source]));
  }
  if (source instanceof Blob) {
    return { stream: source.stream(), total: source.size };
  }
  if (source instanceof ReadableStream) {
    return { stream: source, total: undefined };
  }
  if (typeof source !== "string" && !(source instanceof URL)) {
    throw new SandtableError("InvalidOption", "load() takes a Blob, a URL, a stream or an archive's text.");
  }
  let response;
  try {
    response = await fetch(source, { signal });
  } catch (reason) {
    throw new SandtableError("Archive", `${source} cannot be fetched.`, { cause: reason });
  }
  if (!response.ok) {
    throw new SandtableError("Archive", `${source} cannot be fetched: status ${response.status}.`, { status: response.status });
  }
  const packed = response.headers.has("content-encoding");
  return { stream: response.body, total: packed ? undefined : Number(response.headers.get("content-length")) || undefined };
}
