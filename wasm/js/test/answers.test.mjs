import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOf, broken, busy, headOf, responseOf } from "../answers.js";


test("a request's head contains method, URL and headers", () => {
  const request = new Request("https://a/T", { headers: { "x-ms-date": "Fri, 20 Nov 2026 21:00:00 GMT", Accept: "*/*" } });
  assert.equal(headOf(request), "GET https://a/T\naccept:*/*\nx-ms-date:Fri, 20 Nov 2026 21:00:00 GMT");
});

test("a body is bytes, or null if absent", async () => {
  const post = (body) => new Request("https://a/", { method: "POST", body });
  assert.deepEqual(await bodyOf(post("é")), new Uint8Array([0xc3, 0xa9]));
  assert.equal(await bodyOf(post("")), null);
  assert.equal(await bodyOf(new Request("https://a/")), null);
  assert.equal(await bodyOf(new Request("https://a/", { method: "DELETE" })), null);
});

test("a response has status, headers and body", async () => {
  const response = responseOf({ status: 201, head: "ETag:W/\"datetime'2026'\"\nX-Two:1\nX-Two:2\nX-Empty:", body: new Uint8Array([104, 105]) });
  assert.equal(response.status, 201);
  assert.equal(response.headers.get("etag"), "W/\"datetime'2026'\"");
  assert.equal(response.headers.get("x-two"), "1, 2");
  assert.equal(response.headers.get("x-empty"), "");
  assert.equal(await response.text(), "hi");
});

test("a response without a status is a network error", () => {
  assert.equal(responseOf({ status: 0, head: "", body: null }).type, "error");
});

for (const status of [204, 205, 304]) {
  test(`a response of ${status} has no body`, () => {
    const response = responseOf({ status, head: "", body: null });
    assert.equal(response.status, status);
    assert.equal(response.body, null);
  });
}

test("a busy response has the service's form and Retry-After", async () => {
  const response = responseOf(busy("Starting."));
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("retry-after"), "1");
  assert.ok(Number(response.headers.get("x-ms-retry-after-ms")) > 0);
  const { "odata.error": error } = await response.json();
  assert.equal(error.code, "ServerBusy");
  assert.match(error.message.value, /Starting\.$/);
});

test("a response to a failure has no Retry-After", async () => {
  const response = responseOf(broken("Why."));
  assert.equal(response.status, 500);
  assert.equal(response.headers.get("retry-after"), null);
  assert.equal((await response.json())["odata.error"].code, "InternalError");
});
