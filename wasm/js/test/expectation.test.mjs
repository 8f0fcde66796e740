import assert from "node:assert/strict";
import { test } from "node:test";
import { Expectation } from "../client/expectation.js";
import { HttpClient } from "../client/http-client.js";
import { describeError, formatError } from "../service-error.js";

const insert = { method: "POST", url: "https://a.table.core.windows.net/Orders", operation: "Insert Entity", account: "shop", table: "Orders", status: 201, code: "", statistics: null };
const query = { method: "GET", url: "https://a.table.core.windows.net/Orders()", operation: "Query Entities", account: "shop", table: "Orders", status: 200, code: "", label: "run 1", statistics: { kind: "point", blocks: 0, partitions: 1, examined: 1, returned: 1 } };
const foreign = { ...insert, account: "other" };

const of = (requests, account = "shop", complete = true) => new Expectation(async () => ({ requests, complete }), account ?? undefined);
const refused = (pattern) => (error) => error.name === "SandtableError" && error.code === "Expectation" && pattern.test(error.message);

test("requests are compared one by one, those of one account alone", async () => {
  const got = await of([insert, foreign, query]).toBe([{ operation: "Insert Entity", table: "orders", status: 201 }, { plan: "point", returned: 1, label: "run 1" }]);
  assert.deepEqual(got, [insert, query]);
  assert.equal((await of([insert, foreign], null).requests()).length, 2);
  await of([]).toBe([]);
});

test("a difference is named", async () => {
  await assert.rejects(of([insert]).toBe([{ status: 204 }]), refused(/^Request 1, Insert Entity \(201\): status is 201, not 204\.$/));
  await assert.rejects(of([query]).toBe([{ plan: "partition scan" }]), refused(/plan is point, not partition scan/));
  await assert.rejects(of([insert]).toBe([{ plan: "point" }]), refused(/plan is missing, not point/));
  await assert.rejects(of([insert, query]).toBe([{ status: 201 }]), refused(/1 requests were expected, but there were 2\. Number 2 is Query Entities/));
  await assert.rejects(of([]).toBe([{ operation: "Get Entity" }]), refused(/Number 1, operation Get Entity, is missing/));
});

test("some requests are expected, or none", async () => {
  const expectation = of([insert, query, insert]);
  assert.equal((await expectation.toInclude({ operation: "Insert Entity", times: 2 })).length, 2);
  await expectation.toInclude({ plan: "point" });
  await expectation.toInclude({ status: 503, times: 0 });
  await expectation.notToInclude({ plan: "table scan" });
  await assert.rejects(expectation.toInclude({ status: 409 }), refused(/At least one with status 409 expected, but there are 0 of 3 requests: Insert/));
  await assert.rejects(expectation.toInclude({ status: 201, times: 1 }), refused(/1 with status 201 expected, but there are 2/));
  await assert.rejects(expectation.notToInclude({ status: 200 }), refused(/but there is Query Entities \(200\)/));
});

test("what cannot be checked is an error", async () => {
  await assert.rejects(of([insert], "shop", false).toBe([{ status: 201 }]), refused(/more requests than are kept/));
  await assert.rejects(of([]).toBe([{ state: 201 }]), ({ code }) => code === "InvalidOption");
  await assert.rejects(of([]).notToInclude({}), ({ code }) => code === "InvalidOption");
});

test("a value that no request can have is an error, because nothing would ever be like it", async () => {
  const invalid = (pattern) => ({ code, message }) => code === "InvalidOption" && pattern.test(message);
  await assert.rejects(of([insert]).notToInclude({ operation: "Insert Entities" }), invalid(/^notToInclude\(\): operation is one of Query Tables, .*, not "Insert Entities"\.$/));
  await assert.rejects(of([insert]).toInclude({ plan: "tablescan", times: 0 }), invalid(/plan is one of point, row range, partition scan, table scan/));
  await assert.rejects(of([]).toBe([{ method: "post" }]), invalid(/method is one of GET, /));
  await assert.rejects(of([]).notToInclude({ account: "Shop" }), invalid(/not an account's name/));
  await of([insert]).notToInclude({ operation: "" }); // of requests that are refused early
});

test("an error of the SDK has the service's code and words", () => {
  const document = { "odata.error": { code: "EntityAlreadyExists", message: { lang: "en-US", value: "The specified entity already exists.\nRequestId:1\nTime:2" } } };
  const error = Object.assign(new Error(JSON.stringify(document)), { name: "RestError", statusCode: 409 });
  assert.deepEqual(describeError(error), { name: "RestError", message: "The specified entity already exists.", code: "EntityAlreadyExists", status: 409 });
  assert.equal(formatError(error), "RestError (409 EntityAlreadyExists): The specified entity already exists.");
  const parsed = Object.assign(new Error("refused"), { name: "RestError", statusCode: 404, details: { odataError: { code: "TableNotFound", message: { value: "The table." } } } });
  assert.equal(formatError(parsed), "RestError (404 TableNotFound): The table.");
  assert.equal(formatError(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })), "Error (ECONNRESET): socket hang up");
  assert.equal(formatError("text"), "Thrown: text");
  assert.equal(formatError(Object.create(null)), "Thrown: an object that cannot be shown");
});

test("a cut connection is the error of the SDK's own client, and a label is a header", async () => {
  const heads = [];
  const { sendRequest } = new HttpClient(async (head) => (heads.push(head), { status: 0, head: "", body: null }), "ECONNRESET", "step 2");
  const request = { method: "GET", url: "https://a.table.core.windows.net/", headers: [] };
  await assert.rejects(sendRequest(request), (error) => error.name === "RestError" && error.code === "ECONNRESET" && error.request === request);
  assert.match(heads[0], /\nx-sandtable-label:step 2$/);
});
