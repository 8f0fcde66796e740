/**
 * Azure Table Storage inside the page: the Azure SDK for JavaScript, unchanged,
 * is answered by an engine in a worker of this site, which keeps its data in
 * the visitor's browser.
 */

/**
 * Starts Sandtable for this page. Fulfilled when the requests of this page are
 * answered: create SDK clients after that.
 *
 * @throws {SandtableError} with a code, and a message that says what to do
 */
export function start(options?: StartOptions): Promise<Sandtable>;

/** The version of the build that this module is of. */
export const version: string;

export interface StartOptions {
  /**
   * The address of the service worker's script, or the registration of the
   * site's own worker, whose first line is
   * `importScripts("sandtable-worker.js")`. Default: `sandtable-worker.js` next
   * to this module or, if the page is not below that, next to the page.
   */
  worker?: string | URL | ServiceWorkerRegistration;
  /** The scope of the worker: the pages below it share one store. Default: the folder of its script. */
  scope?: string | URL;
  /** Accounts to create if they do not exist. `devstoreaccount1` always does. */
  accounts?: ReadonlyArray<string | { name: string; access?: Access }>;
  /**
   * When a write is acknowledged: once the browser has it (`relaxed`, the
   * default: it survives a crash of the browser), or once the disk has it
   * (`strict`: it survives a power failure).
   */
  durability?: Durability;
  /**
   * Fills a store without tables: an archive, as its address or itself, or a
   * function. One page at a time does it, again if a page was closed before it
   * was done.
   */
  seed?: ArchiveSource | ((sandtable: Sandtable) => void | Promise<void>);
  /**
   * Files of the site, such as `["./", "main.js"]`, which the worker keeps so that
   * its pages open without a network. They come from the network while there is
   * one. Every start fetches the list again and replaces what was kept, whole or
   * not at all; an empty list removes it. This module is kept with them. Not
   * where the site has a service worker of its own.
   */
  offline?: ReadonlyArray<string | URL>;
  /**
   * What to do without a service worker: run in a plain worker (`true`, the
   * default), fail (`false`), or not even try one (`"worker"`).
   */
  fallback?: boolean | "worker";
}

export type Access = "open" | "strict";
export type Durability = "relaxed" | "strict";

/** An archive as `dump` and `sandtable dump` write it: its address, its bytes, or its text, which begins with a brace. */
export type ArchiveSource = string | URL | Blob | ReadableStream<Uint8Array>;

export interface Sandtable {
  /** The address of an account, by default `devstoreaccount1`, for an SDK's client. */
  endpoint(account?: string): string;
  /** A connection string that SDKs accept in a page, with a SAS for the whole account or the one given. */
  connectionString(account?: string, sas?: string): Promise<string>;
  /** An address with a SAS of exactly these permissions. */
  sasUrl(account: string | undefined, options: SasOptions): Promise<string>;
  /**
   * For the option `httpClient` of an SDK's client: requests go to the worker
   * as messages, several times faster than by fetch, and answers are the same.
   */
  readonly httpClient: HttpClient;
  readonly accounts: Accounts;
  /**
   * Writes the store, or one account of it, as an archive: JSON Lines with types,
   * without keys. What is corrupt is not in it: its last line says so, and
   * `load` returns it.
   */
  dump(options?: DumpOptions): Promise<Blob>;
  /**
   * Reads an archive into the store. Loading it again does no harm. What was
   * read before a failure stays. `corruption` is how many blocks and records
   * could not be read when the archive was written: their content is missing.
   */
  load(source: ArchiveSource, options?: LoadOptions): Promise<Counts & { corruption: number }>;
  /** Empties the store, or one account of it. */
  reset(what?: "all" | { account: string }): Promise<void>;
  /** Reads the whole store as opening it would, and reports problems. It changes nothing; others read and write meanwhile. */
  verify(options?: MaintenanceOptions<VerifyProgress>): Promise<Verified>;
  /**
   * Makes the store as small as it can be: merges blocks that deletions have left
   * underfull, and deletes unused ones. Others read and write meanwhile;
   * aborted, it leaves the store as sound as before.
   */
  compact(options?: MaintenanceOptions<Stored>): Promise<Compacted>;
  status(): Promise<Status>;
  /**
   * The last requests, the oldest first, with headers and bodies. Those that the
   * engine has dropped, and those of an earlier run of it, are gone.
   */
  requests(options?: RequestsOptions): Promise<RecordedRequest[]>;
  /** One of the last requests; null if it is gone. */
  request(id: number): Promise<RecordedRequest | null>;
  /**
   * Listens.
   *
   * @returns a function that ends it
   */
  on<Name extends keyof Events>(name: Name, listener: (detail: Events[Name]) => void): () => void;
  /** Ends this page's use of Sandtable. The data stay, and so does a service worker. */
  close(): Promise<void>;
}

