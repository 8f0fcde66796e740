/**
 * Azure Table Storage inside the page: the Azure SDK for JavaScript, unchanged,
 * is answered by an engine in a worker of this site, which keeps its data in
 * the visitor's browser.
 */

import type { Clock, Events, Partitions, PartitionsOptions, RecordedRequest, RequestsOptions } from "./events.js";
import type { ConnectOptions, Sandbox, SandboxOptions } from "./sandbox.js";
import type { Snapshot, Snapshots } from "./snapshot.js";
import type { Expectation, Faults } from "./testing.js";

export * from "./error.js";
export * from "./events.js";
export * from "./sandbox.js";
export * from "./snapshot.js";
export * from "./testing.js";

// Empty where the compiler has no library for pages, such as in Node.js.
declare global {
  interface MessagePort {}
  interface ServiceWorkerRegistration {}
  interface Window {}
}

/**
 * Starts Sandtable for this page. Resolves once this page's requests are answered:
 * create SDK clients after that.
 *
 * @throws {SandtableError} with a code and a message that names the remedy
 */
export function start(options?: StartOptions): Promise<Sandtable>;

/**
 * The client for a sandbox whose page called {@link Sandtable.connect} with the port's
 * other end. It needs neither start nor the network.
 */
export function createClient(port: MessagePort): PortClient;

export interface PortClient {
  /** As the global one, for the hosts of the allowed accounts. */
  fetch: typeof fetch;
  /** For SDK clients' option `httpClient`. */
  readonly httpClient: HttpClient;
  /** Closes the port. Requests without an answer are rejected. */
  close(): void;
}

/** The version of this module's build. */
export const version: string;

export interface StartOptions {
  /**
   * The URL of the service worker's script, or the registration of the site's own
   * worker, whose first line is `importScripts("sandtable-worker.js")`. Default:
   * `sandtable-worker.js` next to this module or, if its scope would not include
   * the page, next to the page.
   */
  worker?: string | URL | ServiceWorkerRegistration;
  /** The scope of the worker, which ends in a slash, and whose pages share one store. Default: the folder of its script. */
  scope?: string | URL;
  /** Accounts to create if they do not exist, as `devstoreaccount1` always is. */
  accounts?: ReadonlyArray<string | { name: string; access?: Access }>;
  /**
   * When a write is acknowledged: once it survives a browser crash (`relaxed`, the
   * default) or a power failure (`strict`).
   */
  durability?: Durability;
  /**
   * Fills a store without tables: an archive, its URL, or a function. One page at a
   * time does it; another page repeats it if the first one closed too early.
   */
  seed?: ArchiveSource | ((sandtable: Sandtable) => void | Promise<void>);
  /**
   * Files of the site, such as `["./", "main.js"]`, which the worker caches with this
   * module for offline use. The network is preferred. Every start fetches the list
   * and replaces the cached files, all or none; an empty list removes them. Not
   * available if the site has its own service worker.
   */
  offline?: ReadonlyArray<string | URL>;
  /**
   * What to do without a service worker: run in a plain worker (`true`, the default)
   * or fail (`false`). `"worker"` always uses a plain worker.
   */
  fallback?: boolean | "worker";
}

export type Access = "open" | "strict";
export type Durability = "relaxed" | "strict";

/** An archive as written by `dump` and `sandtable dump`: its URL, its bytes, or its text, which starts with a brace. */
export type ArchiveSource = string | URL | Blob | ReadableStream<Uint8Array>;

