// Hint: its second attempt met itself
import { TableClient } from "@azure/data-tables";

const jobs = new TableClient("https://playground.table.core.windows.net", "Jobs", {
  retryOptions: { maxRetries: 5, retryDelayInMs: 20, maxRetryDelayInMs: 100 },
});

async function retry(write) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      // A status is an answer. Without one, nobody knows what was done.
      if (error.statusCode !== undefined || attempt === 3) throw error;
      console.log("no answer, attempt", attempt);
    }
  }
}

for (let i = 1; i <= 40; i++) {
  await retry(() => jobs.createEntity({ partitionKey: "today", rowKey: String(i).padStart(4, "0"), n: i }));
}
