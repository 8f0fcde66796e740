import { TableClient } from "@azure/data-tables";

const scores = new TableClient("https://demo.table.core.windows.net", "Scores");
await scores.upsertEntity({ partitionKey: "level-1", rowKey: "ada", points: 4200 });

const filter = "PartitionKey eq 'level-1' and points ge 4000";
for await (const score of scores.listEntities({ queryOptions: { filter } })) {
  console.log(score.rowKey, score.points);
}
