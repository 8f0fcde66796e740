/** What happens in a store, as events and records describe it: changes, requests, partitions. */

import type { ProblemCode, SandtableError } from "./error.js";
import type { RequestFault } from "./testing.js";

export interface Events {
  /** This or another page changed data. */
  change: ChangeEvent;
  /** A request was answered. */
  request: RequestEvent;
  /** A new version of the worker is installed and waits. */
  update: UpdateEvent;
  /**
   * A problem has started. Each is reported once, and a lasting one also to later
   * listeners. Its code is one of {@link ProblemCode}.
   */
  error: SandtableError;
  /** A reported problem is over. */
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
    /** The table has the contents of a snapshot: read it again. */
    | "tableRestored"
    /** A snapshot of the account was taken, renamed or deleted. */
    | "snapshotsChanged"
    | "accountCreated"
    | "accountChanged"
    | "accountDeleted"
    | "settingsChanged"
    | "faultsChanged"
    /** Events may have been lost: read everything again. */
    | "lost";
  account?: string;
  table?: string;
  partitionKey?: string;
  rowKey?: string;
  /** With the option `values`: the entity, as the body of an Insert Entity request. */
  before?: EntityBody;
  after?: EntityBody;
}

/** An entity in the service's JSON, with types as in `"Total@odata.type": "Edm.Int64"`. */
export type EntityBody = { PartitionKey: string; RowKey: string } & Record<string, string | number | boolean>;

export interface PartitionsOptions {
  /** The least partition key: `next` of the page before. */
  from?: string;
  /** From 1 to 2,000, the default. */
  limit?: number;
}

export interface Partitions {
  /** Whether all numbers were counted. Otherwise those of blocks that are not in memory are estimates. */
  exact: boolean;
  /** The number of partitions from the first of this page to the end of the table. */
  all: number;
  /** Of the whole table. */
  entities: number;
  bytes: number;
  partitions: Partition[];
  /** The first key of the next page. */
  next?: string;
}

export interface Partition {
  key: string;
  entities: number;
  /** As stored, without the partition key. */
  bytes: number;
  /** The row keys are in this range; null if its end is not in memory. */
  firstRowKey: string;
  lastRowKey: string | null;
  /** The numbers include neighbours that are not in memory. */
  estimated?: true;
}

export interface Clock {
  now: string;
  /** Seconds from the real time. */
  offset: number;
}

export interface RequestEvent {
  /** 1, 2, 3… since the engine started. */
  id: number;
  /** The x-ms-request-id of the answer. */
  requestId: string;
  /** The x-ms-client-request-id of the request. */
  clientRequestId?: string;
  /** See `labelled`. */
  label?: string;
  /** The SDK or program that sent it, such as `azsdk-js-data-tables`. */
  source?: string;
  time: string;
  milliseconds: number;
  method: string;
  /** With secrets in the query redacted. */
  url: string;
  /** "" if none was found. */
  operation: string;
  account: string;
  table?: string;
  /** The key of the only partition that the request is about. */
  partition?: string;
  /** 0 if faults cut the connection. */
  status: number;
  /** Of the error, or "". */
  code: string;
  /** Why the request was refused. */
  reason?: string;
  /** What faults did to it. */
  fault?: RequestFault;
  /** The operations of an entity group transaction, each about one entity of `partition`. */
  operations?: { operation: string; rowKey: string }[];
  /** What a query or a Get Entity cost; null for other operations. */
  statistics: RequestStatistics | null;
}

export interface RequestsOptions {
  /** Only requests with greater ids. */
  after?: number;
  /** The maximum number. */
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
  /** The expected string to sign of a refused request, as far as it is known. */
  stringToSign?: string;
}

export interface RequestStatistics {
  /** How the query found its entities. */
  kind: string;
  /** The number of blocks read. */
  blocks: number;
  /** The number of partitions that were read. */
  partitions: number;
  /** The number of entities compared with the filter. */
  examined: number;
  returned: number;
}

export interface UpdateEvent {
  /** Activates the new version for all pages. */
  take(): Promise<void>;
}

export interface RecoveredEvent {
  /** The code of the past error. */
  code: ProblemCode;
}
