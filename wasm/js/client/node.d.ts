/**
 * Azure Table Storage inside a program of Node.js, for tests: the engine runs
 * in the process, there is no port, and Azure's SDK is given its `httpClient`.
 */

import type { ArchiveSource, Access, Durability, Sandtable, Status } from "./sandtable.js";

/**
 * Starts a service, of which a process may have any number. Fulfilled when it answers.
 *
 * @throws {SandtableError} whose code and message say what to do
 */
export function start(options?: NodeOptions): Promise<NodeSandtable>;

/** The version of the build that this module is of. */
export const version: string;

export interface NodeOptions {
  /**
   * Where the tables are kept. It is made if it is not there, and one process
   * at a time may have it open. Without it they are in memory, and end with the service.
   */
  folder?: string | URL;
  /** Accounts to make if they are not there. `devstoreaccount1` always is. */
  accounts?: ReadonlyArray<string | { name: string; access?: Access }>;
  /** When a write to a folder is acknowledged: once the disk has it (`strict`, the default), or the operating system (`relaxed`). */
  durability?: Durability;
  /** What a store without tables begins with: an archive, as its address or itself, or a function that fills it. */
  seed?: ArchiveSource | ((sandtable: NodeSandtable) => void | Promise<void>);
}

export interface NodeSandtable extends Omit<Sandtable, "status"> {
  status(): Promise<NodeStatus>;
}

export interface NodeStatus extends Omit<Status, "mode"> {
  mode: "node";
}

export { SandtableError } from "./sandtable.js";
export type { SandtableErrorCode } from "./sandtable.js";
