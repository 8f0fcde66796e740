// What start returns, wherever the engine runs.

import { Accounts } from "./accounts.js";
import { dumpArchive, loadArchive, openArchive } from "./archive.js";
import { Control } from "./control.js";
import { SandtableError } from "./errors.js";
import { Expectation } from "./expectation.js";
import { explorerUrl, openExplorer } from "./explorer-url.js";
import { Faults } from "./faults.js";
import { HttpClient } from "./http-client.js";
import { checkedAccount, checkedCount, checkedLabel, dateText, known, refuseOption, SAS_OPTIONS, WELL_KNOWN } from "./options.js";
import { answerPort } from "./port-server.js";
import { createSandbox } from "./sandboxes.js";
import { Snapshots } from "./snapshots.js";

/** @import { Access, ArchiveSource, Clock, Compacted, Counts, Events, ExplorerOptions, LoadOptions, MaintenanceOptions, Partitions, PartitionsOptions, RecordedRequest, SasOptions, Stored, Verified, VerifyProgress } from "./sandtable.d.ts" */
/** @import { ConnectOptions, SandboxOptions } from "./sandbox.d.ts" */
/** @import { Send } from "./control.js" */

/**
 * Where the engine runs.
 *
 * @typedef {object} Host
 * @property {string} base the URL of the control API, which ends in a slash
 * @property {string} [explorer] the URL of the explorer's page
 * @property {Send} request
 * @property {(names: (keyof Events | "values")[], notify: (name: keyof Events | "lost", detail?: any) => void) => void} watch
 *   notifies of these events from now on, and of "lost" when it may have missed some; with
 *   "values", changes have the entity before and after
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
  #values = new Set(); // of the listeners for changes, those that want the entities
  #httpClient;
  #accounts;
  #faults;
  #snapshots;
  #closing = new AbortController();

  /** @param {Host} host */
  constructor(host) {
    this.#host = host;
    this.#control = new Control(host.base, host.request);
    this.#httpClient = this.#newHttpClient();
    this.#accounts = new Accounts(this.#control);
    this.#snapshots = new Snapshots(this.#control);
    this.#faults = new Faults(this.#control);
  }

  get httpClient() {
    return this.#httpClient;
  }

  /** @param {string} label */
  labelled(label) {
    return this.#newHttpClient(checkedLabel("labelled", label));
  }

  /** @param {string} [label] */
  #newHttpClient(label) {
    return new HttpClient(this.#host.request, this.#host.cutCode ?? "REQUEST_SEND_ERROR", label);
  }

  /**
   * @param {MessagePort} port
   * @param {ConnectOptions} [options]
   */
  connect(port, options) {
    return answerPort(port, options, this.#host.request, this.#closing.signal);
  }

  /** @param {SandboxOptions} [options] */
  createSandbox(options) {
    return createSandbox(this.#host, options, this.#closing.signal);
  }

  get accounts() {
    return this.#accounts;
  }

  get faults() {
    return this.#faults;
  }

  get snapshots() {
    return this.#snapshots;
  }

  /**
   * @param {string} account
   * @param {{name?: string}} [options]
   */
  snapshot(account, options) {
    return this.#snapshots.take(account, options);
  }

  /**
   * @param {string} account
   * @param {string | {id: string}} snapshot
   * @param {{keep?: boolean}} [options]
   */
  restore(account, snapshot, options) {
    return this.#snapshots.restore(account, snapshot, options);
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
        document[name] = dateText("sasUrl", name, document[name]);
      }
    }
    return (await this.#control.json("POST", `accounts/${account}/sas`, document)).url;
  }

  /** @param {{account?: string, snapshot?: string | {id: string}, signal?: AbortSignal}} [options] */
  async dump(options) {
    return dumpArchive(this.#control, options);
  }

  /**
   * @param {ArchiveSource} source
   * @param {LoadOptions} [options]
   */
  async load(source, options) {
    const { account, onProgress, signal } = known("load", options, ["account", "onProgress", "signal"]);
    const target = account === undefined ? "" : `account=${checkedAccount("load", account)}&`;
    return loadArchive(this.#control, target, await openArchive(source, signal), { onProgress, signal });
  }

  /** @param {"all" | {account: string}} [what] */
  async reset(what = "all") {
    const account = what === "all" ? undefined : checkedAccount("reset", known("reset", what, ["account"]).account);
    await this.#control.json("POST", "reset", account === undefined ? { what } : { what: "account", account });
  }

  /** Deletes the store if it does not open. */
  async resetUnopened() {
    await this.#control.json("POST", "reset", { what: "unopened" });
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

  /** @param {{account?: string}} [options] */
  async expectRequests(options) {
    const { account } = known("expectRequests", options, ["account"]);
    if (account !== undefined && (await this.#control.find("accounts/" + checkedAccount("expectRequests", account))) === null) {
      refuseOption("expectRequests", `there is no account ${JSON.stringify(account)}.`);
    }
    const before = await this.#control.json("GET", "requests?limit=1");
    const after = before.requests.at(-1)?.id ?? 0;
    const read = async () => {
      const { instance, requests } = await this.#control.json("GET", "requests?after=" + after);
      return { requests, complete: instance === before.instance && (requests.length === 0 || requests[0].id === after + 1) };
    };
    return new Expectation(read, account);
  }

  /**
   * @param {number} id
   * @returns {Promise<RecordedRequest | null>}
   */
  async request(id) {
    return this.#control.find("requests/" + checkedCount("request", "id", id));
  }

  /**
   * @param {string} account
   * @param {string} table
   * @param {PartitionsOptions} [options]
   * @returns {Promise<Partitions>}
   */
  async partitions(account, table, options) {
    const { from, limit } = known("partitions", options, ["from", "limit"]);
    const query = new URLSearchParams({ table });
    if (from !== undefined) {
      query.set("from", from);
    }
    if (limit !== undefined) {
      query.set("limit", String(checkedCount("partitions", "limit", limit)));
    }
    return this.#control.json("GET", `accounts/${checkedAccount("partitions", account)}/partitions?${query}`);
  }

  /**
   * @param {Date | string | null} [now]
   * @returns {Promise<Clock>}
   */
  async setClock(now = null) {
    return this.#control.json("POST", "clock", now === null ? {} : { now: dateText("setClock", "now", now) });
  }

  /**
   * @template {keyof Events} Name
   * @param {Name} name
   * @param {(detail: Events[Name]) => void} listener
   * @param {{values?: boolean, account?: string}} [options]
   * @returns {() => void}
   */
  on(name, listener, options) {
    const { values, account } = known("on", options, ["values", "account"]);
    if (account !== undefined) {
      checkedAccount("on", account);
    }
    const listeners = this.#listeners[name];
    if (!Object.hasOwn(this.#listeners, name) || typeof listener !== "function") {
      refuseOption("on", `it takes one of ${Object.keys(this.#listeners).join(", ")}, and a function.`);
    }
    if (this.#closing.signal.aborted) {
      return () => {}; // no events any more
    }
    // A function of its own, because the same listener may be added twice.
    const own = (/** @type {Events[Name]} */ detail) => {
      const of = /** @type {any} */ (detail).account; // changes that were lost, and problems, are of all accounts
      if (account === undefined || of === undefined || of === account) listener(detail);
    };
    const current = this.#host.current?.(name) ?? []; // before anything new is notified
    listeners.add(own);
    if (values) {
      this.#values.add(own);
    }
    this.#watch();
    for (const detail of current) {
      queueMicrotask(() => listeners.has(own) && own(this.#withReset(detail)));
    }
    return () => {
      this.#values.delete(own);
      if (listeners.delete(own) && !this.#closing.signal.aborted) {
        this.#watch();
      }
    };
  }

  /** @param {ExplorerOptions} [options] */
  explorerUrl(options) {
    return explorerUrl(this.#host, options);
  }

  /** @param {ExplorerOptions} [options] */
  openExplorer(options) {
    return openExplorer(this.#host, options);
  }

  async close() {
    this.#closing.abort();
    Object.values(this.#listeners).forEach((listeners) => listeners.clear());
    await this.#host.close();
  }

  /** Makes the host report the events that have listeners. */
  #watch() {
    const all = /** @type {(keyof Events)[]} */ (Object.keys(this.#listeners));
    /** @type {(keyof Events | "values")[]} */
    const names = all.filter((name) => this.#listeners[name].size > 0);
    if (this.#values.size > 0) {
      names.push("values");
    }
    this.#host.watch(names, (name, detail) => (name === "lost" ? this.#notify("change", { kind: "lost" }) : this.#notify(name, detail)));
  }

  /**
   * @template {keyof Events} Name
   * @param {Name} name
   * @param {Events[Name]} detail
   */
  #notify(name, detail) {
    const listeners = this.#listeners[name];
    for (const listener of listeners) {
      queueMicrotask(() => listeners.has(listener) && listener(this.#withReset(detail))); // if it throws, the others are still called
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
      detail.reset ??= () => this.resetUnopened();
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
