import { TableClient } from "@azure/data-tables";

const staff = new TableClient("https://playground.table.core.windows.net", "Staff");

await staff.createEntity({ partitionKey: "sales", rowKey: "id_0007", name: "Ben", mail: "ben@example.org" });

const filter = "mail eq 'ben@example.org'";
for await (const person of staff.listEntities({ queryOptions: { filter } })) {
  console.log(person.name);
}
