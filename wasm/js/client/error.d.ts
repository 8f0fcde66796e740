/** Errors, and the codes of lasting problems. */

export type SandtableErrorCode =
  /** An argument is invalid. */
  | "InvalidOption"
  /** The page is served neither over https nor from localhost. */
  | "InsecureContext"
  /** The browser has no service workers here. */
  | "NoServiceWorker"
  /** The script is missing, is not a script, or a file next to it is missing. */
  | "RegistrationFailed"
  /** The page is not below the worker's folder. */
  | "OutOfScope"
  /** The worker does not import sandtable-worker.js, or the site has one that would be replaced. */
  | "NotSandtable"
  /** Page and worker are of versions that do not understand each other. */
  | "OtherVersion"
  /** The page's requests do not reach the worker. */
  | "NotControlled"
  /** They do not reach its Sandtable part. */
  | "NotIntercepted"
  /** No plain worker can be started either. */
  | "NoWorker"
  /** The worker does not answer, or ended before it answered: what it was to do may have been done, see the message. */
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
  /** The requests are not those that were expected. */
  | "Expectation"
  /** There is no explorer for this page, or not on its origin. */
  | "NoExplorer"
  /** The sandbox's files are not next to the worker's script. */
  | "NoSandbox"
  /** The browser opens windows only when the user clicks something. */
  | "PopupBlocked"
  /** close() was called before, or the page disconnected the port. */
  | "Closed";

export class SandtableError extends Error {
  constructor(code: SandtableErrorCode, message: string, more?: { cause?: unknown; status?: number });
  readonly code: SandtableErrorCode;
  /** The status of the answer, where there was one. */
  readonly status?: number;
  /** For the codes StoreFormat and StoreClosed: deletes the store with everything in it, unless it opens by then. If start was rejected, start again then. */
  reset?: () => Promise<void>;
}

/** The codes of the event `error`; all but `Emptied` last until `recovered`. */
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
