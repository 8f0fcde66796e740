import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOf, headOf, responseOf } from "../answers.js";
import { Engine } from "../engine.js";

/** A program that serves until it is closed or ends. */
class FakeProgram {
  served = [];
  closed = false;
  ended = new Promise((resolve) => (this.end = resolve));
  async serve(head) {
    this.served.push(head);
    return { status: 200, head: "", body: null };
  }
  async close() {
    this.closed = true;
    this.end();
  }
}

/** Answers a fetch like a service. */
const answer = async (engine, request) => responseOf(await engine.serve(headOf(request), () => bodyOf(request)));

const ask = (engine) => answer(engine, new Request("https://a/T"));

test("the first requests start one program", async () => {
  const program = new FakeProgram();
  let starts = 0;
  const engine = new Engine(async () => {
    starts++;
    return program;
  });
  const responses = await Promise.all([ask(engine), ask(engine), ask(engine)]);
  assert.deepEqual(responses.map(({ status }) => status), [200, 200, 200]);
  assert.equal(starts, 1);
  assert.equal(program.served.length, 3);
});

test("a request waits a bounded time for a start, and later requests use it", async () => {
  let finish;
  const engine = new Engine(() => new Promise((resolve) => (finish = resolve)), 1);
  const response = await ask(engine);
  assert.equal(response.status, 503);
  assert.ok(response.headers.has("retry-after"));
  finish(new FakeProgram());
  await engine.start();
  assert.equal((await ask(engine)).status, 200);
});

test("a request that waited too long for a start names the current step", async () => {
  const engine = new Engine((step) => (step("It waits for the store."), new Promise(() => {})), 1);
  assert.match(await (await ask(engine)).text(), /The engine is still starting. It waits for the store./);
});

test("the next request retries a failed start", async () => {
  const outcomes = [Promise.reject(new Error("no space")), Promise.resolve(new FakeProgram())];
  const engine = new Engine(() => outcomes.shift());
  const response = await ask(engine);
  assert.equal(response.status, 503);
  assert.match(await response.text(), /no space/);
  assert.equal((await ask(engine)).status, 200);
});

test("a program that ended is restarted", async () => {
  const programs = [new FakeProgram(), new FakeProgram()];
  const waiting = [...programs];
  const engine = new Engine(async () => waiting.shift());
  await ask(engine);
  programs[0].end();
  await programs[0].ended;
  assert.equal((await ask(engine)).status, 200);
  assert.equal(programs[1].served.length, 1);
});

test("a request whose body cannot be read is answered", async () => {
  const engine = new Engine(async () => new FakeProgram());
  const request = { method: "POST", headers: [], arrayBuffer: () => Promise.reject(new Error("the page has gone")) };
  assert.equal((await answer(engine, request)).status, 500);
});

test("a released store is closed, and reopened on demand", async () => {
  const programs = [new FakeProgram(), new FakeProgram()];
  const waiting = [...programs];
  const engine = new Engine(async () => waiting.shift());
  await ask(engine);
  await engine.release();
  assert.equal(programs[0].closed, true);
  assert.equal((await ask(engine)).status, 200);
  assert.equal(programs[1].closed, false);
});

test("releasing the store waits for a current start", async () => {
  const program = new FakeProgram();
  let finish;
  const engine = new Engine(() => new Promise((resolve) => (finish = () => resolve(program))));
  const asked = ask(engine);
  await new Promise(setImmediate); // the body was read
  const given = engine.release();
  finish();
  await Promise.all([asked, given]);
  assert.equal(program.closed, true);
});

test("requests that wait for a start are served before the store is released", async () => {
  const programs = [new FakeProgram(), new FakeProgram()];
  const waiting = [...programs];
  let finish;
  const engine = new Engine(() => new Promise((resolve) => (finish = () => resolve(waiting.shift()))));
  const asked = ask(engine);
  await new Promise(setImmediate); // the body was read
  const released = engine.release();
  finish();
  await released;
  // Otherwise two workers with requests could take the store from each other forever.
  assert.deepEqual(programs.map(({ served, closed }) => [served.length, closed]), [[1, true], [0, false]]);
  assert.equal((await asked).status, 200);
});

