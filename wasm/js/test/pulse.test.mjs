import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { Pulse } = load(["pulse"], ["Pulse"]);

/** A pulse on a clock of its own, and what it did. */
function watched(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const seen = { asked: 0, silent: 0, now: 0 };
  t.mock.method(performance, "now", () => seen.now);
  const pulse = new Pulse(() => seen.asked++, () => seen.silent++);
  const pass = (milliseconds, asleep = 0) => {
    seen.now += milliseconds + asleep;
    t.mock.timers.tick(milliseconds);
  };
  return { pulse, seen, pass };
}

test("who says nothing is asked, and then is silent, once", (t) => {
  const { pulse, seen, pass } = watched(t);
  pulse.begin();
  pass(4999);
  assert.equal(seen.asked, 0);
  pass(1);
  assert.deepEqual([seen.asked, seen.silent], [1, 0]);
  pass(5000);
  pass(60_000);
  assert.deepEqual([seen.asked, seen.silent], [1, 1]);
});

test("who answers is waited for, for any time", (t) => {
  const { pulse, seen, pass } = watched(t);
  pulse.begin();
  pulse.begin();
  for (let i = 0; i < 10; i++) {
    pass(5000);
    pulse.heard();
  }
  assert.deepEqual([seen.asked, seen.silent], [10, 0]);
});

test("nobody is asked who is not waited for", (t) => {
  const { pulse, seen, pass } = watched(t);
  pulse.begin();
  pass(5000);
  pulse.end();
  pass(60_000);
  assert.deepEqual([seen.asked, seen.silent], [1, 0]);
  pulse.begin();
  pass(5000);
  assert.deepEqual([seen.asked, seen.silent], [2, 0]);
});

test("who slept for a while asks again, before it calls the other one silent", (t) => {
  const { pulse, seen, pass } = watched(t);
  pulse.begin();
  pass(5000);
  pass(5000, 60_000);
  assert.deepEqual([seen.asked, seen.silent], [2, 0]);
  pass(5000);
  assert.equal(seen.silent, 1);
});
