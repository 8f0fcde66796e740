import assert from "node:assert/strict";
import { test } from "node:test";
import { responseOf } from "../answers.js";
import { Program } from "../program.js";

const self = {};
const start = (go, main, settings) => Program.start(go, main, settings, self);

/** A fake of wasm_exec.js's Go, whose instance is a function. */
class FakeGo {
  _scheduledTimeouts = new Map();
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

/** A program that echoes requests and exits when it is closed. */
const echo = (script, go) => {
  const handle = (id, headLength, bodyLength, large) => {
    const request = (large ?? script.buffer).slice(0, headLength + bodyLength);
    queueMicrotask(() => {
      const head = "X-Head:" + new TextDecoder().decode(request.slice(0, headLength));
      const body = request.slice(headLength);
      if (large !== undefined) return script.settle(id, 200, head, bodyLength, body);
      const encoded = new TextEncoder().encode(head);
      script.buffer.set([...encoded, ...body]);
      script.settle(id, 200, encoded.length, bodyLength);
    });
  };
  script.ready(handle, go.exit);
};

test("each request gets its own response", async () => {
  const program = await start(new FakeGo(), echo, {});
  const answers = await Promise.all(["one", "caf\u00e9"].map((head) => program.serve(head, new Uint8Array([65]))));
  const responses = answers.map(responseOf);
  assert.deepEqual(responses.map(({ headers }) => headers.get("x-head")), ["one", "caf\u00e9"]);
  assert.deepEqual(await Promise.all(responses.map((response) => response.text())), ["A", "A"]);
});

test("a large response is the program's own array, and may have no body", async () => {
  const program = await start(new FakeGo(), echo, {});
  const body = new Uint8Array(1 << 17).fill(65);
  const answer = await program.serve("caf\u00e9", body);
  assert.deepEqual([answer.status, answer.head, answer.body], [200, "X-Head:caf\u00e9", body]);
  const { head, body: none } = await program.serve("h".repeat(1 << 17), null);
  assert.deepEqual([head.length, none], [7 + (1 << 17), null]);
});

test("a body that is longer than any the engine takes is refused without it, but for a whole archive", async () => {
  const program = await start(new FakeGo(), echo, {});
  const body = new Uint8Array((16 << 20) + 1);
  const answer = responseOf(await program.serve("POST https://a/_sandtable/status", body));
  assert.deepEqual([answer.status, (await answer.json())["odata.error"].code], [413, "RequestBodyTooLarge"]);
  assert.equal((await program.serve("POST https://a/_sandtable/status", body.subarray(1))).status, 200);
  assert.equal((await program.serve("POST https://a/_sandtable/load\naccept:*/*", body)).status, 200);
});

const bufferSize = 1 << 16;

for (const [name, head, body, large] of [
  ["a request without a body", "head", null, false],
  ["a request that just fits", "head", new Uint8Array(bufferSize - 4).fill(66), false],
  ["a request that does not fit", "head", new Uint8Array(bufferSize - 3).fill(66), true],
  ["a head that does not fit", "h".repeat(bufferSize + 1), null, true],
  ["a head and a body that do not fit", "\u00e9".repeat(bufferSize), new Uint8Array(4 << 20).fill(67), true],
]) {
  test(`${name} passes through unchanged`, async () => {
    let arrived;
    const take = (script) => {
      const handle = (id, headLength, bodyLength, array = script.buffer) => {
        arrived = { head: new TextDecoder().decode(array.subarray(0, headLength)), body: array.slice(headLength, headLength + bodyLength), large: array !== script.buffer };
        script.settle(id, 204, 0, 0);
      };
      script.ready(handle, () => {});
    };
    const program = await start(new FakeGo(), take, {});
    assert.equal((await program.serve(head, body)).status, 204);
    assert.equal(arrived.head, head);
    assert.deepEqual(arrived.body, body ?? new Uint8Array());
    assert.equal(arrived.large, large);
  });
}

test("the program gets its settings in its first turn only", async () => {
  let given;
  await start(new FakeGo(), (script, go) => (echo(script, go), (given = script)), { build: "b", store: "s" });
  assert.equal(given.build + given.store, "bs");
  assert.equal(self.sandtable, undefined);
});

test("a failing program reports the reason", async () => {
  const starting = start(new FakeGo(), (script) => script.failed("no space", "database"), {});
  await assert.rejects(starting, { message: "no space", reason: "database" });
});

test("a program that exits while it starts has failed", async () => {
  await assert.rejects(start(new FakeGo(), (_, go) => go.exit(), {}), /stopped/);
});

test("a program that traps in its first turn has failed, and the process goes on", async (t) => {
  const error = t.mock.method(console, "error", () => {});
  const trap = new WebAssembly.RuntimeError("unreachable");
  const main = () => {
    throw trap;
  };
  await assert.rejects(start(new FakeGo(), main, {}), { reason: "crashed" });
  await new Promise(setImmediate); // an unhandled rejection would fail this test
  assert.equal(error.mock.calls[0].arguments[1], trap);
});

test("requests in flight are answered when the program exits", async () => {
  const go = new FakeGo();
  const program = await start(go, (script) => script.ready(() => {}, () => {}), {});
  const asked = program.serve("head", null);
  go.exit();
  assert.equal((await asked).status, 500);
  await program.ended;
});

test("a call into a program that has exited is answered", async () => {
  const dead = () => {
    throw new Error("Go program has already exited");
  };
  const program = await start(new FakeGo(), (script) => script.ready(dead, dead), {});
  assert.equal((await program.serve("head", null)).status, 500);
  await program.ended;
  await program.close(); // exiting was requested
});

test("a trap in a timer or an event ends the program", async () => {
  const go = new FakeGo();
  const program = await start(go, (script) => script.ready(() => {}, () => {}), {});
  const asked = program.serve("head", null);
  go.resume = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  assert.throws(() => go._resume(), WebAssembly.RuntimeError);
  assert.equal((await asked).status, 500);
  await program.ended;
  assert.equal(go.exited, true, "no later event may wake it");
});

test("a program that ended leaves no connection to its store", async () => {
  const go = new FakeGo();
  let closed = 0;
  const main = (script) => {
    script.opened({ close: () => closed++ });
    script.opened({ close: () => closed++ });
    script.ready(() => {}, () => {});
  };
  const program = await start(go, main, {});
  assert.equal(closed, 0);
  go.resume = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  assert.throws(() => go._resume(), WebAssembly.RuntimeError);
  await program.ended;
  assert.equal(closed, 2);
});

test("the timers that a program left behind are dropped", async () => {
  const go = new FakeGo();
  const left = setTimeout(() => assert.fail("it came"), 0);
  go._scheduledTimeouts.set(1, left);
  const program = await start(go, (script) => script.ready(() => {}, () => go.exit()), {});
  await program.close();
  await new Promise((resolve) => setTimeout(resolve, 1)); // set after the other, so it fires after it
  assert.equal(go._scheduledTimeouts.size, 0);
});

test("closing waits for requests in flight", async () => {
  const steps = [];
  let settle;
  const program = await start(
    new FakeGo(),
    (script, go) => {
      settle = () => script.settle(1, 204, 0, 0);
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

test("a program can be closed twice at once", async () => {
  let settle;
  let closes = 0;
  const program = await start(
    new FakeGo(),
    (script, go) => {
      settle = () => script.settle(1, 204, 0, 0);
      script.ready(() => {}, () => (closes++, go.exit()));
    },
    {},
  );
  const asked = program.serve("head", null);
  const closing = [program.close(), program.close()];
  settle();
  await Promise.all([asked, ...closing]);
  assert.equal(closes, 1);
});

/**
 * A program that streams "a", "b", "c" … in response to each request, one chunk per
 * read. The reader's calls are recorded in reads.
 */
function streaming({ first = null, last = Infinity, reads = [] } = {}) {
  return (script, go) => {
    const encode = (text) => {
      const bytes = new TextEncoder().encode(text);
      script.buffer.set(bytes);
      return bytes.length;
    };
    let next = 0;
    const handle = (id) => queueMicrotask(() => script.begin(id, 200, encode("X-Kind:stream" + (first ?? "")) - (first ?? "").length, (first ?? "").length));
    const reader = (id, more) => {
      reads.push(more);
      queueMicrotask(() => {
        if (more && next < last) {
          script.chunk(id, encode("abcdef"[next++]));
        } else {
          script.end(id, true);
        }
      });
    };
    script.ready(handle, () => (reads.push("closed"), go.exit()), reader);
  };
}

const text = (chunk) => new TextDecoder().decode(chunk);

test("a streamed response arrives complete, in chunks", async () => {
  const program = await start(new FakeGo(), streaming({ first: ">", last: 3 }), {});
  const answer = await program.serve("head", null);
  const response = responseOf(answer);
  assert.equal(response.headers.get("x-kind"), "stream");
  assert.equal(await response.text(), ">abc");
  await answer.ended;
});

test("a chunk that does not fit the shared buffer gets its own array", async () => {
  const chunk = new Uint8Array(3 * bufferSize).fill(68);
  const program = await start(
    new FakeGo(),
    (script) => {
      const handle = (id) => script.begin(id, 200, 0, 0);
      script.ready(handle, () => {}, (id) => (script.chunk(id, chunk.length, chunk), script.end(id, true)));
    },
    {},
  );
  const { body } = await program.serve("head", null);
  assert.deepEqual(new Uint8Array(await new Response(body).arrayBuffer()), chunk);
});

test("chunks are requested as they are read, one ahead", async () => {
  const reads = [];
  const program = await start(new FakeGo(), streaming({ reads }), {});
  const reader = (await program.serve("head", null)).body.getReader();
  for (let read = 1; read <= 4; read++) {
    assert.equal(text((await reader.read()).value), "abcdef"[read - 1]);
    await new Promise(setImmediate); // lets pending work finish
    assert.equal(reads.length, read + 1);
  }
});

test("the program learns that a reader is gone and sends no more", async () => {
  const reads = [];
  const program = await start(new FakeGo(), streaming({ first: ">", reads }), {});
  const { body, ended } = await program.serve("head", null);
  await body.cancel();
  await ended;
  await new Promise(setImmediate);
  assert.deepEqual(reads, [false]);
  await program.close(); // nothing is open any more
  assert.deepEqual(reads, [false, "closed"]);
});

test("a response that is cut off fails its reader", async () => {
  const program = await start(
    new FakeGo(),
    (script) => script.ready((id) => script.begin(id, 200, 0, 0), () => {}, (id) => script.end(id, false)),
    {},
  );
  await assert.rejects(responseOf(await program.serve("head", null)).text(), /aborted the answer/);
});

test("a program that crashes while streaming fails the reader", async () => {
  const go = new FakeGo();
  const program = await start(go, streaming({ first: ">" }), {});
  const reader = (await program.serve("head", null)).body.getReader();
  assert.equal(text((await reader.read()).value), ">");
  const more = [reader.read(), reader.read(), reader.read()];
  assert.equal(text((await more[0]).value), "a");
  go.exit();
  await assert.rejects(Promise.all(more.concat(reader.read(), reader.read())), /The engine stopped/);
  await program.ended;
});

test("a program that crashes on a read fails the reader", async () => {
  const dead = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  const program = await start(new FakeGo(), (script) => script.ready((id) => script.begin(id, 200, 0, 0), dead, dead), {});
  const { body } = await program.serve("head", null);
  await assert.rejects(new Response(body).text(), /The engine stopped/);
  await program.ended;
});

test("closing aborts streams and waits until the program has ended them", async () => {
  const steps = [];
  let end;
  const program = await start(
    new FakeGo(),
    (script, go) => {
      const reader = (id, more) => {
        steps.push(more ? "wanted" : "gone");
        end = () => script.end(id, true);
      };
      script.ready((id) => script.begin(id, 200, 0, 0), () => (steps.push("closed"), go.exit()), reader);
    },
    {},
  );
  const { body } = await program.serve("head", null);
  const read = assert.rejects(new Response(body).text(), /being closed/);
  await new Promise(setImmediate);
  const closing = program.close();
  await read;
  await new Promise(setImmediate);
  assert.deepEqual(steps, ["wanted", "gone"]);
  end();
  await closing;
  assert.deepEqual(steps, ["wanted", "gone", "closed"]);
});

test("a response that starts streaming during closing is aborted", async () => {
  let begin;
  const program = await start(
    new FakeGo(),
    (script, go) => {
      const handle = (id) => (begin = () => script.begin(id, 200, 0, 0));
      script.ready(handle, go.exit, (id, more) => more || queueMicrotask(() => script.end(id, true)));
    },
    {},
  );
  const asked = program.serve("head", null);
  const closing = program.close();
  begin();
  await assert.rejects(responseOf(await asked).text(), /being closed/);
  await closing;
});