export interface Sandtable {
  /** The endpoint of an account, by default `devstoreaccount1`, for SDK clients. */
  endpoint(account?: string): string;
  /** A connection string that SDKs accept in a page, with the given SAS or one for the whole account. */
  connectionString(account?: string, sas?: string): Promise<string>;
  /**
   * A URL with a SAS for exactly these permissions, of the table if there is one. For a
   * `TableClient`, give `new AzureSASCredential(new URL(url).search)` with `endpoint()`.
   */
  sasUrl(account: string | undefined, options: SasOptions): Promise<string>;
  /** For SDK clients' option `httpClient`: sends requests as messages, in Chromium and Firefox several times faster than fetch. */
  readonly httpClient: HttpClient;
  /** An httpClient whose requests have a label in events and records: the run or the step that they belong to. */
  labelled(label: string): HttpClient;
  /**
   * Answers the requests of a sandbox, such as a frame with code of strangers, over a
   * port whose other end has {@link createClient}: for the accounts that you name, never
   * the control API, another host or the network. Returns a function that disconnects.
   */
  connect(port: MessagePort, options?: ConnectOptions): () => void;
  /**
   * A sandbox for programs that you do not trust, with the SDK: each runs in a frame and
   * a worker of its own, which reach the accounts that you name and nothing else.
   */
  createSandbox(options?: SandboxOptions): Sandbox;
  readonly accounts: Accounts;
  /** Names the present state of an account, in milliseconds whatever it holds. The default name is the time. */
  snapshot(account: string, options?: { name?: string }): Promise<Snapshot>;
  /**
   * Gives an account the state of a snapshot, in one step: tables, entities with their
   * ETags, policies and service properties. Keys stay. `before` is a snapshot of the
   * state that it replaced; with `keep: false` none is taken.
   */
  restore(account: string, snapshot: string | { id: string }, options?: { keep?: boolean }): Promise<{ restored: Snapshot; before: Snapshot | null }>;
  readonly snapshots: Snapshots;
  /** Makes requests fail on purpose, for tests of retries. */
  readonly faults: Faults;
  /** Writes the store, or one account, as an archive: JSON Lines without keys. Its last line counts missing corrupt data. */
  dump(options?: DumpOptions): Promise<Blob>;
  /**
   * Loads an archive into the store; it can be repeated. Entities loaded before a
   * failure stay. `corruption` is the number of blocks and records that were
   * unreadable when the archive was written, and are missing.
   */
  load(source: ArchiveSource, options?: LoadOptions): Promise<Counts & { corruption: number }>;
  /**
   * Empties one account, which stays, or the whole store: then the only account is
   * `devstoreaccount1`, and those that `start` created are gone.
   */
  reset(what?: "all" | { account: string }): Promise<void>;
  /** Checks the whole store and reports problems, without changes and concurrently with other requests. */
  verify(options?: MaintenanceOptions<VerifyProgress>): Promise<Verified>;
  /**
   * Makes the store as small as possible: merges underfull blocks and deletes unused
   * ones, concurrently with other requests. It can be aborted safely.
   */
  compact(options?: MaintenanceOptions<Stored>): Promise<Compacted>;
  status(): Promise<Status>;
  /**
   * Opens the explorer for this page's store in a window of its own; call it when the
   * user clicks something. The explorer stays usable when this page is closed.
   */
  openExplorer(options?: ExplorerOptions): Window;
  /** The URL that `openExplorer` opens, for a link or a frame of this site. It contains no key. */
  explorerUrl(options?: ExplorerOptions): string;
  /**
   * The last requests of this run of the engine, oldest first, with headers and
   * bodies. The engine drops older ones.
   */
  requests(options?: RequestsOptions): Promise<RecordedRequest[]>;
  /** Checks the requests from now on, of one account, which has to exist, or of all. */
  expectRequests(options?: { account?: string }): Promise<Expectation>;
  /** One of the last requests; null if it was dropped. */
  request(id: number): Promise<RecordedRequest | null>;
  /** The partitions of a table in key order, a page of them, without reading the table. */
  partitions(account: string, table: string, options?: PartitionsOptions): Promise<Partitions>;
  /**
   * Sets the service's clock, by which signatures expire, until the engine's worker
   * ends; without a time, back to the real one. Timestamps keep the real time.
   */
  setClock(now?: Date | string | null): Promise<Clock>;
  /**
   * Adds a listener; returns a function that removes it. With `values`, changes of
   * entities have the entity before and after. With `account`, only changes and
   * requests of that account are reported.
   */
  on<Name extends keyof Events>(name: Name, listener: (detail: Events[Name]) => void, options?: { values?: boolean; account?: string }): () => void;
  /** Ends this page's use of Sandtable. The data and a service worker stay. */
  close(): Promise<void>;
}

export interface ExplorerOptions {
  /** The account to show. */
  account?: string;
  /** A table of the account, by default of `devstoreaccount1`, to show. */
  table?: string;
}

