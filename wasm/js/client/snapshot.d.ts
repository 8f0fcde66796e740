/** Snapshots: named states of an account, and what restoring one would change. */

import type { EntityBody } from "./events.js";
import type { ArchiveSource, LoadProgress } from "./sandtable.js";

export interface Snapshots {
  /** The oldest first. */
  list(account: string): Promise<Snapshot[]>;
  /** The same as {@link Sandtable.snapshot}. */
  take(account: string, options?: { name?: string }): Promise<Snapshot>;
  /** The same as {@link Sandtable.restore}. */
  restore(account: string, snapshot: string | { id: string }, options?: { keep?: boolean }): Promise<{ restored: Snapshot; before: Snapshot | null }>;
  rename(account: string, snapshot: string | { id: string }, name: string): Promise<Snapshot>;
  delete(account: string, snapshot: string | { id: string }): Promise<void>;
  /** What restoring would change, with the first `limit` entities, by default 100. */
  compare(account: string, snapshot: string | { id: string }, options?: { limit?: number }): Promise<SnapshotDifferences>;
  /** Makes a snapshot of an archive: the file that `dump({ account, snapshot })` returned. */
  open(account: string, source: ArchiveSource, options?: { name?: string; onProgress?: (progress: LoadProgress) => void; signal?: AbortSignal }): Promise<Snapshot>;
}

export interface Snapshot {
  id: string;
  name: string;
  /** How it came about: on request, before an import, before a table was deleted, before a restore, or from a file. */
  kind: "taken" | "import" | "delete" | "restore" | "file";
  taken: string;
  tables: number;
  entities: number;
  /** The size of what the account does not share with it. */
  bytes: number;
  /** Equal for snapshots that are known to hold the same. */
  state: string;
  /** It is still being read from a file, or that was interrupted: it can only be deleted. */
  incomplete?: true;
}

/** Entities that restoring a snapshot brings back, removes and changes. */
export interface Differing {
  comeBack: number;
  go: number;
  change: number;
}

export interface SnapshotDifferences extends Differing {
  /** Otherwise counting ended at 20,000 entities. */
  complete: boolean;
  /** Whether the service properties differ. */
  properties: boolean;
  /** Those that differ. */
  tables: (Differing & { name: string; created: boolean; deleted: boolean; policies: boolean })[];
  /** The first entities that differ: 100, or `limit` of up to 1,000. */
  first: { table: string; before?: EntityBody; after?: EntityBody }[];
}
