// Hint: Two requests can leave one entity
import { TableClient } from "@azure/data-tables";

const staff = new TableClient("https://playground.table.core.windows.net", "Staff");

await staff.createEntity({ partitionKey: "sales", rowKey: "id_0007", name: "Ben", mail: "ben@example.org" });
await staff.submitTransaction([["create", { partitionKey: "sales", rowKey: "mail_ben@example.org", name: "Ben", id: "0007" }]]);

const person = await staff.getEntity("sales", "mail_ben@example.org");
console.log(person.name);
