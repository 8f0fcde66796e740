// A worker and a page in one process, which exchange messages.

import { Connection } from "../client/connection.js";
import { Messages } from "../messages.js";

/** Fake Web Locks, which are released when their context ends. */
export function lockManager() {
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

/** Successive instances of a worker, and a page that can reach the current one. */
export function world(answer) {
  const locks = lockManager();
  let worker = null;
  const ports = [];
  const begin = () => {
    const context = {};
    const asked = [];
    const service = {
      serve: (head, body) => (asked.push(head), answer(head, body, asked.length)),
      watch: (listener, events) => Object.assign(made, { listener, events }),
      state: { engine: "running" },
    };
    const made = { context, asked, listener: null, events: "nothing", messages: new Messages(service, "build", locks.of(context)) };
    return (worker = made);
  };
  const end = () => {
    ports.forEach((port) => port.close()); // the other side is not notified
    locks.end(worker.context);
    worker = null;
  };
  const page = {};
  const said = []; // to the worker, and on ports
  const open = (port) => {
    ports.push(port);
    (worker ?? begin()).messages.connect(port);
    const { onmessage } = port;
    port.onmessage = (event) => {
      said.push(event.data);
      onmessage(event);
    };
  };
  const connection = new Connection(open, { keepAlive: () => said.push("keepAlive"), locks: locks.of(page) });
  const close = () => {
    connection.close();
    ports.forEach((port) => port.close());
  };
  return { begin, end, connection, close, worker: () => worker, said, leave: () => locks.end(page) };
}

export const text = (bytes) => new TextDecoder().decode(bytes);
export const echo = async (head, body) => ({ status: 200, head: "x:1", body: new TextEncoder().encode(head + (body === null ? "" : " " + text(body))) });
/** A body of chunks, and the number of requested chunks. */
export function long(pieces) {
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
/** Waits for a condition: messages take a few turns of the event loop. */
export async function until(holds) {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
