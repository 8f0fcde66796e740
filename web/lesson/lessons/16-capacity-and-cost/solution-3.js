import { TableClient } from "@azure/data-tables";

const meters = new TableClient("https://playground.table.core.windows.net", "Meters");

const actions = [];
for (let hour = 0; hour < 24; hour++) {
  actions.push(["create", { partitionKey: "m9", rowKey: String(hour).padStart(2, "0"), kwh: 1.5 }]);
}
await meters.submitTransaction(actions);
