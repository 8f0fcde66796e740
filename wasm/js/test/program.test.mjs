import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const self = {};
const { Program } = load(["answers", "program"], ["Program"], { self });

/** What wasm_exec.js makes of an instance: here the instance is a function. */
class FakeGo {
  run(main) {
    return new Promise((exit) => {
      this.exit = exit;
      main(self.sandtable, this);
    });
  }
  _resume() {
    this.resume?.();
  }
}

/** A program that answers with what it was asked, and exits when it is closed. */
const echo = (script, go) => {
  script.ready((id, head, body) => queueMicrotask(() => script.settle(id, 200, "X-Head:" + head, body)), go.exit);
};

test("requests are answered, each with its own answer", async () => {
  const program = await Program.start(new FakeGo(), (script, go) => echo(script, go), {});
  const responses = await Promise.all(["one", "two"].map((head) => program.serve(head, new Uint8Array([65]))));
  assert.deepEqual(responses.map(({ headers }) => headers.get("x-head")), ["one", "two"]);
  assert.equal(await responses[0].text(), "A");
});

test("the program is told its settings, in its first turn only", async () => {
  let told;
  await Program.start(new FakeGo(), (script, go) => (echo(script, go), (told = script)), { build: "b", store: "s" });
  assert.equal(told.build + told.store, "bs");
  assert.equal(self.sandtable, undefined);
});

test("a program that fails says why", async () => {
  await assert.rejects(Program.start(new FakeGo(), (script) => script.failed("no room"), {}), /no room/);
});

test("a program that exits while it starts has failed", async () => {
  await assert.rejects(Program.start(new FakeGo(), (_, go) => go.exit(), {}), /stopped/);
});

test("what is being served when the program exits is answered", async () => {
  const go = new FakeGo();
  const program = await Program.start(go, (script) => script.ready(() => {}, () => {}), {});
  const asked = program.serve("head", null);
  go.exit();
  assert.equal((await asked).status, 500);
  await program.ended;
});

test("a call into a program that is no more is answered", async () => {
  const dead = () => {
    throw new Error("Go program has already exited");
  };
  const program = await Program.start(new FakeGo(), (script) => script.ready(dead, dead), {});
  assert.equal((await program.serve("head", null)).status, 500);
  await program.ended;
  await program.close(); // it is what was wanted
});

test("a trap in a timer or an event ends the program", async () => {
  const go = new FakeGo();
  const program = await Program.start(go, (script) => script.ready(() => {}, () => {}), {});
  const asked = program.serve("head", null);
  go.resume = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  assert.throws(() => go._resume(), WebAssembly.RuntimeError);
  assert.equal((await asked).status, 500);
  await program.ended;
});

test("closing waits for what is being served", async () => {
  const steps = [];
  let settle;
  const program = await Program.start(
    new FakeGo(),
    (script, go) => {
      settle = () => script.settle(1, 204, "", null);
      script.ready(() => {}, () => (steps.push("closed"), go.exit()));
    },
    {},
  );
  const asked = program.serve("head", null).then(() => steps.push("answered"));
  const closing = program.close();
  settle();
  await Promise.all([asked, closing]);
  await program.ended;
  assert.deepEqual(steps.sort(), ["answered", "closed"]);
});
