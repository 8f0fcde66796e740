/**
 * Azure Table Storage inside the page: the Azure SDK for JavaScript, unchanged,
 * is answered by an engine in a worker of this site, which keeps its data in
 * the visitor's browser.
 */

/**
 * Starts Sandtable for this page. Fulfilled when the requests of this page are
 * answered: pages create their SDK clients behind it.
 *
 * @throws {SandtableError} whose code and message say what to do
 */
export function start(options?: StartOptions): Promise<Sandtable>;

/** The version of the build that this module is of. */
export const version: string;

export interface StartOptions {
  /**
   * The address of the service worker's script, or a registration of the
   * site's own worker, whose first line is
   * `importScripts("sandtable-worker.js")`. By default `sandtable-worker.js`
   * beside this module, or if the page is not below that, beside the page.
   */
  worker?: string | URL | ServiceWorkerRegistration;
  /** The scope of the worker: the pages below it share one store. By default the folder of its script. */
  scope?: string | URL;
  /** Accounts to make if they are not there. `devstoreaccount1` always is. */
  accounts?: ReadonlyArray<string | { name: string; access?: Access }>;
  /**
   * When a write is acknowledged: once the browser has it (`relaxed`, the
   * default: safe from a browser that crashes), or once the disk has it
   * (`strict`: safe from a power failure).
   */
  durability?: Durability;
  /**
   * What a store without tables begins with: an archive, as its address or
   * itself, or a function that fills it. One page at a time seeds, and again if
   * the page was closed before it was done.
   */
  seed?: ArchiveSource | ((sandtable: Sandtable) => void | Promise<void>);
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
  /** A connection string that SDKs take in a page, with a signature for the whole account or the one given. */
  connectionString(account?: string, sas?: string): Promise<string>;
  /** An address with a signature of just these permissions. */
  sasUrl(account: string | undefined, options: SasOptions): Promise<string>;
  /**
   * For the option `httpClient` of an SDK's client: requests go to the worker
   * as messages, several times faster than by fetch, and answers are the same.
   */
  readonly httpClient: HttpClient;
  readonly accounts: Accounts;
  /**
   * Writes the store, or one account of it, as an archive: JSON Lines with types, without keys.
   * What is corrupt is not in it: its last line says so, and `load` returns it.
   */
  dump(options?: { account?: string; signal?: AbortSignal }): Promise<Blob>;
  /**
   * Reads an archive into the store. Loading one again does no harm. What was
   * read before a failure is there. `corruption` is how many blocks and records could
   * not be read when the archive was made: what was in them is missing.
   */
  load(source: ArchiveSource, options?: LoadOptions): Promise<Counts & { corruption: number }>;
  /** Empties the store, or one account of it. */
  reset(what?: "all" | { account: string }): Promise<void>;
  /**
   * Reads all that is stored as opening it would, and says what is not as it
   * should be. It changes nothing; others read and write meanwhile.
   */
  verify(options?: UpkeepOptions<Verified>): Promise<Verified & { problems: string[] }>;
  /**
   * Makes what is stored as small as it can be: merges blocks that deletions
   * have left half empty, and deletes what belongs to nothing. Others read and
   * write meanwhile; given up or broken off, it leaves a store as sound as before.
   */
  compact(options?: UpkeepOptions<Stored>): Promise<{ before: Stored; after: Stored }>;
  status(): Promise<Status>;
  /**
   * Listens.
   *
   * @returns a function that ends it
   */
  on<Name extends keyof Events>(name: Name, listener: (detail: Events[Name]) => void): () => void;
  /** Ends what this page has of Sandtable. Its data stay, and so does a service worker. */
  close(): Promise<void>;
}

