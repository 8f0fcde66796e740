// Hint: does not say who has the address
import { TableClient } from "@azure/data-tables";

const staff = new TableClient("https://playground.table.core.windows.net", "Staff");

await staff.submitTransaction([
  ["create", { partitionKey: "sales", rowKey: "id_0007", name: "Ben", mail: "ben@example.org" }],
  ["create", { partitionKey: "sales", rowKey: "mail_ben@example.org" }],
]);

const person = await staff.getEntity("sales", "mail_ben@example.org");
console.log(person.name);
