// Hint: loses its job
import { TableClient } from "@azure/data-tables";

const jobs = new TableClient("https://playground.table.core.windows.net", "Jobs", {
  retryOptions: { maxRetries: 0 },
});

for (let i = 1; i <= 12; i++) {
  try {
    await jobs.createEntity({ partitionKey: "today", rowKey: String(i).padStart(4, "0"), n: i });
  } catch {
    console.log("job", i, "failed");
  }
}
