import assert from "node:assert/strict";
import { test } from "node:test";
import { Updates, activate } from "../client/updates.js";

/** A fake ServiceWorker. */
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

test("a worker is activated on request", async () => {
  const worker = new Worker("installed");
  worker.onMessage = () => queueMicrotask(() => (worker.become("activating"), worker.become("activated")));
  await activate(worker);
  assert.deepEqual(worker.heard, [{ sandtable: 1, type: "activate" }]);
});

test("a worker that another page activated counts as active", async () => {
  await activate(new Worker("activated"));
  await activate(null);
});

test("a worker that was replaced cannot be activated", async () => {
  await assert.rejects(activate(new Worker("redundant")), ({ code }) => code === "NotControlled");
});

test("the request is repeated until the worker reacts", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const worker = new Worker("installed");
  const taken = activate(worker);
  t.mock.timers.tick(1000);
  t.mock.timers.tick(1000);
  assert.equal(worker.heard.length, 3);
  worker.become("activating");
  t.mock.timers.tick(5000);
  assert.equal(worker.heard.length, 3);
  worker.become("activated");
  await taken;
});

test("a worker that is never activated causes an error", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const taken = activate(new Worker("installed"), 5000);
  t.mock.timers.tick(5000);
  await assert.rejects(taken, ({ code }) => code === "NotControlled");
});

test("a version that is already being installed is notified once", () => {
  const worker = new Worker("installing");
  const registration = registrationOf({ installing: worker });
  const updates = new Updates(registration);
  const notified = [];
  updates.notify = (update) => notified.push(update);
  assert.equal(updates.waiting(), null);
  Object.assign(registration, { installing: null, waiting: worker });
  worker.become("installed");
  assert.equal(notified.length, 1);
  Object.assign(registration, { waiting: null, active: worker });
  worker.become("activating");
  worker.become("activated");
  assert.equal(notified.length, 1);
  const next = new Worker("installing");
  registration.installing = next;
  registration.dispatchEvent(new Event("updatefound"));
  Object.assign(registration, { installing: null, waiting: next });
  next.become("installed");
  assert.equal(notified.length, 2);
});

test("the first version is not an update", () => {
  const worker = new Worker("installing");
  const registration = registrationOf({ active: null, installing: worker });
  const updates = new Updates(registration);
  updates.notify = () => assert.fail("notified");
  Object.assign(registration, { installing: null, waiting: worker });
  worker.become("installed");
  assert.equal(updates.waiting(), null);
});
