// Writers that keep a page busy, and a model of what their table must contain
// whatever happens to the worker and the browser.
//
// Before each request a page asks the test process for its next order and
// reports the previous outcome. So every acknowledgement is recorded outside the
// browser before the next request, and at most one request per writer is in doubt.

/** Returns a seeded generator of numbers in [0, 1): mulberry32. */
export function randomNumbers(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const rowKeys = 200; // per partition
const largest = 3000; // characters of an entity's text
const longestBatch = 40;

/**
 * A writer with its own partition. Rows are Maps from row key to
 * {version, text: [version, length], etag}; the text names the version that
 * wrote it, because a merge keeps it.
 */
class Writer {
  #partition;
  #random;
  #version = 0;
  #rows = new Map(); // acknowledged state
  #after = null; // state if the current order was carried out
  #order = null;
  #stops = 0; // as in Writers, when the order was given

  constructor(partition, random) {
    this.#partition = partition;
    this.#random = random;
  }

  get rows() {
    return this.#rows;
  }

  /** Returns the page's next order: one change, or several as a transaction. */
  order(stops) {
    const batch = this.#random() < 0.5;
    const changes = new Map();
    for (let left = batch ? 2 + this.#below(longestBatch - 1) : 1; left > 0; left--) {
      const row = String(this.#below(rowKeys));
      changes.set(row, this.#change(row));
    }
    this.#after = new Map(this.#rows);
    for (const change of changes.values()) {
      apply(this.#after, change);
    }
    this.#stops = stops;
    this.#order = { partition: this.#partition, changes: [...changes.values()] };
    return this.#order;
  }

  #below(n) {
    return Math.floor(this.#random() * n);
  }

  #change(row) {
    const kinds = this.#rows.has(row) ? ["replace", "replace", "merge", "delete"] : ["insert"];
    return { kind: kinds[this.#below(kinds.length)], row, version: ++this.#version, length: this.#below(largest) };
  }

  /**
   * Records the response to the current order.
   *
   * @returns {"acknowledged" | "repeated" | "unknown"} repeated: refused, perhaps
   *   because it had already been carried out; a browser resends a request whose
   *   worker was stopped
   */
  answered({ status, etags }, stops) {
    if (status >= 200 && status < 300) {
      this.#order.changes.filter(({ kind }) => kind !== "delete").forEach(({ row }, i) => (this.#after.get(row).etag = etags[i]));
      this.#settle(this.#after);
      return "acknowledged";
    }
    const stopped = stops !== this.#stops || stops % 2 === 1;
    if (stopped && (status === 0 || status === 503)) return "unknown";
    if (stopped && (status === 404 || status === 409)) return "repeated";
    throw new Error(`status ${status} for ${JSON.stringify(this.#order)}`);
  }

  /** Checks the stored rows against both possible states, and continues from them. */
  found(rows) {
    const differs = difference(rows, this.#rows);
    const differsAfter = this.#after && difference(rows, this.#after);
    if (differs !== null && differsAfter !== null) {
      const doubt = this.#after ? `; with the ${this.#order.changes.length} unacknowledged changes: ${differsAfter}` : "";
      throw new Error(`partition ${this.#partition}: ${differs}${doubt}`);
    }
    this.#settle(rows);
  }

  #settle(rows) {
    this.#rows = rows;
    this.#after = this.#order = null;
  }
}

function apply(rows, { kind, row, version, length }) {
  if (kind === "delete") {
    rows.delete(row);
  } else {
    rows.set(row, { version, text: kind === "merge" ? rows.get(row).text : [version, length], etag: null });
  }
}

/** Describes the first difference, or returns null. Unknown ETags are not compared. */
function difference(found, expected) {
  for (const [row, { version, text, etag }] of expected) {
    const there = found.get(row);
    if (there === undefined) return `row ${row} is missing`;
    if (there.version !== version || String(there.text) !== String(text)) return `row ${row} is ${JSON.stringify(there)}, not version ${version} with text ${text}`;
    if (etag !== null && there.etag !== etag) return `row ${row} has ETag ${there.etag}, not ${etag}`;
  }
  const more = [...found.keys()].find((row) => !expected.has(row));
  return more === undefined ? null : `row ${more} is unexpected`;
}

/** The writers of one table. */
export class Writers {
  #address;
  #writers = new Map(); // by partition
  #ending = false;
  #failed = null;
  #awaited = null; // {left, resolve, reject}

  counts = { acknowledged: 0, repeated: 0, unknown: 0 };
  stops = 0; // beginnings and ends of worker stops, counted by the test: odd during one

  /**
   * @param {string} address the table's URL
   * @param {number} n the number of writers
   * @param {() => number} random
   */
  constructor(address, n, random) {
    this.#address = address;
    for (let i = 0; i < n; i++) {
      this.#writers.set(`writer ${i}`, new Writer(`writer ${i}`, random));
    }
  }

  /** Installs the writers' code in a page. */
  async install(page) {
    await page.exposeFunction("nextOrder", (partition, report) => this.#next(partition, report));
    await page.evaluate(installTable, this.#address);
  }

  /** Runs all writers in a page until finish is called or the browser ends. */
  write(page) {
    this.#ending = false;
    return Promise.allSettled([...this.#writers.keys()].map((partition) => page.evaluate((partition) => table.work(partition), partition)));
  }

  /** Lets each writer finish its current order. */
  end() {
    this.#ending = true;
  }

  #next(partition, report) {
    try {
      const writer = this.#writers.get(partition);
      if (report?.rows) {
        writer.found(rowsOf(report.rows).get(partition) ?? new Map());
      } else if (report) {
        const outcome = writer.answered(report, this.stops);
        this.#count(outcome);
        if (outcome !== "acknowledged") return { partition, read: true };
      }
      return this.#ending || this.#failed ? null : writer.order(this.stops);
    } catch (error) {
      this.#failed ??= error;
      this.#awaited?.reject(error);
      return null;
    }
  }

  #count(outcome) {
    this.counts[outcome]++;
    if (outcome === "acknowledged" && this.#awaited && --this.#awaited.left <= 0) {
      this.#awaited.resolve();
    }
  }

  /** Waits for a number of further acknowledgements. */
  acknowledgements(left) {
    return new Promise((resolve, reject) => {
      this.#awaited = { left, resolve, reject };
      if (this.#failed) reject(this.#failed);
      if (left <= 0) resolve();
    });
  }

  /** Reads the whole table through a page and compares it with the model. Returns the number of entities. */
  async check(page) {
    if (this.#failed) throw this.#failed;
    await page.evaluate(installTable, this.#address);
    const found = rowsOf(await page.evaluate(() => table.read()));
    for (const [partition, writer] of this.#writers) {
      writer.found(found.get(partition) ?? new Map());
      found.delete(partition);
    }
    if (found.size > 0) throw new Error(`unexpected partitions: ${[...found.keys()]}`);
    return [...this.#writers.values()].reduce((sum, { rows }) => sum + rows.size, 0);
  }
}

/** Groups rows by partition. */
function rowsOf(list) {
  const partitions = new Map();
  for (const [partition, row, version, text, etag] of list) {
    if (!partitions.has(partition)) partitions.set(partition, new Map());
    partitions.get(partition).set(row, { version, text, etag });
  }
  return partitions;
}

/** Defines `table` in a page. The page runs the function's source, so it captures nothing. */
function installTable(address) {
  const json = { accept: "application/json;odata=minimalmetadata", "content-type": "application/json", prefer: "return-no-content" };
  const textOf = ([version, length]) => `${version} `.repeat(Math.ceil(length / 2)).slice(0, length);

  function requestOf(partition, { kind, row, version, length }) {
    const url = `${address}(PartitionKey='${encodeURIComponent(partition)}',RowKey='${row}')`;
    const changed = { PartitionKey: partition, RowKey: row, Version: version, Length: length };
    const whole = { ...changed, TextVersion: version, Text: textOf([version, length]) };
    switch (kind) {
      case "insert":
        return [address, { method: "POST", headers: json, body: JSON.stringify(whole) }];
      case "replace":
        return [url, { method: "PUT", headers: { ...json, "if-match": "*" }, body: JSON.stringify(whole) }];
      case "merge":
        return [url, { method: "MERGE", headers: { ...json, "if-match": "*" }, body: JSON.stringify({ Version: version }) }];
      case "delete":
        return [url, { method: "DELETE", headers: { ...json, "if-match": "*" } }];
    }
  }

  function batchOf(partition, changes) {
    const lines = ["--batch", "Content-Type: multipart/mixed; boundary=changes", ""];
    for (const change of changes) {
      const [url, { method, headers, body }] = requestOf(partition, change);
      lines.push("--changes", "Content-Type: application/http", "Content-Transfer-Encoding: binary", "", `${method} ${url} HTTP/1.1`);
      lines.push(...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", body ?? "");
    }
    lines.push("--changes--", "--batch--", "");
    const headers = { "content-type": "multipart/mixed; boundary=batch", accept: "application/json" };
    return [new URL("$batch", address).href, { method: "POST", headers, body: lines.join("\r\n") }];
  }

  async function perform({ partition, changes }) {
    const batch = changes.length > 1;
    try {
      const response = await fetch(...(batch ? batchOf(partition, changes) : requestOf(partition, changes[0])));
      const text = await response.text();
      if (!batch) return { status: response.status, etags: [response.headers.get("etag")] };
      const refused = /^HTTP\/1\.1 ([45]\d\d)/m.exec(text);
      return { status: refused ? Number(refused[1]) : response.status, etags: [...text.matchAll(/^ETag: (.*)\r$/gim)].map(([, etag]) => etag) };
    } catch {
      return { status: 0, etags: [] }; // the worker was stopped
    }
  }

  // Reads one page of a query; retries if the worker was stopped, perhaps within an answer.
  async function readPage(query) {
    for (;;) {
      const page = await fetch(`${address}()${query}`, { headers: json })
        .then(async (response) => ({ response, text: await response.text() }))
        .catch(() => null);
      if (page?.response.status === 200) return { entities: JSON.parse(page.text).value, headers: page.response.headers };
      if (page !== null && page.response.status !== 503) throw new Error(`query: status ${page.response.status}: ${page.text}`);
    }
  }

  async function read(partition) {
    const rows = [];
    const query = new URLSearchParams(partition === undefined ? {} : { $filter: `PartitionKey eq '${partition}'` });
    for (;;) {
      const { entities, headers } = await readPage(`?${query}`);
      for (const e of entities) {
        // Report the raw text if no version wrote it.
        const text = [e.TextVersion, e.Length];
        rows.push([e.PartitionKey, e.RowKey, e.Version, e.Text === textOf(text) ? text : e.Text, e["odata.etag"]]);
      }
      const next = (name) => headers.get(`x-ms-continuation-${name}`);
      if (next("NextPartitionKey") === null) return rows;
      for (const name of ["NextPartitionKey", "NextRowKey"]) {
        query.set(name, next(name));
      }
    }
  }

  async function work(partition) {
    let order = await nextOrder(partition, null);
    while (order !== null) {
      const report = order.read ? { rows: await read(partition) } : await perform(order);
      order = await nextOrder(partition, report);
    }
  }

  globalThis.table = { read, work };
}