export interface Accounts {
  list(): Promise<Account[]>;
  /** @param options.access `open`, the default, accepts requests without credentials; `strict` behaves like Azure */
  create(name: string, options?: { access?: Access }): Promise<Account>;
  delete(name: string): Promise<void>;
  setAccess(name: string, access: Access): Promise<Account>;
}

export interface Account {
  name: string;
  access: Access;
  tables: number;
  entities: number;
  /** Its faults are on. */
  faults?: true;
}

/** A SAS needs an expiry, unless its stored access policy has one. */
export type SasOptions = SasFields & ({ expiresOn: Date | string } | { policy: string; expiresOn?: Date | string });

export interface SasFields {
  /** The only table; without it the SAS is for the account. */
  table?: string;
  /** Azure's permission letters: of `raud` for a table, of `rwdlacu` for an account. */
  permissions?: string;
  startsOn?: Date | string;
  protocol?: "https" | "https,http";
  /** An IP address, or a range with a hyphen. */
  ip?: string;
  /** The signing key. Default: `primary`. */
  key?: "primary" | "secondary";
  /** For an account: letters of `sco`. Default: all. */
  resourceTypes?: string;
  /** For a table: a stored access policy, which may define permissions and expiry. */
  policy?: string;
  /** A table's key range, both ends inclusive. */
  startPartitionKey?: string;
  startRowKey?: string;
  endPartitionKey?: string;
  endRowKey?: string;
}

export interface DumpOptions {
  /** The only account to write. */
  account?: string;
  /** A snapshot of the account, to be written instead of its present state. */
  snapshot?: string | { id: string };
  signal?: AbortSignal;
}

export interface LoadOptions {
  /** The account to load an archive of one account into. Default: the dumped account. */
  account?: string;
  /** Called at intervals with the counts so far. */
  onProgress?: (progress: LoadProgress) => void;
  signal?: AbortSignal;
}

export type LoadProgress = Counts & { bytes: number; totalBytes?: number };

export interface MaintenanceOptions<Progress> {
  /** Called once a second. */
  onProgress?: (progress: Progress) => void;
  /** Aborts it within a second. */
  signal?: AbortSignal;
}

/** What was checked so far. */
export interface VerifyProgress extends Counts {
  blocks: number;
  bytes: number;
  /** Records of the write-ahead log. */
  walRecords: number;
  /** Unused blocks that wait to be deleted, which is harmless. */
  unusedBlocks: number;
  /** The number of problems; the result's `problems` has the first thousand. */
  problemCount: number;
}

export interface Verified extends VerifyProgress {
  problems: string[];
}

/** The size of a store. */
export interface Stored {
  blocks: number;
  bytes: number;
  /** Records of the write-ahead log. */
  walRecords: number;
}

export interface Compacted {
  before: Stored;
  after: Stored;
}

export interface Counts {
  accounts: number;
  tables: number;
  entities: number;
}

export interface Status extends CommonStatus {
  /** Where the engine runs. */
  mode: "service worker" | "worker";
  /** Why it does not run in a service worker. */
  why?: string;
}

/** The status of a page's Sandtable, or of one in Node.js. */
export interface CommonStatus extends Counts {
  /** What this page therefore lacks, in sentences; empty with a service worker. */
  lost: string[];
  /** The versions of this module and of the worker. */
  client: string;
  worker: string;
  /** `memory` ends with the worker: this browser or private window stores nothing. */
  store: "indexeddb" | "memory" | "file";
  durability: Durability;
  /** The corruption found when the store was opened. */
  corruption: string[];
  /**
   * Set while checkpoints fail: the last error, the time of the first one, and their
   * number. No data is lost, but the write-ahead log grows.
   */
  checkpointFailure: { error: string; since: string; attempts: number } | null;
  /** Whether the browser promised not to clear the store, and sizes in bytes; null if it does not report them. */
  persisted?: boolean | null;
  quota?: number | null;
  usage?: number | null;
  [more: string]: unknown;
}

/** The HttpClient of @azure/core-rest-pipeline. */
export interface HttpClient {
  sendRequest(request: any): Promise<any>;
}
