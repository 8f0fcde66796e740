/**
 * Azure Table Storage inside a Node.js process, for tests: the engine runs in the
 * process without a port, and Azure's SDK uses its `httpClient`.
 */

import type { ArchiveSource, Access, CommonStatus, Durability, Sandtable } from "./sandtable.js";

/**
 * Starts a service and resolves once it is ready. A process may have any number of them.
 *
 * @throws {SandtableError} with a code and a message that names the remedy
 */
export function start(options?: NodeOptions): Promise<NodeSandtable>;

/** The version of this module's build. */
export const version: string;

export interface NodeOptions {
  /**
   * The folder of the tables, created if missing. Only one process at a time can open
   * it. Without a folder the tables are in memory and end with the service.
   */
  folder?: string | URL;
  /** Accounts to create if they do not exist, as `devstoreaccount1` always is. */
  accounts?: ReadonlyArray<string | { name: string; access?: Access }>;
  /** When a write to a folder is acknowledged: once the disk has it (`strict`, the default), or the operating system (`relaxed`). */
  durability?: Durability;
  /** Fills a store without tables: an archive, its URL, or a function. */
  seed?: ArchiveSource | ((sandtable: NodeSandtable) => void | Promise<void>);
  /**
   * Intercepts this process's `fetch` for the service's hosts until the service is
   * closed. Accounts that do not exist are answered 404, not by the network. Azure's SDK
   * uses `fetch` only in its browser build, which Jest loads with `jsdom`; its build for
   * Node.js needs `httpClient`.
   */
  patchFetch?: boolean;
}

export interface NodeSandtable extends Omit<Sandtable, "status" | "openExplorer" | "explorerUrl" | "createSandbox"> {
  status(): Promise<NodeStatus>;
}

export interface NodeStatus extends CommonStatus {
  mode: "node";
}

export { SandtableError } from "./sandtable.js";
export { describeError, formatError } from "./testing.js";
export type * from "./sandtable.js";
