// A line of limited throughput and latency, as a proxy in front of a server.

import { connect, createServer } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

const chunk = 1460; // bytes, those of a TCP segment

/**
 * Serves a port of localhost through a slow line until stop is called.
 *
 * @param {number} port of the server
 * @param {{bytesPerSecond: number, roundTrip: number}} line roundTrip in milliseconds
 */
export async function slowLine(port, { bytesPerSecond, roundTrip }) {
  const traffic = { bytes: 0, last: 0, requests: [] };
  let free = 0; // when the line has sent all that it was given
  const sockets = new Set();

  /** Sends what comes from one socket to the other, in its order, `delay` later. */
  async function pass(from, to, delay, send) {
    let before = Promise.resolve();
    for await (const data of from) {
      for (let i = 0; i < data.length; i += chunk) {
        const part = data.subarray(i, i + chunk);
        const at = send(part) + delay;
        before = before.then(async () => {
          await sleep(Math.max(0, at - performance.now()));
          if (!to.destroyed) to.write(part);
        });
      }
      // A line does not take more than it can send: the server waits, as on a real one.
      while (free - performance.now() > 200) await sleep(50);
    }
    await before;
    to.end();
  }

  const down = (part) => {
    free = Math.max(free, performance.now()) + (1000 * part.length) / bytesPerSecond;
    traffic.bytes += part.length;
    traffic.last = performance.timeOrigin + free + roundTrip / 2;
    return free;
  };
  const up = (part) => {
    const line = /^[A-Z]+ (\S+) HTTP/.exec(part.toString("latin1"));
    if (line !== null) traffic.requests.push(line[1]);
    return performance.now();
  };

  const server = createServer(async (client) => {
    const origin = connect(port, "localhost");
    for (const socket of [client, origin]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket)).setNoDelay(true);
    }
    const ignored = () => {};
    // The handshake takes a round trip before the first byte.
    const open = performance.now() + roundTrip;
    pass(client, origin, roundTrip / 2, (part) => Math.max(up(part), open)).catch(ignored);
    pass(origin, client, roundTrip / 2, down).catch(ignored);
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return {
    url: `http://localhost:${server.address().port}/`,
    traffic,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
