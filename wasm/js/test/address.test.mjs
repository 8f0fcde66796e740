import assert from "node:assert/strict";
import { test } from "node:test";
import { addressed } from "../address.js";

const root = "https://sandtable.example/";
const folder = "https://someone.github.io/sandtable/";

const accounts = [
  ["https://devstoreaccount1.table.core.windows.net/Tables", "devstoreaccount1"],
  ["https://devstoreaccount1.table.core.windows.net", "devstoreaccount1"],
  ["https://DevStoreAccount1.Table.Core.Windows.Net/", "devstoreaccount1"],
  ["http://devstoreaccount1.table.core.windows.net/", "devstoreaccount1"],
  ["https://abc-secondary.table.core.windows.net/?comp=stats", "abc"],
  ["https://abc.table.core.chinacloudapi.cn/", "abc"],
  ["https://abc.table.core.usgovcloudapi.net/", "abc"],
  ["https://abc.table.core.cloudapi.de/", "abc"],
  ["https://abc.table.cosmosdb.azure.com/", "abc"],
  ["https://abc.table.cosmos.azure.com/", "abc"],
  ["http://127.0.0.1:10002/devstoreaccount1", "devstoreaccount1"],
  ["http://127.0.0.1:10002/devstoreaccount1/T(PartitionKey='a',RowKey='b')", "devstoreaccount1"],
  ["http://127.0.0.1:10002/devstoreaccount1-secondary/", "devstoreaccount1"],
  ["http://localhost:10002/devstoreaccount1/Tables?$top=1", "devstoreaccount1"],
];

for (const [url, account] of accounts) {
  test(`${url} is ${account}'s`, () => {
    assert.deepEqual(addressed(url, root), { account, path: "" });
  });
}

const foreign = [
  "https://sandtable.example/",
  "https://sandtable.example/table",
  "https://sandtable.example/tables/devstoreaccount1/",
  "https://sandtable.example/app.js?x=/table/",
  "https://other.example/table/devstoreaccount1/Tables",
  "https://devstoreaccount1.blob.core.windows.net/",
  "https://table.core.windows.net/",
  "https://ab.table.core.windows.net/",
  "https://a-b.table.core.windows.net/",
  "https://abc.table.core.windows.net:444/",
  "https://abc.table.core.windows.net.example.com/",
  "https://x.abc.table.core.windows.net/",
  "https://example.com/abc.table.core.windows.net/",
  "ftp://abc.table.core.windows.net/",
  "https://127.0.0.1:10002/devstoreaccount1/",
  "http://127.0.0.1:10000/devstoreaccount1/",
  "http://127.0.0.1:10002/",
  "http://127.0.0.1:10002/Ab/",
  "data:text/plain,abc",
  "blob:https://sandtable.example/1",
  "http://127.0.0.1:10002/devstoreaccount1/Tables#network",
  "https://abc.table.core.windows.net/Tables?$top=1#network",
  "https://sandtable.example/table/devstoreaccount1/Tables#network",
];

for (const url of foreign) {
  test(`${url} is not the service's`, () => {
    assert.equal(addressed(url, root), null);
  });
}

test("paths on the page's own origin are always ours", () => {
  for (const path of ["table/devstoreaccount1/Tables", "table/", "_sandtable/status"]) {
    assert.deepEqual(addressed(root + path, root), { account: null, path });
  }
});

test("paths are ours below the folder that the app is in", () => {
  assert.deepEqual(addressed(folder + "table/abc/T()?$top=1", folder), { account: null, path: "table/abc/T()?$top=1" });
  assert.equal(addressed("https://someone.github.io/table/abc/Tables", folder), null);
});
