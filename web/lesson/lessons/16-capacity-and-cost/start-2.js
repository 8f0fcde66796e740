import { TableClient } from "@azure/data-tables";

const meters = new TableClient("https://playground.table.core.windows.net", "Meters");

let sum = 0;
for (let day = 1; day <= 30; day++) {
  const reading = await meters.getEntity("m1", "2026-10-" + String(day).padStart(2, "0"));
  sum += reading.kwh;
}
console.log(sum);
