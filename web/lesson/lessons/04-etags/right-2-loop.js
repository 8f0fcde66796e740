import { TableClient } from "@azure/data-tables";

const counters = new TableClient("https://playground.table.core.windows.net", "Counters");

// Two visitors arrive at the same time: both read the same version.
let mine = await counters.getEntity("page", "visits");
const theirs = await counters.getEntity("page", "visits");

await counters.updateEntity({ ...theirs, count: theirs.count + 1 }, "Replace", { etag: theirs.etag });
for (;;) {
  try {
    await counters.updateEntity({ ...mine, count: mine.count + 1 }, "Replace", { etag: mine.etag });
    break;
  } catch (error) {
    if (error.statusCode !== 412) throw error;
  }
  for await (const fresh of counters.listEntities()) mine = fresh;
}
