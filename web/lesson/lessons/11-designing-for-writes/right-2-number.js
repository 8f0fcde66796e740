import { TableClient } from "@azure/data-tables";

const staff = new TableClient("https://playground.table.core.windows.net", "Staff");

await staff.submitTransaction([
  ["create", { partitionKey: "sales", rowKey: "id_0007", name: "Ben", mail: "ben@example.org" }],
  ["create", { partitionKey: "sales", rowKey: "mail_ben@example.org", id: "0007" }],
]);

const { id } = await staff.getEntity("sales", "mail_ben@example.org");
const person = await staff.getEntity("sales", "id_" + id);
console.log(person.name);
