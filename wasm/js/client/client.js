// What start returns, wherever the engine runs.

import { loadArchive, openArchive } from "./archive.js";
import { Control } from "./control.js";
import { SandtableError } from "./errors.js";
import { HttpClient } from "./http-client.js";
import { checkAccess, checkedAccount, checkedCount, known, refuseOption } from "./options.js";

/** @import { Access, Account, ArchiveSource, Compacted, Counts, Events, LoadOptions, MaintenanceOptions, RecordedRequest, SasOptions, Stored, Verified, VerifyProgress } from "./sandtable.d.ts" */
/** @import { Send } from "./control.js" */

const WELL_KNOWN = "devstoreaccount1";

const SAS_OPTIONS = [
  "table", "permissions", "expiresOn", "startsOn", "protocol", "ip", "key", "resourceTypes", "policy",
  "startPartitionKey", "startRowKey", "endPartitionKey", "endRowKey",
];

/**
 * Where the engine runs.
 *
 * @typedef {object} Host
 * @property {string} base the URL of the control API, which ends in a slash
 * @property {Send} request
 * @property {(names: (keyof Events)[], notify: (name: keyof Events | "lost", detail?: any) => void) => void} watch
 *   notifies of these events from now on, and of "lost" when it may have missed some
 * @property {(name: keyof Events) => any[]} [current] the events of this name that still hold: a newer
 *   version that waits, problems that last
 * @property {() => object} describe what status adds
 * @property {string} [cutCode] the code of an SDK's error when a connection is cut; that of a page if it is missing
 * @property {(work: (begun: boolean, begin: () => void) => Promise<void>) => Promise<void>} seeding
 *   does the work in one page at a time; begun reports that an earlier attempt did not finish
 * @property {() => void | Promise<void>} close
 */

export class Sandtable {
  #host;
  #control;
  /** @type {Record<keyof Events, Set<(detail: any) => void>>} */
  #listeners = { change: new Set(), request: new Set(), update: new Set(), error: new Set(), recovered: new Set() };
  #httpClient;
  #accounts;
  #closed = false;

  /** @param {Host} host */
  constructor(host) {
    this.#host = host;
    this.#control = new Control(host.base, host.request);
    this.#httpClient = new HttpClient(host.request, host.cutCode ?? "REQUEST_SEND_ERROR");
    this.#accounts = new Accounts(this.#control);
  }

  get httpClient() {
    return this.#httpClient;
  }

  get accounts() {
    return this.#accounts;
  }

  endpoint(account = WELL_KNOWN) {
    return `https://${checkedAccount("endpoint", account)}.table.core.windows.net`;
  }

