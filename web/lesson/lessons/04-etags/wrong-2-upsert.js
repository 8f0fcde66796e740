// Hint: an upsert are no help
import { TableClient } from "@azure/data-tables";

const counters = new TableClient("https://playground.table.core.windows.net", "Counters");

// Two visitors arrive at the same time: both read the same version.
const mine = await counters.getEntity("page", "visits");
const theirs = await counters.getEntity("page", "visits");

await counters.updateEntity({ ...theirs, count: theirs.count + 1 }, "Merge", { etag: theirs.etag });
try {
  await counters.updateEntity({ ...mine, count: mine.count + 1 }, "Merge", { etag: mine.etag });
} catch (error) {
  if (error.statusCode !== 412) throw error;
  const fresh = await counters.getEntity("page", "visits");
  await counters.upsertEntity({ ...fresh, count: fresh.count + 1 }, "Merge");
}
