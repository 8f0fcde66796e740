import assert from "node:assert/strict";
import { test } from "node:test";
import { Control } from "../client/control.js";
import { Snapshots } from "../client/snapshots.js";

const document = (status, value, more = {}) => ({ status, head: "", body: new TextEncoder().encode(JSON.stringify(value)), ...more });
const busy = document(503, { error: { code: "ServerBusy", message: "Retry." } });
const lost = { ...busy, lost: true };

/** Snapshots whose requests get these answers, one after the other, and the requests. */
function snapshotsWith(t, ...answers) {
  t.mock.method(globalThis, "setTimeout", (f) => queueMicrotask(f)); // between two attempts
  const asked = [];
  const send = async (head) => (asked.push(head.split(" ", 1)[0]), answers.shift());
  return { snapshots: new Snapshots(new Control("https://example.org/_sandtable/", send)), asked };
}

for (const [name, run] of [
  ["taking a snapshot", (snapshots) => snapshots.take("shop")],
  ["restoring one", (snapshots) => snapshots.restore("shop", "1")],
  ["opening one from a file", (snapshots) => snapshots.open("shop", "{}\n")],
]) {
  test(`${name} is not repeated if its answer is lost`, async (t) => {
    const { snapshots, asked } = snapshotsWith(t, busy, lost, document(200, {}));
    await assert.rejects(run(snapshots), ({ code, message }) => code === "NotConnected" && /may have done it or not/.test(message));
    assert.deepEqual(asked, ["POST", "POST"]);
  });
}

test("a snapshot is taken when the engine is ready", async (t) => {
  const { snapshots } = snapshotsWith(t, busy, busy, document(201, { id: "1" }));
  assert.deepEqual(await snapshots.take("shop"), { id: "1" });
});

test("a snapshot whose deletion was not acknowledged is deleted", async (t) => {
  const missing = document(404, { error: { code: "ResourceNotFound", message: "No." } });
  await snapshotsWith(t, lost, missing).snapshots.delete("shop", "1");
  await assert.rejects(snapshotsWith(t, busy, missing).snapshots.delete("shop", "1"), { status: 404 });
});
