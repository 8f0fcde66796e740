import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { Health, SandtableError } = load(["client/errors", "client/health"], ["Health", "SandtableError"]);

/** A health, and what it told, in codes. */
function told() {
  const health = new Health();
  const codes = [];
  health.tell = (name, { code }) => codes.push(`${name} ${code}`);
  return { health, codes };
}

test("trouble is told once when it begins, and once when it is over", () => {
  const { health, codes } = told();
  const trouble = () => new SandtableError("NotConnected", "It does not answer.");
  health.ends("worker");
  health.begins("worker", trouble());
  health.begins("worker", trouble());
  assert.deepEqual(health.troubles.map(({ code }) => code), ["NotConnected"]);
  health.ends("worker");
  health.ends("worker");
  assert.deepEqual(health.troubles, []);
  assert.deepEqual(codes, ["error NotConnected", "recovered NotConnected"]);
});

test("another trouble with the same thing ends the one before", () => {
  const { health, codes } = told();
  health.begins("worker", new SandtableError("Suspended", ""));
  health.begins("worker", new SandtableError("NotConnected", ""));
  health.ends("worker");
  assert.deepEqual(codes, ["error Suspended", "recovered Suspended", "error NotConnected", "recovered NotConnected"]);
});

const running = (store, full = null) => ({ engine: "running", store, full });

for (const [name, states, want] of [
  ["a store that is full, and has room again", [running("a"), running("a", true), running("a", true), running("a", false)], ["error StoreFull", "recovered StoreFull"]],
  ["a worker that does not know yet whether there is room", [running("a", true), { engine: "stopped", full: null }, running("a", null)], ["error StoreFull"]],
  ["a store that is another one", [running("a"), { engine: "stopped" }, running("b"), running("b")], ["error Emptied"]],
  ["the first store that is seen", [{ engine: "starting" }, running("a")], []],
  ["an engine that crashes", [running("a"), { engine: "stopped", happened: "crashed" }, { engine: "starting" }, running("a")], ["error EngineCrashed", "recovered EngineCrashed"]],
  ["an engine that another one has superseded", [{ engine: "stopped", happened: "superseded" }, running("a")], ["error Superseded", "recovered Superseded"]],
  ["a crash, and no way back", [{ engine: "stopped", happened: "crashed" }, { engine: "failed", reason: "memory", message: "No memory." }], ["error EngineCrashed", "recovered EngineCrashed", "error EngineNotLoaded"]],
  ["an engine that crashes, and then whenever it starts", [{ engine: "stopped", happened: "crashed" }, { engine: "failed", reason: "crashed", message: "No." }, running("a")], ["error EngineCrashed", "recovered EngineCrashed"]],
  ["a start that is only late", [{ engine: "failed", message: "A newer version is taking over." }], []],
  ...Object.entries({ format: "StoreFormat", database: "StoreClosed", program: "EngineNotLoaded", memory: "EngineNotLoaded", room: "StoreFull", held: "StoreHeld", crashed: "EngineCrashed" }).map(([reason, code]) => [
    `an engine that does not start (${reason})`,
    [{ engine: "failed", reason, message: "No." }, { engine: "starting" }, { engine: "failed", reason, message: "No." }, running("a")],
    [`error ${code}`, `recovered ${code}`],
  ]),
]) {
  test(`${name}: ${want.length === 0 ? "nothing is told" : want.join(", ")}`, () => {
    const { health, codes } = told();
    states.forEach((state) => health.learn(state));
    assert.deepEqual(codes, want);
  });
}

test("what a worker says about its trouble is in the message", () => {
  const { health } = told();
  health.learn({ engine: "failed", reason: "held", message: "Another tab holds it." });
  assert.match(health.troubles[0].message, /close the other tabs.*Another tab holds it\.$/);
});