  /**
   * @param {string} [account]
   * @param {string} [sas]
   */
  async connectionString(account = WELL_KNOWN, sas) {
    const endpoint = this.endpoint(account);
    const given = sas ?? (await this.#control.json("GET", `accounts/${account}/connection`)).sas;
    return `TableEndpoint=${endpoint};SharedAccessSignature=${given.replace(/^\?/, "")}`;
  }

  /**
   * @param {string | undefined} account
   * @param {SasOptions} options
   * @returns {Promise<string>}
   */
  async sasUrl(account = WELL_KNOWN, options) {
    checkedAccount("sasUrl", account);
    /** @type {Record<string, unknown>} */
    const document = { ...known("sasUrl", options, SAS_OPTIONS) };
    for (const name of ["expiresOn", "startsOn"]) {
      if (document[name] !== undefined) {
        document[name] = dateText(name, document[name]);
      }
    }
    return (await this.#control.json("POST", `accounts/${account}/sas`, document)).url;
  }

  /** @param {{account?: string, signal?: AbortSignal}} [options] */
  async dump(options) {
    const { account, signal } = known("dump", options, ["account", "signal"]);
    const query = account === undefined ? "" : "?account=" + checkedAccount("dump", account);
    const answer = await this.#control.request("GET", "dump" + query, undefined, signal);
    try {
      return new Blob([await new Response(answer.body).blob()], { type: "application/jsonl" });
    } catch (reason) {
      signal?.throwIfAborted();
      throw new SandtableError("Archive", `The dump is incomplete. ${reason instanceof Error ? reason.message : reason}`, { cause: reason });
    }
  }

  /**
   * @param {ArchiveSource} source
   * @param {LoadOptions} [options]
   */
  async load(source, options) {
    const { account, onProgress, signal } = known("load", options, ["account", "onProgress", "signal"]);
    const target = account === undefined ? "" : `account=${checkedAccount("load", account)}&`;
    const { stream, total } = await openArchive(source, signal);
    return loadArchive(
      stream,
      (query, chunk) => this.#control.json("POST", `load?${target}${query}`, chunk, signal),
      (progress) => onProgress?.({ ...progress, totalBytes: total }),
    );
  }

  /** @param {"all" | {account: string}} [what] */
  async reset(what = "all") {
    if (what === "all") {
      await this.#control.json("POST", "reset", { what });
    } else {
      const { account } = known("reset", what, ["account"]);
      await this.#control.json("POST", "reset", { what: "account", account: checkedAccount("reset", account) });
    }
  }

  /**
   * @param {MaintenanceOptions<VerifyProgress>} [options]
   * @returns {Promise<Verified>}
   */
  async verify(options) {
    return this.#run("verify", options);
  }

  /**
   * @param {MaintenanceOptions<Stored>} [options]
   * @returns {Promise<Compacted>}
   */
  async compact(options) {
    return this.#run("compact", options);
  }

  /**
   * @template Result, Progress
   * @param {string} action
   * @param {MaintenanceOptions<Progress>} [options]
   * @returns {Promise<Result>}
   */
  #run(action, options) {
    const { onProgress, signal } = known(action, options, ["onProgress", "signal"]);
    return this.#control.run(action, (/** @type {Progress} */ progress) => onProgress?.(progress), signal);
  }

  /** @returns {Promise<any>} */
  async status() {
    return { ...(await this.#control.json("GET", "status")), ...this.#host.describe() };
  }

  /**
   * @param {{after?: number, limit?: number}} [options]
   * @returns {Promise<RecordedRequest[]>}
   */
  async requests(options) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(known("requests", options, ["after", "limit"]))) {
      if (value !== undefined) {
        query.set(name, String(checkedCount("requests", name, value)));
      }
    }
    return (await this.#control.json("GET", `requests?${query}`.replace(/\?$/, ""))).requests;
  }

  /**
   * @param {number} id
   * @returns {Promise<RecordedRequest | null>}
   */
  async request(id) {
    return this.#control.json("GET", "requests/" + checkedCount("request", "id", id)).catch(absent);
  }

  /**
   * @template {keyof Events} Name
   * @param {Name} name
   * @param {(detail: Events[Name]) => void} listener
   * @returns {() => void}
   */
  on(name, listener) {
    const listeners = this.#listeners[name];
    if (listeners === undefined || typeof listener !== "function") {
      refuseOption("on", `it takes one of ${Object.keys(this.#listeners).join(", ")}, and a function.`);
    }
    if (this.#closed) {
      return () => {}; // no events any more
    }
    const own = (/** @type {Events[Name]} */ detail) => listener(detail); // the same function may be added twice
    const current = this.#host.current?.(name) ?? []; // before anything new is notified
    listeners.add(own);
    this.#watch();
    for (const detail of current) {
      queueMicrotask(() => own(this.#withReset(detail)));
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

  /** Makes the host report the events that have listeners. */
  #watch() {
    const all = /** @type {(keyof Events)[]} */ (Object.keys(this.#listeners));
    const names = all.filter((name) => this.#listeners[name].size > 0);
    this.#host.watch(names, (name, detail) => (name === "lost" ? this.#notify("change", { kind: "lost" }) : this.#notify(name, detail)));
  }

  /**
   * @template {keyof Events} Name
   * @param {Name} name
   * @param {Events[Name]} detail
   */
  #notify(name, detail) {
    for (const listener of this.#listeners[name]) {
      queueMicrotask(() => listener(this.#withReset(detail))); // if it throws, the others are still called
    }
  }

  /**
   * Adds reset() to the error of a store that does not open.
   *
   * @template T
   * @param {T} detail
   */
  #withReset(detail) {
    if (detail instanceof SandtableError && (detail.code === "StoreFormat" || detail.code === "StoreClosed")) {
      detail.reset ??= () => this.reset();
    }
    return detail;
  }

  /**
   * Applies the options of start: settings, accounts, and the first content of the store.
   *
   * @param {object} options
   * @param {string} [options.durability]
   * @param {{name: string, access?: Access}[]} options.accounts
   * @param {ArchiveSource | ((sandtable: any) => void | Promise<void>)} [options.seed]
   */
  async prepare({ durability, accounts, seed }) {
    if (durability !== undefined) {
      await this.#control.json("PATCH", "settings", { durability }).catch((reason) => {
        if (reason.status !== 409) throw reason; // a store in memory has no choice: status says so
      });
    }
    const existing = new Set((await this.accounts.list()).map(({ name }) => name));
    for (const { name, access } of accounts) {
      if (!existing.has(name)) {
        await this.accounts.create(name, { access }).catch((reason) => {
          if (reason.status !== 409) throw reason; // another tab was faster
        });
      }
    }
    if (seed !== undefined) {
      await this.#host.seeding(async (begun, begin) => {
        if (begun || (await this.#control.json("GET", "status")).tables === 0) {
          begin();
          await (typeof seed === "function" ? seed(this) : this.load(seed));
        }
      });
    }
  }
}

class Accounts {
  #control;

  /** @param {Control} control */
  constructor(control) {
    this.#control = control;
  }

  /** @returns {Promise<Account[]>} */
  async list() {
    return (await this.#control.json("GET", "accounts")).accounts;
  }

  /**
   * If the response to an attempt was lost, the next attempt may find the account
   * that the first one created, which is not a conflict.
   *
   * @param {string} name
   * @param {{access?: Access}} [options]
   * @returns {Promise<Account>}
   */
  async create(name, options) {
    const { access } = known("accounts.create", options, ["access"]);
    checkAccess("accounts.create", access);
    const path = "accounts/" + checkedAccount("accounts.create", name);
    const before = await this.#control.json("GET", path).catch(absent);
    try {
      return await this.#control.json("POST", "accounts", access === undefined ? { name } : { name, access });
    } catch (reason) {
      const created = isUnsure(reason, 409) && before === null ? await this.#control.json("GET", path).catch(absent) : null;
      if (created === null || created.access !== (access ?? created.access)) {
        throw reason;
      }
      return created;
    }
  }

  /** @param {string} name */
  async delete(name) {
    try {
      await this.#control.json("DELETE", "accounts/" + checkedAccount("accounts.delete", name));
    } catch (reason) {
      if (!isUnsure(reason, 404)) throw reason; // otherwise an earlier attempt without a response has deleted it
    }
  }

  /**
   * @param {string} name
   * @param {Access} access
   * @returns {Promise<Account>}
   */
  async setAccess(name, access) {
    checkAccess("accounts.setAccess", access);
    return this.#control.json("PATCH", "accounts/" + checkedAccount("accounts.setAccess", name), { access });
  }
}

/**
 * Whether an error has a status, and an earlier attempt of its request may have succeeded.
 *
 * @param {unknown} reason
 * @param {number} status
 */
function isUnsure(reason, status) {
  return reason instanceof SandtableError && reason.status === status && reason.unsure === true;
}

/**
 * @param {SandtableError} reason
 * @returns {null} if the control API found nothing
 */
function absent(reason) {
  if (reason.status !== 404) throw reason;
  return null;
}

/**
 * Returns a date as the control API reads it.
 *
 * @param {string} name
 * @param {unknown} value
 */
function dateText(name, value) {
  const date = new Date(/** @type {any} */ (value));
  if (Number.isNaN(date.getTime())) {
    throw new SandtableError("InvalidOption", `sasUrl(): ${name} is not a date: ${String(value)}`);
  }
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}
