// Writers that keep a page busy, and a model of what their table has to hold
// whatever happens to the worker and the browser meanwhile.
//
// A page does what it is told: before each request it asks the test process
// what to do next, and says how the one before ended. So what was acknowledged
// is on record outside the browser before anything else is asked for, and of
// each writer at most one request is in doubt.

/** Random numbers from 0 up to 1 that a seed repeats: mulberry32. */
export function randomNumbers(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const rowKeys = 200; // of a partition
const largest = 3000; // characters of an entity's text
const longestBatch = 40;

/**
 * One writer with a partition of its own. Rows are Maps from row key to what
 * the entity holds: {version, text: [version, length], etag}; the text tells
 * which version wrote it, since a merge leaves it alone.
 */
class Writer {
  #partition;
  #random;
  #version = 0;
  #rows = new Map(); // as far as acknowledged
  #after = null; // if the order under way was carried out
  #order = null;
  #stops = 0; // how often the worker had been stopped when it was given

  constructor(partition, random) {
    this.#partition = partition;
    this.#random = random;
  }

  get rows() {
    return this.#rows;
  }

  /** What the page is to do next: changes that are one request, and a transaction if they are many. */
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
   * Takes the answer to the order into account.
   *
   * @returns {"acknowledged" | "repeated" | "unknown"} repeated: refused
   *   because it had been carried out before, perhaps; a browser sends a
   *   request again whose worker was stopped
   */
  answered({ status, etags }, stops) {
    if (status >= 200 && status < 300) {
      this.#order.changes.filter(({ kind }) => kind !== "delete").forEach(({ row }, i) => (this.#after.get(row).etag = etags[i]));
      this.#settle(this.#after);
      return "acknowledged";
    }
    if (stops !== this.#stops && (status === 0 || status === 503)) return "unknown";
    if (stops !== this.#stops && (status === 404 || status === 409)) return "repeated";
    throw new Error(`status ${status} for ${JSON.stringify(this.#order)}`);
  }

  /** Compares what the partition holds with what it has to, and goes on with that. */
  found(rows) {
    const differs = difference(rows, this.#rows);
    const differsAfter = this.#after && difference(rows, this.#after);
    if (differs !== null && differsAfter !== null) {
      const doubt = this.#after ? `; with the ${this.#order.changes.length} changes that nobody acknowledged: ${differsAfter}` : "";
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

/** The first difference in words; null for none. ETags that nobody was told are not compared. */
function difference(found, expected) {
  for (const [row, { version, text, etag }] of expected) {
    const there = found.get(row);
    if (there === undefined) return `row ${row} is missing`;
    if (there.version !== version || String(there.text) !== String(text)) return `row ${row} is ${JSON.stringify(there)}, not version ${version} with text ${text}`;
    if (etag !== null && there.etag !== etag) return `row ${row} has ETag ${there.etag}, not ${etag}`;
  }
  const more = [...found.keys()].find((row) => !expected.has(row));
  return more === undefined ? null : `row ${more} is there`;
}

/** Several writers of one table. */
export class Writers {
  #address;
  #writers = new Map(); // by partition
  #ending = false;
  #failed = null;
  #awaited = null; // {left, resolve, reject}

  counts = { acknowledged: 0, repeated: 0, unknown: 0 };
  stops = 0; // of the worker, counted by the test that stops it

  /**
   * @param {string} address the table's URL
   * @param {number} n how many
   * @param {() => number} random
   */
  constructor(address, n, random) {
    this.#address = address;
    for (let i = 0; i < n; i++) {
      this.#writers.set(`writer ${i}`, new Writer(`writer ${i}`, random));
    }
  }

  /** Puts into a page what the writers need there. They can start once it is done. */
  async install(page) {
    await page.exposeFunction("nextOrder", (partition, report) => this.#next(partition, report));
    await page.evaluate(installTable, this.#address);
  }

  /** Has all of them write in a page. The promise ends with the browser, or when they are told to end. */
  write(page) {
    this.#ending = false;
    return Promise.allSettled([...this.#writers.keys()].map((partition) => page.evaluate((partition) => table.work(partition), partition)));
  }

  /** Lets each writer finish what it is at. */
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

  /** Waits for so many acknowledgements. */
  acknowledgements(left) {
    return new Promise((resolve, reject) => {
      this.#awaited = { left, resolve, reject };
      if (this.#failed) reject(this.#failed);
      if (left <= 0) resolve();
    });
  }

  /** Reads the whole table in a page that has it installed, and compares. Returns the number of entities. */
  async check(page) {
    if (this.#failed) throw this.#failed;
    await page.evaluate(installTable, this.#address);
    const found = rowsOf(await page.evaluate(() => table.read()));
    for (const [partition, writer] of this.#writers) {
      writer.found(found.get(partition) ?? new Map());
      found.delete(partition);
    }
    if (found.size > 0) throw new Error(`nobody wrote ${[...found.keys()]}`);
    return [...this.#writers.values()].reduce((sum, { rows }) => sum + rows.size, 0);
  }
}

/** Rows by partition. */
function rowsOf(list) {
  const partitions = new Map();
  for (const [partition, row, version, text, etag] of list) {
    if (!partitions.has(partition)) partitions.set(partition, new Map());
    partitions.get(partition).set(row, { version, text, etag });
  }
  return partitions;
}

/** Defines `table` in a page. It stands alone, because the page runs its text. */
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

  // One page of a query; asked for again where the worker was stopped.
  async function readPage(query) {
    for (;;) {
      const response = await fetch(`${address}()${query}`, { headers: json }).catch(() => null);
      if (response?.status === 200) return response;
      if (response !== null && response.status !== 503) throw new Error(`query: status ${response.status}: ${await response.text()}`);
    }
  }

  async function read(partition) {
    const rows = [];
    const query = new URLSearchParams(partition === undefined ? {} : { $filter: `PartitionKey eq '${partition}'` });
    for (;;) {
      const response = await readPage(`?${query}`);
      for (const e of (await response.json()).value) {
        // A text that is not what its version wrote is nobody's.
        const text = [e.TextVersion, e.Length];
        rows.push([e.PartitionKey, e.RowKey, e.Version, e.Text === textOf(text) ? text : e.Text, e["odata.etag"]]);
      }
      const next = (name) => response.headers.get(`x-ms-continuation-${name}`);
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
