// An archive (see engine/archive for the format) on its way to the control API:
// in pieces, so that nobody has to hold a large one at once.

// How many bytes are sent at once. A request may have 4 MiB.
const PIECE = 1 << 20;

/**
 * Sends an archive.
 *
 * @param {ReadableStream<Uint8Array>} stream
 * @param {(path: string, piece: Uint8Array) => Promise<object>} post to a path
 *   of the control API; it may be cut anywhere, and the answer says how much
 *   of it was taken and what comes before the next piece
 * @param {(progress: {accounts: number, tables: number, entities: number, bytes: number}) => void} tell
 */
async function loadArchive(stream, post, tell) {
  const reader = stream.getReader();
  let rest = new Uint8Array(); // read, and not taken
  let wanted = PIECE;
  let place = "";
  let bytes = 0;
  let last = false;
  try {
    while (!last) {
      [rest, last] = await filled(reader, rest, wanted);
      const answer = await post(`load?chunk=${encodeURIComponent(place)}${last ? "&last=true" : ""}`, rest);
      // A line that is longer than the piece needs a longer one.
      wanted = answer.bytes === 0 ? 2 * wanted : PIECE;
      rest = rest.subarray(answer.bytes);
      bytes += answer.bytes;
      place = answer.next;
      // The last chunk says how many blocks and records the archive lacks.
      const { accounts, tables, entities, corruption } = answer;
      tell({ accounts, tables, entities, bytes });
      if (last) {
        return { accounts, tables, entities, corruption };
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Reads until there are as many bytes as wanted, or no more; fulfilled with them and whether that was all. */
async function filled(reader, rest, wanted) {
  const parts = [rest];
  let length = rest.length;
  while (length < wanted) {
    const { done, value } = await reader.read();
    if (done) {
      return [joined(parts, length), true];
    }
    parts.push(value);
    length += value.length;
  }
  return [joined(parts, length), false];
}

function joined(parts, length) {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