test("releasing nothing succeeds", async () => {
  await new Engine(() => Promise.reject(new Error("never asked"))).release();
});

test("shutting down answers requests in flight and refuses all others at once", async (t) => {
  t.mock.method(performance, "now", () => 0);
  const program = new FakeProgram();
  let finish;
  program.close = () => new Promise((resolve) => (finish = resolve));
  const engine = new Engine(async () => program);
  await ask(engine);
  const left = engine.shutDown(new Promise(() => {}));
  const refused = Promise.all([ask(engine), ask(engine)]);
  const early = await Promise.race([refused, new Promise((resolve) => setImmediate(resolve, "none"))]);
  assert.equal(early, "none", "not before the last answer");
  finish();
  for (const response of await refused) {
    assert.equal(response.status, 503);
    assert.equal(response.headers.get("retry-after"), "2");
    assert.equal(response.headers.has("x-sandtable-reason"), false);
  }
  await left;
  assert.equal(program.served.length, 1);
});

test("all refused requests get the same moment for their retry", async (t) => {
  let now = 100_000;
  t.mock.method(performance, "now", () => now);
  const engine = new Engine(async () => new FakeProgram());
  engine.shutDown(new Promise(() => {}));
  const backs = [];
  for (now of [100_000, 100_700, 101_500, 102_000, 103_000]) {
    backs.push(now + Number((await ask(engine)).headers.get("x-ms-retry-after-ms")));
  }
  assert.deepEqual(backs, [102_000, 102_000, 102_000, 104_000, 104_000]);
});

test("a worker that was not replaced serves again", async () => {
  const programs = [new FakeProgram(), new FakeProgram()];
  const engine = new Engine(async () => programs.shift());
  await ask(engine);
  let settle;
  await engine.shutDown(new Promise((resolve) => (settle = resolve)));
  assert.equal((await ask(engine)).status, 503);
  settle();
  await null;
  assert.equal((await ask(engine)).status, 200);
});

test("a worker shuts down although pages never pause", async () => {
  const engine = new Engine(async () => new FakeProgram());
  await ask(engine);
  let left = false;
  const leaving = engine.shutDown(new Promise(() => {})).then(() => (left = true));
  while (!left) {
    await Promise.all([ask(engine), new Promise(setImmediate)]);
  }
  await leaving;
});

test("a request whose program is closed while its body is read is served by the next program", async () => {
  const programs = [new FakeProgram(), new FakeProgram()];
  const [first, second] = programs;
  const engine = new Engine(async () => programs.shift());
  await ask(engine);
  let body;
  const request = { method: "POST", headers: [], arrayBuffer: () => new Promise((resolve) => (body = resolve)) };
  const asked = answer(engine, request);
  await engine.release();
  body(new ArrayBuffer(1));
  assert.equal((await asked).status, 200);
  assert.deepEqual([first.served.length, second.served.length], [1, 1]);
});

test("a failed start's reason is in the response, and in the state until the engine starts", async () => {
  const outcomes = [Promise.reject(Object.assign(new Error("a newer version"), { reason: "format" })), Promise.resolve(new FakeProgram())];
  const engine = new Engine(() => outcomes.shift());
  assert.deepEqual(engine.state, { engine: "stopped" });
  const response = await ask(engine);
  assert.equal(response.headers.get("x-sandtable-reason"), "format");
  assert.deepEqual(engine.state, { engine: "failed", reason: "format", message: "a newer version" });
  assert.equal((await ask(engine)).status, 200);
  assert.equal(engine.state.engine, "running");
});

test("the callback is called when the engine runs and when it fails to start", async () => {
  const outcomes = [Promise.reject(new Error("no space")), Promise.resolve(new FakeProgram())];
  const seen = [];
  const engine = new Engine(() => outcomes.shift(), undefined, () => seen.push(engine.state.engine));
  await ask(engine);
  await ask(engine);
  assert.deepEqual(seen, ["failed", "running"]);
});
