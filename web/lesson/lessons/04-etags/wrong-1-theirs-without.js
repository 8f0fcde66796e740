// Hint: could overwrite somebody as well
import { TableClient } from "@azure/data-tables";

const counters = new TableClient("https://playground.table.core.windows.net", "Counters");

// Two visitors arrive at the same time: both read the same version.
const mine = await counters.getEntity("page", "visits");
const theirs = await counters.getEntity("page", "visits");

await counters.updateEntity({ ...theirs, count: theirs.count + 1 }, "Merge");
await counters.updateEntity({ ...mine, count: mine.count + 1 }, "Merge", { etag: mine.etag });
