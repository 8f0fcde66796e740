/** Code in a sandbox: what it may reach, and what a run of it reports. */

export interface ConnectOptions {
  /** The accounts that requests may be for. Default: none. */
  accounts?: ReadonlyArray<string>;
  /**
   * The operations that requests may be, by their names in the service's reference,
   * such as `Query Entities`; an entity group transaction and each operation in it count.
   * Default: all.
   */
  operations?: ReadonlyArray<string>;
}

export interface SandboxOptions extends ConnectOptions {
  /** Names the requests of its programs, as `labelled` does. */
  label?: string;
  limits?: Partial<SandboxLimits>;
}

/** What one run may use. It is ended when it exceeds a limit; requests over `body` and `pending` fail. */
export interface SandboxLimits {
  /** Characters of the program, by default 1,000,000. A longer one fails before it is read. */
  code: number;
  /** Milliseconds from the start of the program, by default 10,000. */
  time: number;
  /** Lines of output, by default 1,000. */
  lines: number;
  /** Characters of output, by default 1,000,000. Lines have no `values` once these have taken twice as many. */
  text: number;
  /** By default 2,000. */
  requests: number;
  /** Requests at the same time, by default 64. */
  pending: number;
  /** Bytes of one request or answer, by default 8 MB. */
  body: number;
  /** Of any kind, by default 10,000. */
  messages: number;
  /** Of all messages, by default 32 MB. */
  bytes: number;
}

export interface Sandbox {
  /**
   * Runs a program, which may import `@azure/data-tables` and nothing else, and use
   * `fetch` and `console`. `https://ACCOUNT.table.core.windows.net` works unchanged.
   */
  run(code: string, listener?: SandboxListener): SandboxRun;
}

/** What a run reports, in order. All texts are a stranger's: show them as text. */
export interface SandboxListener {
  /** The line is that of the code, 0 if it is not known. The values are those in the text, with their members; null if all are strings. */
  log?(level: "log" | "warn" | "error", text: string, line: number, values: ShownValue[] | null): void;
  table?(table: { columns: string[]; rows: string[][] }, line: number): void;
  clear?(): void;
}

/** A value as a console shows it: of bounded depth, size and number of members. */
export interface ShownValue {
  /** In one line. */
  text: string;
  /** Of a member: its key. */
  name?: string;
  kind?: "string" | "number" | "boolean" | "date" | "none";
  /** Absent if it cannot be opened. */
  members?: ShownValue[];
  /** How many members are left out. */
  more?: number;
}

export interface SandboxRun {
  /** Rejected only if the sandbox's files are missing, or close() was called before. */
  readonly ended: Promise<SandboxEnd>;
  /** Ends the program, whatever it does. */
  stop(): void;
}

export interface SandboxEnd {
  /** `time` and `limit`: it exceeded one of the limits. */
  outcome: "finished" | "failed" | "stopped" | "time" | "limit";
  /** What to say about it, or "". */
  message: string;
  /** Why it failed. */
  failure: { name: string; message: string; code: string; status: number; line: number; column?: number } | null;
  milliseconds: number;
  requests: number;
}
