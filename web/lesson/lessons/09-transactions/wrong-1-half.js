// Hint: can fail alone, or moves the money twice
import { TableClient } from "@azure/data-tables";

const accounts = new TableClient("https://playground.table.core.windows.net", "Accounts");

const alice = await accounts.getEntity("bank", "alice");
const ben = await accounts.getEntity("bank", "ben");

await accounts.submitTransaction([["update", { ...alice, balance: alice.balance - 30 }, "Merge"]]);
await accounts.updateEntity({ ...ben, balance: ben.balance + 30 }, "Replace");
