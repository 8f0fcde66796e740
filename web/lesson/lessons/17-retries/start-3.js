import { TableClient } from "@azure/data-tables";

const jobs = new TableClient("https://playground.table.core.windows.net", "Jobs", {
  retryOptions: { maxRetries: 5, retryDelayInMs: 20, maxRetryDelayInMs: 100 },
});

for (let i = 1; i <= 40; i++) {
  await jobs.upsertEntity({ partitionKey: "today", rowKey: String(i).padStart(4, "0"), n: i }, "Replace");
}
