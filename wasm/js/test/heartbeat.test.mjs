import assert from "node:assert/strict";
import { test } from "node:test";
import { Heartbeat } from "../heartbeat.js";

/** A heartbeat on a fake clock and a record of its calls. */
function watched(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const seen = { pinged: 0, dead: 0, now: 0 };
  t.mock.method(performance, "now", () => seen.now);
  const heartbeat = new Heartbeat(() => seen.pinged++, () => seen.dead++);
  const pass = (milliseconds, asleep = 0) => {
    seen.now += milliseconds + asleep;
    t.mock.timers.tick(milliseconds);
  };
  return { heartbeat, seen, pass };
}

test("a silent peer is pinged, then reported dead once", (t) => {
  const { heartbeat, seen, pass } = watched(t);
  heartbeat.start();
  pass(4999);
  assert.equal(seen.pinged, 0);
  pass(1);
  assert.deepEqual([seen.pinged, seen.dead], [1, 0]);
  pass(5000);
  pass(60_000);
  assert.deepEqual([seen.pinged, seen.dead], [1, 1]);
});

test("a peer that answers is never reported dead", (t) => {
  const { heartbeat, seen, pass } = watched(t);
  heartbeat.start();
  heartbeat.start();
  for (let i = 0; i < 10; i++) {
    pass(5000);
    heartbeat.heard();
  }
  assert.deepEqual([seen.pinged, seen.dead], [10, 0]);
});

test("an unwatched peer is not pinged", (t) => {
  const { heartbeat, seen, pass } = watched(t);
  heartbeat.start();
  pass(5000);
  heartbeat.stop();
  pass(60_000);
  assert.deepEqual([seen.pinged, seen.dead], [1, 0]);
  heartbeat.start();
  pass(5000);
  assert.deepEqual([seen.pinged, seen.dead], [2, 0]);
});

test("a tab that was suspended itself pings again before it reports the peer dead", (t) => {
  const { heartbeat, seen, pass } = watched(t);
  heartbeat.start();
  pass(5000);
  pass(5000, 60_000);
  assert.deepEqual([seen.pinged, seen.dead], [2, 0]);
  pass(5000);
  assert.equal(seen.dead, 1);
});
