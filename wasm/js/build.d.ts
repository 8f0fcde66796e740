// The values that the build fills in when it bundles these modules (see wasm/app).

/** The version of the build: the hash of all its files. */
declare const VERSION: string;
/** The file name of the engine's WebAssembly, which contains its hash. */
declare const PROGRAM: string;
/** The digest of that file, as fetch checks it. */
declare const DIGEST: string;
/** The digests of the app's files, by path, as {@link Shell} takes them. */
declare const FILES: Record<string, string>;
/** The paths of the app's pages. */
declare const PAGES: string[];

/** A style sheet, as text. */
declare module "*.css" {
  const text: string;
  export default text;
}

/** Go's wasm_exec.js as a function of the global object that it uses. */
declare module "wasm_exec" {
  export function loadGo(global: typeof globalThis): new () => Go;
}

/** An object of wasm_exec.js that runs one instance. */
interface Go {
  importObject: WebAssembly.Imports;
  exited: boolean;
  exit(code: number): void;
  run(instance: WebAssembly.Instance): Promise<void>;
  _resume(): void;
  _scheduledTimeouts: Map<number, ReturnType<typeof setTimeout>>;
}

/** Only in Chromium. */
interface WorkerNavigator {
  userAgentData?: unknown;
}
