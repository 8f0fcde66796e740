// The entities in changes and comparisons: they are bodies of requests, read by
// JSON.parse, for which 5.0 and 5 are the same.

import assert from "node:assert/strict";
import { start } from "../../build/node/node.js";
import { test } from "../lib/test.mjs";

test("an entity of a change or a comparison can be inserted again, with its types", async () => {
  const sandtable = await start();
  const send = async (method, path, body) => {
    const headers = [["accept", "application/json;odata=fullmetadata"], ["content-type", "application/json"], ["if-match", "*"]];
    const { status, bodyAsText } = await sandtable.httpClient.sendRequest({ method, url: sandtable.endpoint() + path, headers: headers.slice(0, method === "DELETE" ? 3 : 2), body: body && JSON.stringify(body) });
    assert.ok(status < 300, bodyAsText);
    return bodyAsText;
  };
  const insert = async (body) => /"Ratio":[^,}]*/.exec(await send("POST", "/Readings", body))[0];
  const remove = () => send("DELETE", "/Readings(PartitionKey='a',RowKey='1')");
  await send("POST", "/Tables", { TableName: "Readings" });
  const removed = new Promise((resolve) => sandtable.on("change", ({ kind, before }) => kind === "deleted" && resolve(before), { values: true }));
  assert.equal(await insert({ PartitionKey: "a", RowKey: "1", "Ratio@odata.type": "Edm.Double", Ratio: 5 }), '"Ratio":5.0');
  const snapshot = await sandtable.snapshot("devstoreaccount1");
  await remove();
  assert.equal(await insert(await removed), '"Ratio":5.0');
  await remove();
  const { first } = await sandtable.snapshots.compare("devstoreaccount1", snapshot);
  assert.equal(await insert(first[0].after), '"Ratio":5.0');
  await sandtable.close();
});
