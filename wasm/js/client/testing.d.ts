/** What tests and lessons use: faults, and what is expected of requests. */

import type { RecordedRequest } from "./events.js";

/** Requests to one account that fail on purpose. They are in memory only, and off until they are set. */
export interface Faults {
  /**
   * Replaces the rules of an account, by default `devstoreaccount1`, and counts from the
   * start: with the same seed and the same requests in the same order, the same ones fail.
   */
  set(account: string | undefined, options: FaultOptions): Promise<FaultState>;
  get(account?: string): Promise<FaultState>;
  /** Switches all rules on or off. They keep their counts. */
  switch(account: string | undefined, on: boolean): Promise<FaultState>;
  /** Counts from the start, so that a run can be repeated. */
  reset(account?: string): Promise<FaultState>;
  /** Removes the rules. */
  clear(account?: string): Promise<void>;
}

export interface FaultOptions {
  /** A whole number. Default: 0. */
  seed?: number;
  /** Tried from the first to the last. The first that fails a request decides; latencies add up. */
  rules: ReadonlyArray<FaultRule>;
  /** Default: true. */
  on?: boolean;
  /** Rules that were there before continue counting. */
  keepCounts?: boolean;
}

export interface FaultRule {
  /** Default: true. */
  on?: boolean;
  /** `any` (the default), `any read`, `any write`, or a name such as `Insert Entity`. */
  operation?: string;
  /** The only table. */
  table?: string;
  effect: FaultEffect;
  /** A probability above 0, up to 1. */
  share?: number;
  /** Each n-th of the requests that the rule sees. Without a share the default is 1. */
  every?: number;
  /** Of a latency, in milliseconds up to 30,000: half of the delays are shorter. */
  median?: number;
  /** 99 of 100 delays are shorter. Default: the median, which makes the delay constant. */
  p99?: number;
  /** What a throttle lets pass. */
  entitiesPerSecond?: number;
  /** Of a throttle. Default: `partition`. */
  per?: "partition" | "account";
  /** The rule ends after so many hits, or at this time. */
  hits?: number;
  until?: Date | string;
}

export type FaultEffect =
  /** 503; nothing is done. */
  | "ServerBusy"
  /** 500; nothing is done. */
  | "OperationTimedOut"
  /** The connection is closed; nothing is done. */
  | "connectionCut"
  /** Everything is done, then the connection is closed. */
  | "answerLost"
  | "latency"
  /** 503 for what exceeds a rate. */
  | "throttle"
  /** The secondary endpoint keeps answering with the data as it was when the rule was set, switched on or last reset. */
  | "staleSecondary";

export interface FaultState {
  on: boolean;
  seed: number;
  /** The requests to the account while the rules were on, and how many of them failed. */
  requests: number;
  failed: number;
  rules: (FaultRule & FaultCounts)[];
}

export interface FaultCounts {
  /** The requests that the rule is about. */
  seen: number;
  /** Those that it failed or delayed. */
  hit: number;
}

/** What faults did to a request. */
export interface RequestFault {
  /** The number of the rule at that time; the first is 1. */
  rule: number;
  effect: FaultEffect;
  /** In milliseconds. */
  delay: number;
}

/** The requests since `expectRequests` was called. */
export interface Expectation {
  /** Returns them, oldest first. */
  requests(): Promise<RecordedRequest[]>;
  /** Whether they are exactly these, in this order; otherwise rejects and says what differs. */
  toBe(expected: ReadonlyArray<ExpectedRequest>): Promise<RecordedRequest[]>;
  /** Whether one of them is like this, or as many as `times`. Returns those. */
  toInclude(expected: ExpectedRequest & { times?: number }): Promise<RecordedRequest[]>;
  /** Whether none of them is like this. */
  notToInclude(expected: ExpectedRequest): Promise<void>;
}

/**
 * What a request is compared with; members that are missing can be anything. A method,
 * operation or plan that does not exist is refused with `InvalidOption`.
 */
export interface ExpectedRequest {
  /** In capitals, such as `GET`. */
  method?: string;
  /** By its name in the service's reference, such as `Query Entities`; "" if none was found. */
  operation?: string;
  account?: string;
  table?: string;
  status?: number;
  code?: string;
  label?: string;
  /** What was read. */
  plan?: "point" | "row range" | "partition scan" | "table scan";
  /** How many entities were compared with the filter, and returned. */
  examined?: number;
  returned?: number;
}

/** What an error of the SDK says. */
export interface ErrorDescription {
  /** The error's name, such as `RestError`. */
  name: string;
  /** The service's words, without its RequestId and Time. */
  message: string;
  /** The service's code, such as `EntityAlreadyExists`, or that of the network error; "" if there is none. */
  code: string;
  /** The status of the answer, 0 for none. */
  status: number;
}

/**
 * Returns what an error says: the SDK leaves `code` empty and puts the service's answer,
 * which is JSON, into `message`.
 */
export function describeError(error: unknown): ErrorDescription;

/** Returns an error in one line, such as `RestError (409 EntityAlreadyExists): The specified entity already exists.` */
export function formatError(error: unknown): string;
