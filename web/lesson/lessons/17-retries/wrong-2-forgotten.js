// Hint: The error was caught and forgotten
import { TableClient } from "@azure/data-tables";

const jobs = new TableClient("https://playground.table.core.windows.net", "Jobs");

for (let i = 1; i <= 6; i++) {
  try {
    await jobs.upsertEntity({ partitionKey: "today", rowKey: String(i).padStart(4, "0"), n: i }, "Replace");
  } catch {
    console.log("no answer, attempt 1");
  }
}
