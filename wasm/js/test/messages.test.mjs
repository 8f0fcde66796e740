import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

/** Web Locks as a process has them: each context's are released when it ends. */
function lockManager() {
  const held = new Map(); // name -> how to release it
  const waiting = [];
  const grant = () => {
    for (const entry of [...waiting]) {
      if (!held.has(entry.name)) {
        waiting.splice(waiting.indexOf(entry), 1);
        held.set(entry.name, entry.context);
        Promise.resolve(entry.hold()).then((value) => {
          held.delete(entry.name);
          entry.resolve(value);
          queueMicrotask(grant);
        });
      }
    }
  };
  return {
    of: (context) => ({
      request(name, ...rest) {
        const hold = rest.at(-1);
        return new Promise((resolve) => {
          waiting.push({ name, hold, resolve, context });
          grant();
        });
      },
    }),
    end(context) {
      for (const [name, owner] of held) if (owner === context) held.delete(name);
      grant();
    },
  };
}

/** Lives of a worker, one after another, and a page that knows how to reach the present one. */
function world(answer) {
  const locks = lockManager();
  let worker = null;
  const ports = [];
  const begin = () => {
    const context = {};
    const { Messages } = load(["protocol", "answers", "messages"], ["Messages"], { navigator: { locks: locks.of(context) } });
    const asked = [];
    const service = { serve: (head, body) => (asked.push(head), answer(head, body, asked.length)) };
    worker = { context, asked, messages: new Messages(service, "build") };
    return worker;
  };
  const end = () => {
    ports.forEach((port) => port.close()); // the other side is told nothing
    locks.end(worker.context);
    worker = null;
  };
  const parts = ["protocol", "answers", "client/errors", "client/connection"];
  const { Connection } = load(parts, ["Connection"], { navigator: { locks: locks.of({}) } });
  const connection = new Connection((port) => {
    ports.push(port);
    (worker ?? begin()).messages.connect(port);
  });
  const close = () => {
    connection.close();
    ports.forEach((port) => port.close());
  };
  return { begin, end, connection, close, worker: () => worker };
}

const text = (bytes) => new TextDecoder().decode(bytes);
const echo = async (head, body) => ({ status: 200, head: "x:1", body: new TextEncoder().encode(head + (body === null ? "" : " " + text(body))) });

test("requests are answered, each with its own answer", async (t) => {
  const { connection, close } = world(echo);
  t.after(close);
  const answers = await Promise.all(["GET a", "PUT b"].map((head) => connection.request(head, new Uint8Array([65]))));
  assert.deepEqual(answers.map(({ status, head, body }) => [status, head, text(body)]), [[200, "x:1", "GET a A"], [200, "x:1", "PUT b A"]]);
});

test("no body, and what is not ours, come through as they are", async (t) => {
  const { connection, close } = world(async (head) => (head === "GET ours" ? { status: 204, head: "", body: null } : null));
  t.after(close);
  const { status, body } = await connection.request("GET ours", null);
  assert.deepEqual([status, body], [204, null]);
  assert.equal(await connection.request("GET theirs", null), null);
});

test("a worker that has ended is woken up by the next request", async (t) => {
  const { connection, end, close, worker } = world(echo);
  t.after(close);
  await connection.request("PUT a", null);
  const first = worker();
  end();
  const { status } = await connection.request("PUT b", null);
  assert.equal(status, 200);
  assert.notEqual(worker(), first);
  assert.deepEqual(worker().asked, ["PUT b"]);
});

test("what a worker leaves unanswered is sent again if it reads, and refused as busy if it writes", async (t) => {
  let lives = 0;
  const { connection, end, close } = world((head) => (lives === 0 ? new Promise(() => {}) : echo(head, null)));
  t.after(close);
  const read = connection.request("GET a", null);
  const write = connection.request("POST b", null);
  await connection.line();
  await new Promise((resolve) => setImmediate(resolve));
  lives++;
  end();
  assert.equal((await read).status, 200);
  const { status, head, body } = await write;
  assert.equal(status, 503);
  assert.match(head, /Retry-After:1/);
  assert.match(text(body), /may or may not have been done/);
});

test("a request that makes no sense is answered", async (t) => {
  const { connection, close } = world(() => {
    throw new TypeError("Invalid URL");
  });
  t.after(close);
  assert.equal((await connection.request("GET", null)).status, 500);
});