export interface Accounts {
  list(): Promise<Account[]>;
  /** @param options.access `open`, the default, takes requests without credentials; `strict` is as Azure is */
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

export interface SasOptions {
  /** The one table it is for; without it, it is for the account. */
  table?: string;
  /** Letters as Azure has them: of a table `raud`, of an account `rwdlau`. */
  permissions?: string;
  expiresOn: Date | string;
  startsOn?: Date | string;
  /** A table's range of keys, from the first to the last, both with it. */
  startPartitionKey?: string;
  startRowKey?: string;
  endPartitionKey?: string;
  endRowKey?: string;
}

export interface LoadOptions {
  /** Called from time to time with what has been loaded. */
  onProgress?: (progress: Counts & { bytes: number; totalBytes?: number }) => void;
  signal?: AbortSignal;
}

export interface UpkeepOptions<Progress> {
  /** Called once a second, if it takes longer than that. */
  onProgress?: (progress: Progress) => void;
  /** Ends it, within a second. */
  signal?: AbortSignal;
}

/** What was looked at. */
export interface Verified extends Counts {
  blocks: number;
  bytes: number;
  /** Records of the write-ahead log. */
  walRecords: number;
  /** Blocks that no table uses and that wait to be deleted, which is harmless. */
  unusedBlocks: number;
  /** How many problems there are; `problems` has the first thousand. */
  problemCount: number;
}

/** What is stored. */
export interface Stored {
  blocks: number;
  bytes: number;
  /** Records of the write-ahead log. */
  walRecords: number;
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
  /** What this page does not have for that, each a sentence; empty with a service worker. */
  lost: string[];
  /** The versions of this module, and of the worker. */
  client: string;
  worker: string;
  /** `memory` is gone with the worker: this browser, or this private window, stores nothing. */
  store: "indexeddb" | "memory" | "file";
  durability: Durability;
  /** What could not be read when the store was opened. */
  corruption: string[];
  /**
   * Why the log cannot be put into blocks, if it cannot: the last error, since
   * when, and how often in a row. Nothing is lost by that; the log grows.
   */
  checkpointFailure: { error: string; since: string; attempts: number } | null;
  /** Whether the browser promised not to clear the store, and bytes; null where it does not say. */
  persisted?: boolean | null;
  quota?: number | null;
  usage?: number | null;
  [more: string]: unknown;
}

export interface Events {
  /** Something was written: by this page, or by another. */
  change: ChangeEvent;
  /** A request was answered. */
  request: RequestEvent;
  /** A new version of the worker is there, and waits. */
  update: UpdateEvent;
  /**
   * Something does not work any more. Each trouble is told once when it begins,
   * and those that last to who listens later, too; its code is one of
   * {@link TroubleCode}.
   */
  error: SandtableError;
  /** A trouble that was told is over. */
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
    /** Events were lost: look at everything again. */
    | "lost";
  account?: string;
  table?: string;
  partitionKey?: string;
  rowKey?: string;
}

export interface RequestEvent {
  id: string;
  time: string;
  milliseconds: number;
  method: string;
  url: string;
  operation?: string;
  account?: string;
  status: number;
  code?: string;
  reason?: string;
}

export interface UpdateEvent {
  /** Has the new version take over from the old one, for all pages; fulfilled when it has. */
  take(): Promise<void>;
}

export interface RecoveredEvent {
  /** The code of the error that is over. */
  code: TroubleCode;
}

/** What the event `error` is about; all but `Emptied` last until `recovered`. */
export type TroubleCode =
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
  /** An argument is not what it has to be. */
  | "InvalidOption"
  /** The page is not from https, nor from localhost. */
  | "InsecureContext"
  /** The browser has no service workers here. */
  | "NoServiceWorker"
  /** The script is not there, is not one, or a file beside it is missing. */
  | "RegistrationFailed"
  /** The worker's folder is not one that the page is in. */
  | "OutOfScope"
  /** The worker is one that does not import sandtable-worker.js. */
  | "NotSandtable"
  /** Page and worker are of versions that do not understand each other. */
  | "OtherVersion"
  /** The page's requests do not come to the worker. */
  | "NotControlled"
  /** They do not come to its part that is Sandtable. */
  | "NotIntercepted"
  /** No plain worker can be started either. */
  | "NoWorker"
  /** The worker does not answer. */
  | "NotConnected"
  /** The tab that has the engine is asleep, and another one takes the engine over. Without a service worker. */
  | "Suspended"
  /** There is no room: writes are refused, and nothing that was saved is lost. */
  | "StoreFull"
  /** The store that was here is gone, and there is a new one. */
  | "Emptied"
  /** The engine crashed. The next request starts it again, with all that was acknowledged. */
  | "EngineCrashed"
  /** Another worker has taken the store over. The next request takes it back. */
  | "Superseded"
  /** Somebody else has the store and does not give it up. */
  | "StoreHeld"
  /** The store is of a newer version than this build can read. */
  | "StoreFormat"
  /** The browser does not open the store. */
  | "StoreClosed"
  /** The engine's file cannot be loaded, or there is not enough memory for it. */
  | "EngineNotLoaded"
  /** Another service has the folder open. In Node.js. */
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
  /** Of the codes StoreFormat and StoreClosed: deletes the store, with all that is in it. If start was rejected, start again then. */
  reset?: () => Promise<void>;
}
