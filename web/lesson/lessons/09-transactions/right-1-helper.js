import { TableClient, TableTransaction } from "@azure/data-tables";

const accounts = new TableClient("https://playground.table.core.windows.net", "Accounts");

const transaction = new TableTransaction();
transaction.updateEntity({ partitionKey: "bank", rowKey: "alice", balance: 70 }, "Merge");
transaction.upsertEntity({ partitionKey: "bank", rowKey: "ben", balance: 80 }, "Replace");
await accounts.submitTransaction(transaction.actions);
