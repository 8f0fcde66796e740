/**
 * Azure Table Storage inside a program of Node.js, for tests: the engine runs
 * in the process, there is no port, and Azure's SDK is given its `httpClient`.
 */

import type { ArchiveSource, Access, Durability, Sandtable, Status } from "./sandtable.js";

/**
 * Starts a service. A process may have any number of them. Fulfilled when it answers.
 *
 * @throws {SandtableError} with a code, and a message that says what to do
 */
export function start(options?: NodeOptions): Promise<NodeSandtable>;

/** The version of the build that this module is of. */
export const version: string;

export interface NodeOptions {
  /**
   * Where the tables are kept. It is created if it does not exist, and one process
   * at a time may have it open. Without it they are in memory, and end with the service.
   */
  folder?: string | URL;
  /** Accounts to create if they do not exist. `devstoreaccount1` always does. */
  accounts?: ReadonlyArray<string | { name: string; access?: Access }>;
  /** When a write to a folder is acknowledged: once the disk has it (`strict`, the default), or the operating system (`relaxed`). */
  durability?: Durability;
  /** Fills a store without tables: an archive, as its address or itself, or a function. */
  seed?: ArchiveSource | ((sandtable: NodeSandtable) => void | Promise<void>);
  /**
   * Makes this process's `fetch` answer requests for the service's hosts from here,
   * until the service is closed. Azure's SDK uses `fetch` only in its build for
   * browsers, which test runners with a browser environment load; in plain Node.js it
   * opens sockets, and needs `httpClient`.
   */
  patchFetch?: boolean;
}

export interface NodeSandtable extends Omit<Sandtable, "status"> {
  status(): Promise<NodeStatus>;
}

export interface NodeStatus extends Omit<Status, "mode"> {
  mode: "node";
}

export { SandtableError } from "./sandtable.js";
export type { SandtableErrorCode } from "./sandtable.js";