test("a request that is given up ends at once", async (t) => {
  const { connection, close } = world(() => new Promise(() => {}));
  t.after(close);
  const controller = new AbortController();
  const asked = connection.request("GET a", null, controller.signal);
  await connection.line();
  controller.abort(new Error("enough"));
  await assert.rejects(asked, /enough/);
  await assert.rejects(connection.request("GET a", null, controller.signal), /enough/);
});

/** A body of pieces, with the number of those that were asked for. */
function long(pieces) {
  const seen = { pulled: 0, cancelled: false };
  const stream = new ReadableStream(
    {
      pull(controller) {
        const piece = pieces[seen.pulled++];
        piece === undefined ? controller.close() : piece instanceof Error ? controller.error(piece) : controller.enqueue(new TextEncoder().encode(piece));
      },
      cancel: () => void (seen.cancelled = true),
    },
    { highWaterMark: 0 },
  );
  return { seen, stream };
}

test("a long answer comes in pieces, when they are asked for", async (t) => {
  const { seen, stream } = long(["one", "two", "three"]);
  const { connection, close } = world(async () => ({ status: 200, head: "", body: stream }));
  t.after(close);
  const { body } = await connection.request("GET dump", null);
  const reader = body.getReader();
  assert.equal(text((await reader.read()).value), "one");
  assert.equal(seen.pulled, 1);
  assert.equal(text((await reader.read()).value), "two");
  assert.equal(text((await reader.read()).value), "three");
  assert.equal((await reader.read()).done, true);
});

test("a long answer that nobody reads to its end is cancelled", async (t) => {
  const { seen, stream } = long(["one", "two", "three"]);
  const { connection, close } = world((head) => (head === "GET dump" ? { status: 200, head: "", body: stream } : echo(head, null)));
  t.after(close);
  const { body } = await connection.request("GET dump", null);
  const reader = body.getReader();
  await reader.read();
  await reader.cancel();
  await connection.request("GET a", null); // behind the message that cancels
  assert.equal(seen.cancelled, true);
});

test("a long answer that breaks is one that fails, and so is one whose worker ends", async (t) => {
  const broken = long(["one", new Error("no more")]);
  const endless = long(Array(10).fill("x"));
  const bodies = [broken.stream, endless.stream];
  const { connection, end, close } = world(async () => ({ status: 200, head: "", body: bodies.shift() }));
  t.after(close);
  const first = (await connection.request("GET dump", null)).body.getReader();
  await first.read();
  await assert.rejects(first.read(), /no more/);
  const second = (await connection.request("GET dump", null)).body.getReader();
  await second.read();
  end();
  await assert.rejects(second.read(), /worker ended/);
});

test("page and worker of other versions do not talk", async (t) => {
  const { Connection } = load(["protocol", "answers", "client/errors", "client/connection"], ["Connection"], { navigator: { locks: lockManager().of({}) } });
  let other;
  const connection = new Connection((port) => {
    other = port;
    port.postMessage({ sandtable: 99, type: "connected", build: "new", life: "x" });
  });
  t.after(() => other.close());
  await assert.rejects(connection.line(), ({ code, message }) => code === "OtherVersion" && /build new/.test(message));
});

test("a closed connection says so", async (t) => {
  const { connection, close } = world(echo);
  t.after(close);
  await connection.request("GET a", null);
  connection.close();
  await assert.rejects(connection.request("GET a", null), ({ code }) => code === "Closed");
});

test("a site's own messages are left alone", () => {
  const listeners = [];
  const self = { addEventListener: (_, listener) => listeners.push(listener), clients: { claim: () => assert.fail("claimed") }, skipWaiting: () => assert.fail("skipped") };
  const { Messages } = load(["protocol", "messages"], ["Messages"], { self, navigator: {} });
  new Messages({ serve: () => assert.fail("served") }, "build").listen();
  for (const data of [undefined, null, "claim", 1, { type: "claim" }, { type: "connect" }, { sandtable: "1", type: "take over" }, { sandtable: 1 }, { sandtable: 1, type: "hello" }]) {
    listeners.forEach((listener) => listener({ data, ports: [], waitUntil: () => assert.fail("waited") }));
  }
});
