import { TableClient, odata } from "@azure/data-tables";
import { start } from "./sandtable.js";

// Fulfilled when this page's requests are answered here.
const sandtable = await start({ accounts: ["shop"] });

// What follows is what it would be with an account in the cloud.
const customers = TableClient.fromConnectionString(await sandtable.connectionString("shop"), "Customers");
await customers.createTable();

// The same table, asked by messages instead of fetches: several times faster.
const reader = TableClient.fromConnectionString(await sandtable.connectionString("shop"), "Customers", { httpClient: sandtable.httpClient });

const list = document.querySelector("ul");
const form = document.querySelector("form");

async function show() {
  const items = [];
  for await (const { name, age } of reader.listEntities({ queryOptions: { filter: odata`PartitionKey eq ${"EU-West"} and age ge 18` } })) {
    const item = document.createElement("li");
    item.textContent = `${name}, ${age}`;
    items.push(item);
  }
  list.replaceChildren(...items);
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, age } = Object.fromEntries(new FormData(form));
  await customers.createEntity({ partitionKey: "EU-West", rowKey: crypto.randomUUID(), name, age: Number(age) });
  form.reset();
  await show();
});

document.querySelector("#look").addEventListener("click", () => sandtable.openExplorer({ account: "shop", table: "Customers" }));

sandtable.on("change", show); // what other tabs write
await show();
document.documentElement.dataset.ready = "";
