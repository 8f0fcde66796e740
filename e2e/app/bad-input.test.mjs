// Invalid requests get the service's error codes.

import assert from "node:assert/strict";
import { test } from "../lib/test.mjs";
import { request } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const address = "https://devstoreaccount1.table.core.windows.net";
const headers = { "content-type": "application/json", accept: "application/json;odata=minimalmetadata" };

const here = visit(async ({ page }) => {
  const created = await request(page, `${address}/Tables`, { method: "POST", headers, body: `{"TableName":"Input"}` });
  assert.equal(created.status, 201, created.text);
});

const post = (body) => ({ method: "POST", headers, body });
const entity = (properties) => post(JSON.stringify({ PartitionKey: "p", RowKey: "r", ...properties }));

const cases = [
  ["malformed JSON", "Input", post(`{"PartitionKey":`), 400, "InvalidInput"],
  ["an unknown type", "Input", entity({ "A@odata.type": "Edm.Complex", A: "1" }), 400],
  ["a value that does not fit its type", "Input", entity({ "A@odata.type": "Edm.Int64", A: "many" }), 400, "InvalidInput"],
  ["no keys", "Input", post(`{"A":1}`), 400, "PropertiesNeedValue"],
  ["a key that is too long", "Input", entity({ RowKey: "x".repeat(2000) }), 400],
  ["a key with a slash", "Input", entity({ RowKey: "a/b" }), 400],
  ["an invalid table name", "Tables", post(`{"TableName":"-"}`), 400],
  ["a malformed filter", "Input()?$filter=A%20is%201", { headers }, 400, "InvalidInput"],
  ["a missing table", "Missing()", { headers }, 404, "TableNotFound"],
  ["a missing entity", "Input(PartitionKey='p',RowKey='none')", { headers }, 404, "ResourceNotFound"],
  ["a malformed path", "Input(PartitionKey='p'", { headers }, 400],
  ["a stray percent sign", "Input(PartitionKey='%',RowKey='%zz')", { headers }, 400],
  ["an unsupported method", "Input(PartitionKey='p',RowKey='r')", { method: "POST", headers, body: "{}" }, 405],
  ["a body over 4 MiB", "Input", entity({ A: "x".repeat((4 << 20) + 1) }), 413, "RequestBodyTooLarge"],
  ["a malformed transaction", "$batch", { method: "POST", headers: { ...headers, "content-type": "multipart/mixed; boundary=b" }, body: "--b\r\n\r\nnothing" }, 400],
];

for (const [name, path, options, status, code] of cases) {
  test(`${name} is refused with the service's error`, async () => {
    const answer = await request(here.page, `${address}/${path}`, options);
    assert.equal(answer.status, status, answer.text);
    const error = JSON.parse(answer.text)["odata.error"];
    assert.equal(error.message.lang, "en-US");
    if (code !== undefined) {
      assert.equal(error.code, code);
    }
  });
}

test("no refused request stored anything", async () => {
  const { text } = await request(here.page, `${address}/Input()`, { headers });
  assert.deepEqual(JSON.parse(text).value, []);
});
