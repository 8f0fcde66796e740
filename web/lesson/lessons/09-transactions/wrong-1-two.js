// Hint: Your program sent two requests
import { TableClient } from "@azure/data-tables";

const accounts = new TableClient("https://playground.table.core.windows.net", "Accounts");

const alice = await accounts.getEntity("bank", "alice");
const ben = await accounts.getEntity("bank", "ben");

await Promise.all([
  accounts.updateEntity({ ...alice, balance: 70 }, "Merge"),
  accounts.updateEntity({ ...ben, balance: 80 }, "Merge"),
]);
