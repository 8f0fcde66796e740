// Hint: Two digits work up to 99
import { TableClient } from "@azure/data-tables";

const scores = new TableClient("https://playground.table.core.windows.net", "Scores");

await scores.createTable();
for (let level = 1; level <= 12; level++) {
  await scores.upsertEntity({ partitionKey: "game", rowKey: String(level).padStart(2, "0"), points: level * 100 });
}

for await (const score of scores.listEntities()) {
  console.log(score.rowKey, score.points);
}