export interface Accounts {
  list(): Promise<Account[]>;
  /** @param options.access `open`, the default, accepts requests without credentials; `strict` behaves as Azure does */
  create(name: string, options?: { access?: Access }): Promise<Account>;
  delete(name: string): Promise<void>;
  setAccess(name: string, access: Access): Promise<Account>;
}

export interface Account {
  name: string;
  access: Access;
  tables: number;
  entities: number;
}

/** A SAS needs its end, unless a stored access policy has it. */
export type SasOptions = SasFields & ({ expiresOn: Date | string } | { policy: string; expiresOn?: Date | string });

export interface SasFields {
  /** The one table that it is for; without it, it is for the account. */
  table?: string;
  /** Letters as Azure defines them: of `raud` for a table, of `rwdlacu` for an account. */
  permissions?: string;
  startsOn?: Date | string;
  protocol?: "https" | "https,http";
  /** An address, or two joined by a hyphen. */
  ip?: string;
  /** The key that signs. Default: `primary`. */
  key?: "primary" | "secondary";
  /** For an account: letters of `sco`. Default: all. */
  resourceTypes?: string;
  /** For a table: a stored access policy, which may define permissions and expiry. */
  policy?: string;
  /** A table's range of keys, from the first to the last, both inclusive. */
  startPartitionKey?: string;
  startRowKey?: string;
  endPartitionKey?: string;
  endRowKey?: string;
}

export interface DumpOptions {
  /** The one account to write. */
  account?: string;
  signal?: AbortSignal;
}

export interface LoadOptions {
  /** The account that an archive of one account is loaded into. Default: the one that was dumped. */
  account?: string;
  /** Called from time to time with what has been loaded. */
  onProgress?: (progress: Counts & { bytes: number; totalBytes?: number }) => void;
  signal?: AbortSignal;
}

export interface MaintenanceOptions<Progress> {
  /** Called once a second, if it takes longer than that. */
  onProgress?: (progress: Progress) => void;
  /** Ends it within a second. */
  signal?: AbortSignal;
}

