// A page that writes continuously, like a demo left running. Like an SDK, it
// retries a write that gets 503 with Retry-After.

/** The page's document. */
export const loadPage = "<!doctype html><title>Load</title>";

/**
 * Starts writing into a table; it continues until finish is called.
 *
 * @param {import("puppeteer-core").Page} page controlled by the worker
 * @param {string} table the table's URL
 * @param {string} partition the partition that this page writes to
 * @param {number} lanes the number of concurrent writes
 */
export async function startLoad(page, table, partition, lanes) {
  await page.evaluate(
    (table, partition, lanes) => {
      const load = { written: [], statuses: {}, failures: [], stopped: false };
      const pause = (response) => new Promise((resolve) => setTimeout(resolve, Number(response.headers.get("x-ms-retry-after-ms"))));
      const write = async (row) => {
        for (;;) {
          const body = JSON.stringify({ PartitionKey: partition, RowKey: row });
          const response = await fetch(table, { method: "POST", headers: { "content-type": "application/json", prefer: "return-no-content" }, body });
          await response.arrayBuffer();
          load.statuses[response.status] = (load.statuses[response.status] ?? 0) + 1;
          if (response.status !== 503) {
            load.written.push(row);
            return;
          }
          await pause(response);
        }
      };
      const lane = async (name) => {
        for (let i = 0; !load.stopped; i++) {
          await write(`${name} ${i}`).catch((reason) => load.failures.push(String(reason)));
        }
      };
      load.done = Promise.all(Array.from({ length: lanes }, (_, name) => lane(name)));
      globalThis.load = load;
    },
    table,
    partition,
    lanes,
  );
}

/** Waits until a page has written a few more entities. */
export function moreLoad(page) {
  return page.evaluate(async () => {
    const enough = load.written.length + 20;
    while (load.written.length < enough) {
      await new Promise((resolve) => setTimeout(resolve, 20)); // lets the page write
    }
  });
}

/** Stops writing; returns the written keys, the counts per status and the failures. */
export function finishLoad(page) {
  return page.evaluate(async () => {
    load.stopped = true;
    await load.done;
    const { written, statuses, failures } = load;
    return { written, statuses, failures };
  });
}
