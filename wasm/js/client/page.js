// What pages import, bundled as sandtable.js.

export { describeError, formatError } from "../service-error.js";
export { SandtableError } from "./errors.js";
export { createClient } from "./port-client.js";
export { start, version } from "./start.js";