/** What was checked so far. */
export interface VerifyProgress extends Counts {
  blocks: number;
  bytes: number;
  /** Records of the write-ahead log. */
  walRecords: number;
  /** Blocks that no table uses and that wait to be deleted, which is harmless. */
  unusedBlocks: number;
  /** How many problems there are; the result's `problems` has the first thousand. */
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

export interface Status extends Counts {
  /** Where the engine runs. */
  mode: "service worker" | "worker";
  /** Why not in a service worker. */
  why?: string;
  /** What this page lacks because of that, each a sentence; empty with a service worker. */
  lost: string[];
  /** The versions of this module and of the worker. */
  client: string;
  worker: string;
  /** `memory` ends with the worker: this browser, or this private window, stores nothing. */
  store: "indexeddb" | "memory" | "file";
  durability: Durability;
  /** What could not be read when the store was opened. */
  corruption: string[];
  /**
   * Set while checkpoints fail: the last error, since when, and how often in a
   * row. Nothing is lost by that, but the write-ahead log grows.
   */
  checkpointFailure: { error: string; since: string; attempts: number } | null;
  /** Whether the browser promised not to clear the store, and bytes; null where it does not say. */
  persisted?: boolean | null;
  quota?: number | null;
  usage?: number | null;
  [more: string]: unknown;
}

export interface Events {
  /** Something was written, by this page or by another. */
  change: ChangeEvent;
  /** A request was answered. */
  request: RequestEvent;
  /** A new version of the worker is installed, and waits. */
  update: UpdateEvent;
  /**
   * Something has stopped working. Each problem is notified once when it begins,
   * and one that lasts also to later listeners; its code is one of
   * {@link ProblemCode}.
   */
  error: SandtableError;
  /** A problem that was notified is over. */
  recovered: RecoveredEvent;
}

export interface ChangeEvent {
  kind:
    | "inserted"
    | "updated"
    | "deleted"
    | "tableCreated"
    | "tableChanged"
    | "tableDeleted"
    | "accountCreated"
    | "accountChanged"
    | "accountDeleted"
    | "settingsChanged"
    /** Events may have been lost: read everything again. */
    | "lost";
  account?: string;
  table?: string;
  partitionKey?: string;
  rowKey?: string;
}

export interface RequestEvent {
  /** 1, 2, 3… since the engine started. */
  id: number;
  /** The x-ms-request-id of the answer. */
  requestId: string;
  time: string;
  milliseconds: number;
  method: string;
  /** Without what is secret in its query. */
  url: string;
  /** "" if none was found. */
  operation: string;
  account: string;
  status: number;
  /** Of the error, or "". */
  code: string;
  /** Why the request was refused. */
  reason?: string;
  /** What a query cost; null for other operations. */
  statistics: RequestStatistics | null;
}

export interface RequestsOptions {
  /** Only requests with greater ids. */
  after?: number;
  /** At most so many. */
  limit?: number;
}

/** A request with its headers and bodies, without credentials. */
export interface RecordedRequest extends RequestEvent {
  requestHeaders: Record<string, string>;
  /** null if it was not recorded. */
  requestBody: string | null;
  responseHeaders: Record<string, string>;
  responseBody: string | null;
  /** Whether a part of a body is missing. */
  truncated: boolean;
  /** What the signature of a refused request should cover, as far as that is known. */
  stringToSign?: string;
}

export interface RequestStatistics {
  /** How the query found its entities. */
  kind: string;
  /** How many blocks it read. */
  blocks: number;
  /** How many entities it compared with the filter. */
  examined: number;
  returned: number;
}

export interface UpdateEvent {
  /** Activates the new version in place of the old one, for all pages. */
  take(): Promise<void>;
}

export interface RecoveredEvent {
  /** The code of the error that is over. */
  code: ProblemCode;
}

/** What the event `error` is about; all but `Emptied` last until `recovered`. */
export type ProblemCode =
  | "StoreFull"
  | "Emptied"
  | "NotIntercepted"
  | "EngineCrashed"
  | "Superseded"
  | "Suspended"
  | "NotConnected"
  | "StoreFormat"
  | "StoreClosed"
  | "StoreHeld"
  | "EngineNotLoaded";

/** The HttpClient of @azure/core-rest-pipeline. */
export interface HttpClient {
  sendRequest(request: any): Promise<any>;
}

export type SandtableErrorCode =
  /** An argument is invalid. */
  | "InvalidOption"
  /** The page is neither from https nor from localhost. */
  | "InsecureContext"
  /** The browser has no service workers here. */
  | "NoServiceWorker"
  /** The script is missing, is not a script, or a file next to it is missing. */
  | "RegistrationFailed"
  /** The page is not below the worker's folder. */
  | "OutOfScope"
  /** The worker does not import sandtable-worker.js. */
  | "NotSandtable"
  /** Page and worker are of versions that do not understand each other. */
  | "OtherVersion"
  /** The page's requests do not reach the worker. */
  | "NotControlled"
  /** They do not reach its Sandtable part. */
  | "NotIntercepted"
  /** No plain worker can be started either. */
  | "NoWorker"
  /** The worker does not answer. */
  | "NotConnected"
  /** Without a service worker: the tab that has the engine is suspended, and another one acquires the engine. */
  | "Suspended"
  /** There is no space left: writes are refused, and nothing that was saved is lost. */
  | "StoreFull"
  /** The store that was here is gone, and there is a new one. */
  | "Emptied"
  /** The engine crashed. The next request starts it again, with everything that was acknowledged. */
  | "EngineCrashed"
  /** Another worker has the store now. The next request acquires it again. */
  | "Superseded"
  /** Another tab or version holds the store and does not release it. */
  | "StoreHeld"
  /** A newer version wrote the store, and this build cannot read it. */
  | "StoreFormat"
  /** The browser does not open the store. */
  | "StoreClosed"
  /** The engine's file cannot be loaded, or there is not enough memory for it. */
  | "EngineNotLoaded"
  /** In Node.js: another service has the folder open. */
  | "InUse"
  /** The control API refused: see status. */
  | "Refused"
  /** An archive cannot be read, or written. */
  | "Archive"
  /** close() was called before. */
  | "Closed";

export class SandtableError extends Error {
  constructor(code: SandtableErrorCode, message: string, more?: { cause?: unknown; status?: number });
  readonly code: SandtableErrorCode;
  /** The status of the answer, where there was one. */
  readonly status?: number;
  /** For the codes StoreFormat and StoreClosed: deletes the store with everything in it. If start was rejected, start again then. */
  reset?: () => Promise<void>;
}
