// Archives (see engine/archive for the format), from and to the control API. They are
// sent in chunks, so that a large one is never in memory as a whole.

import { abortable } from "./abortable.js";
import { SandtableError, errorOf } from "./errors.js";
import { checkedAccount, idOf, known } from "./options.js";

/** @import { ArchiveSource, Counts, DumpOptions, LoadOptions } from "./sandtable.d.ts" */
/** @import { Control } from "./control.js" */

// The size of a chunk in bytes.
const CHUNK = 1 << 20;

/** @typedef {Counts & {corruption: number, bytes: number, next: string}} Loaded what the control API answers to a chunk */

/**
 * Sends an archive in chunks, which may be cut anywhere: each answer says how much of a
 * chunk was taken, and what to send with the next.
 *
 * @param {Control} control
 * @param {string} target of the load, as the beginning of a query
 * @param {Awaited<ReturnType<typeof openArchive>>} archive
 * @param {Pick<LoadOptions, "onProgress" | "signal">} options
 * @returns {Promise<Counts & {corruption: number}>}
 */
export async function loadArchive(control, target, { stream, total: totalBytes }, { onProgress, signal }) {
  const reader = stream.getReader();
  const broken = (/** @type {unknown} */ cause) => {
    signal?.throwIfAborted();
    throw new SandtableError("Archive", `The archive cannot be read to its end. ${errorOf(cause).message}`, { cause });
  };
  let rest = new Uint8Array(); // read but not yet accepted
  let wanted = CHUNK;
  let place = "";
  let taken = 0;
  try {
    for (;;) {
      const { bytes: chunk, last } = await filled(reader, rest, wanted).catch(broken);
      const query = `${target}chunk=${encodeURIComponent(place)}${last ? "&last=true" : ""}`;
      /** @type {Loaded} */
      const { bytes, next, accounts, tables, entities, corruption } = await control.json("POST", "load?" + query, chunk, signal);
      wanted = bytes === 0 ? 2 * wanted : CHUNK; // a line may be longer than a chunk
      rest = chunk.subarray(bytes);
      taken += bytes;
      place = next;
      onProgress?.({ accounts, tables, entities, bytes: taken, totalBytes });
      if (last) {
        return { accounts, tables, entities, corruption };
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * Reads until there are as many bytes as wanted, or no more.
 *
 * @param {ReadableStreamDefaultReader<Uint8Array>} reader
 * @param {Uint8Array<ArrayBuffer>} rest
 * @param {number} wanted
 */
async function filled(reader, rest, wanted) {
  /** @type {Uint8Array[]} */
  const parts = [rest];
  let length = rest.length;
  while (length < wanted) {
    const { done, value } = await reader.read();
    if (done) {
      return { bytes: joined(parts, length), last: true };
    }
    parts.push(value);
    length += value.length;
  }
  return { bytes: joined(parts, length), last: false };
}

/**
 * @param {Uint8Array[]} parts
 * @param {number} length
 */
function joined(parts, length) {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * Opens the archive; total is its size in bytes, if known.
 *
 * @param {ArchiveSource} source
 * @param {AbortSignal} [signal]
 * @returns {Promise<{stream: ReadableStream<Uint8Array>, total: number | undefined}>}
 */
export async function openArchive(source, signal) {
  if (typeof source === "string" && source.trimStart().startsWith("{")) {
    return openArchive(new Blob([source]));
  }
  if (source instanceof Blob) {
    return { stream: source.stream(), total: source.size };
  }
  if (source instanceof ReadableStream) {
    return { stream: abortable(source, signal), total: undefined };
  }
  if (typeof source !== "string" && !(source instanceof URL)) {
    throw new SandtableError("InvalidOption", "load() takes a Blob, a URL, a stream or an archive's text.");
  }
  let response;
  try {
    response = await fetch(source, { signal });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new SandtableError("Archive", `${source} cannot be fetched.`, { cause });
  }
  const { ok, status, body, headers } = response;
  if (!ok || body === null) {
    body?.cancel().catch(() => {});
    throw new SandtableError("Archive", `${source} cannot be fetched: status ${status}.`, { status });
  }
  const compressed = headers.has("content-encoding");
  return { stream: body, total: compressed ? undefined : Number(headers.get("content-length")) || undefined };
}

/**
 * Reads a dump.
 *
 * @param {Control} control
 * @param {DumpOptions} [options]
 */
export async function dumpArchive(control, options) {
  const { account, snapshot, signal } = known("dump", options, ["account", "snapshot", "signal"]);
  const query = new URLSearchParams();
  if (account !== undefined || snapshot !== undefined) {
    query.set("account", checkedAccount("dump", account));
  }
  if (snapshot !== undefined) {
    query.set("snapshot", idOf("dump", snapshot));
  }
  const answer = await control.request("GET", `dump?${query}`.replace(/\?$/, ""), undefined, signal);
  try {
    return new Blob([await new Response(answer.body).blob()], { type: "application/jsonl" });
  } catch (reason) {
    signal?.throwIfAborted();
    throw new SandtableError("Archive", `The dump is incomplete. ${errorOf(reason).message}`, { cause: reason });
  }
}
