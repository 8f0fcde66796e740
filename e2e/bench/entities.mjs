// The entities of the load, the same as in e2e/peers: 500 per partition, seven
// properties of six types, and a rank that ten of 100,000 share.

/**
 * Defines `load` in a page, which creates entities and sends requests. Pages run
 * the function's source, so it captures nothing.
 *
 * @param {string} endpoint the account's URL without a trailing slash
 */
export function installLoad(endpoint) {
  const json = { accept: "application/json;odata=nometadata", "content-type": "application/json", prefer: "return-no-content" };
  const digits = (n, width) => String(n).padStart(width, "0");
  const partition = (n) => "p" + digits(Math.floor(n / 500), 5);

  /** The n-th entity, as a plain object. */
  function entity(n) {
    return {
      PartitionKey: partition(n),
      RowKey: "r" + digits(n, 7),
      Name: `Customer number ${n}`,
      City: "Springfield",
      Rank: n % 10_000,
      Price: (n % 1000) + 0.25,
      Stock: n * 1_000_003,
      Active: n % 2 === 0,
      Since: new Date(Date.UTC(2024, 2, (n % 28) + 1, 12)),
    };
  }

  /** The same as request JSON. */
  function body(n) {
    const e = entity(n);
    return JSON.stringify({ ...e, "Stock@odata.type": "Edm.Int64", Stock: String(e.Stock), "Since@odata.type": "Edm.DateTime" });
  }

  const key = (n) => `(PartitionKey='${partition(n)}',RowKey='r${digits(n, 7)}')`;

  /** Requests by name: [url, options, status] for the n-th entity. */
  const requests = {
    create: (table) => [`${endpoint}/Tables`, { method: "POST", headers: json, body: JSON.stringify({ TableName: table }) }, 204],
    insert: (table, n) => [`${endpoint}/${table}`, { method: "POST", headers: json, body: body(n) }, 204],
    replace: (table, n) => [`${endpoint}/${table}${key(n)}`, { method: "PUT", headers: json, body: body(n) }, 204],
    read: (table, n) => [`${endpoint}/${table}${key(n)}`, { headers: json }, 200],
    miss: (table, n) => [`${endpoint}/${table}${key(n)}`, { headers: json }, 404],
    partition: (table, n) => [`${endpoint}/${table}()?$filter=PartitionKey eq '${partition(n)}'`, { headers: json }, 200],
    rank: (table, n) => [`${endpoint}/${table}()?$filter=Rank eq ${n % 10_000}`, { headers: json }, 200],
    // The first thousand of 10,000 entities, which is one page.
    range: (table, n) => [`${endpoint}/${table}()?$filter=PartitionKey ge '${partition(n * 10_000)}'`, { headers: json }, 200],
    batch: (table, from, count) => {
      const lines = ["--batch", "Content-Type: multipart/mixed; boundary=changes", ""];
      for (let n = from; n < from + count; n++) {
        lines.push("--changes", "Content-Type: application/http", "Content-Transfer-Encoding: binary", "");
        lines.push(`POST ${endpoint}/${table} HTTP/1.1`, "Content-Type: application/json", "Accept: application/json", "Prefer: return-no-content", "", body(n));
      }
      lines.push("--changes--", "--batch--", "");
      const headers = { "content-type": "multipart/mixed; boundary=batch" };
      return [`${endpoint}/$batch`, { method: "POST", headers, body: lines.join("\r\n") }, 202];
    },
    constant: () => ["measured", {}, 200],
    append: (_, n) => ["measured", { method: "POST", body: body(n) }, 200],
  };

  /** Sends a request; returns the response's text. */
  async function send(name, ...args) {
    const [url, options, status] = requests[name](...args);
    const response = await fetch(url, options);
    const text = await response.text();
    if (response.status !== status || (name === "batch" && !text.includes("HTTP/1.1 204"))) {
      throw new Error(`${name} ${args}: status ${response.status}: ${text}`);
    }
    return text;
  }

  /** Sends one request per number, some concurrently; returns the milliseconds of each. */
  async function times(name, table, numbers, atOnce = 1) {
    const took = [];
    const next = numbers.values();
    const sender = async () => {
      for (const n of next) {
        const start = performance.now();
        await send(name, table, n);
        took.push(performance.now() - start);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sender));
    return took;
  }

  /** Inserts entities in transactions of 100 from four writers; returns the total milliseconds. */
  async function fill(table, from, to) {
    const start = performance.now();
    let next = from;
    const writer = async () => {
      while (next < to) {
        const n = next;
        next += 100;
        await send("batch", table, n, Math.min(100, to - n));
      }
    };
    await Promise.all(Array.from({ length: 4 }, writer));
    return performance.now() - start;
  }

  /** Reads entities with smaller numbers one by one until a promise settles; returns the milliseconds of each. */
  async function readWhile(table, below, promise) {
    let done = false;
    promise.finally(() => (done = true));
    const took = [];
    for (let n = 7919; !done; n += 7919) {
      took.push(...(await times("read", table, [n % below])));
    }
    await promise;
    return took;
  }

  globalThis.load = { entity, send, times, fill, readWhile };
}
