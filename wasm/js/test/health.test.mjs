import assert from "node:assert/strict";
import { test } from "node:test";
import { SandtableError } from "../client/errors.js";
import { Health } from "../client/health.js";

/** A Health and the codes of its notifications. */
function reported() {
  const health = new Health();
  const codes = [];
  health.notify = (name, { code }) => codes.push(`${name} ${code}`);
  return { health, codes };
}

test("a problem's start and end are notified once each", () => {
  const { health, codes } = reported();
  const problem = () => new SandtableError("NotConnected", "It does not answer.");
  health.clear("worker");
  health.report("worker", problem());
  health.report("worker", problem());
  assert.deepEqual(health.problems.map(({ code }) => code), ["NotConnected"]);
  health.clear("worker");
  health.clear("worker");
  assert.deepEqual(health.problems, []);
  assert.deepEqual(codes, ["error NotConnected", "recovered NotConnected"]);
});

test("a new problem of the same subject replaces the earlier one", () => {
  const { health, codes } = reported();
  health.report("worker", new SandtableError("Suspended", ""));
  health.report("worker", new SandtableError("NotConnected", ""));
  health.clear("worker");
  assert.deepEqual(codes, ["error Suspended", "recovered Suspended", "error NotConnected", "recovered NotConnected"]);
});

const running = (store, full = null) => ({ engine: "running", store, full });

for (const [name, states, want] of [
  ["a store that is full, and has space again", [running("a"), running("a", true), running("a", true), running("a", false)], ["error StoreFull", "recovered StoreFull"]],
  ["a worker that does not know yet whether there is space", [running("a", true), { engine: "stopped", full: null }, running("a", null)], ["error StoreFull"]],
  ["a store that is another one", [running("a"), { engine: "stopped" }, running("b"), running("b")], ["error Emptied"]],
  ["the first store that is seen", [{ engine: "starting" }, running("a")], []],
  ["an engine that crashes", [running("a"), { engine: "stopped", happened: "crashed" }, { engine: "starting" }, running("a")], ["error EngineCrashed", "recovered EngineCrashed"]],
  ["an engine that another one has superseded", [{ engine: "stopped", happened: "superseded" }, running("a")], ["error Superseded", "recovered Superseded"]],
  ["a crash, and no way back", [{ engine: "stopped", happened: "crashed" }, { engine: "failed", reason: "memory", message: "No memory." }], ["error EngineCrashed", "recovered EngineCrashed", "error EngineNotLoaded"]],
  ["an engine that crashes, and then whenever it starts", [{ engine: "stopped", happened: "crashed" }, { engine: "failed", reason: "crashed", message: "No." }, running("a")], ["error EngineCrashed", "recovered EngineCrashed"]],
  ["a start that is only late", [{ engine: "failed", message: "A newer version is taking over." }], []],
  ...Object.entries({ format: "StoreFormat", database: "StoreClosed", program: "EngineNotLoaded", memory: "EngineNotLoaded", quota: "StoreFull", held: "StoreHeld", crashed: "EngineCrashed" }).map(([reason, code]) => [
    `an engine that does not start (${reason})`,
    [{ engine: "failed", reason, message: "No." }, { engine: "starting" }, { engine: "failed", reason, message: "No." }, running("a")],
    [`error ${code}`, `recovered ${code}`],
  ]),
]) {
  test(`${name}: ${want.length === 0 ? "nothing is notified" : want.join(", ")}`, () => {
    const { health, codes } = reported();
    states.forEach((state) => health.update(state));
    assert.deepEqual(codes, want);
  });
}

test("the message contains the worker's own description", () => {
  const { health } = reported();
  health.update({ engine: "failed", reason: "held", message: "Another tab holds it." });
  assert.match(health.problems[0].message, /close the other tabs.*Another tab holds it\.$/);
});
