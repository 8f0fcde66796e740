import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { Updates, takenOver } = load(["protocol", "client/errors", "client/updates"], ["Updates", "takenOver"]);

/** A worker as pages see it. */
class Worker extends EventTarget {
  heard = [];
  onMessage = () => {};

  constructor(state) {
    super();
    this.state = state;
  }
  postMessage(message) {
    this.heard.push(message);
    this.onMessage();
  }
  become(state) {
    this.state = state;
    this.dispatchEvent(new Event("statechange"));
  }
}

const registrationOf = (workers) => Object.assign(new EventTarget(), { active: new Worker("activated"), installing: null, waiting: null, ...workers });

test("a worker takes over when it is told", async () => {
  const worker = new Worker("installed");
  worker.onMessage = () => queueMicrotask(() => (worker.become("activating"), worker.become("activated")));
  await takenOver(worker);
  assert.deepEqual(worker.heard, [{ sandtable: 1, type: "take over" }]);
});

test("one that another page had take over has done so", async () => {
  await takenOver(new Worker("activated"));
  await takenOver(null);
});

test("one that was replaced in the meantime cannot", async () => {
  await assert.rejects(takenOver(new Worker("redundant")), ({ code }) => code === "NotControlled");
});

test("what a worker did not hear it is told again", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const worker = new Worker("installed");
  const taken = takenOver(worker);
  t.mock.timers.tick(1000);
  t.mock.timers.tick(1000);
  assert.equal(worker.heard.length, 3);
  worker.become("activating");
  t.mock.timers.tick(5000);
  assert.equal(worker.heard.length, 3);
  worker.become("activated");
  await taken;
});

test("one that never takes over is an error in the end", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const taken = takenOver(new Worker("installed"), 5000);
  t.mock.timers.tick(5000);
  await assert.rejects(taken, ({ code }) => code === "NotControlled");
});

test("a version that was being installed before is told of, once", () => {
  const worker = new Worker("installing");
  const registration = registrationOf({ installing: worker });
  const updates = new Updates(registration);
  const told = [];
  updates.tell = (update) => told.push(update);
  assert.equal(updates.waiting(), null);
  Object.assign(registration, { installing: null, waiting: worker });
  worker.become("installed");
  assert.equal(told.length, 1);
  Object.assign(registration, { waiting: null, active: worker });
  worker.become("activating");
  worker.become("activated");
  assert.equal(told.length, 1);
  const next = new Worker("installing");
  registration.installing = next;
  registration.dispatchEvent(new Event("updatefound"));
  Object.assign(registration, { installing: null, waiting: next });
  next.become("installed");
  assert.equal(told.length, 2);
});

test("a first version is no update", () => {
  const worker = new Worker("installing");
  const registration = registrationOf({ active: null, installing: worker });
  const updates = new Updates(registration);
  updates.tell = () => assert.fail("told");
  Object.assign(registration, { installing: null, waiting: worker });
  worker.become("installed");
  assert.equal(updates.waiting(), null);
});
