// A connected account that stops answering: its last rows stay, and the page reads again by itself.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import * as sdk from "@azure/data-tables";
import { native } from "../lib/native.mjs";
import { byHand } from "../lib/page.mjs";
import { after, test } from "../lib/test.mjs";
import { visit } from "../lib/visit.mjs";

const server = native(undefined, "-cors", "permissive");
const here = visit(async ({ page }) => {
  await page.setViewport({ width: 1440, height: 860 });
  await page.waitForSelector(`${hook("new-endpoint")}:not([disabled])`, { visible: true });
});
const { hook, click, replace, shows, gone } = byHand(() => here.page);

/** Passes connections on to the server, until it is closed. */
function line() {
  const open = new Set();
  const entry = createServer((socket) => {
    const out = connect(server.port, "127.0.0.1");
    for (const end of [socket, out]) {
      open.add(end);
      end.on("error", () => {}).on("close", () => open.delete(end));
    }
    socket.pipe(out).pipe(socket);
  });
  return {
    listen: async (port) => {
      await once(entry.listen(port, "127.0.0.1"), "listening");
      return entry.address().port;
    },
    cut: () => {
      entry.close();
      open.forEach((end) => end.destroy());
    },
  };
}

let wire = line();
let port;
after(() => wire.cut());
const things = () => sdk.TableClient.fromConnectionString(server.connection, "Things", { allowInsecureConnection: true });

test("an account is connected and its table shown", async () => {
  await things().createTable();
  await things().createEntity({ partitionKey: "p", rowKey: "1", Name: "Amara" });
  port = await wire.listen(0);
  await click("new-endpoint");
  await replace("endpoint-text", server.connection.replaceAll(`:${server.port}`, `:${port}`));
  await click("connect-endpoint");
  await click("table-item");
  await shows("grid-row", "Amara");
});

test("when it stops answering, its rows stay, and the page says when it tries again", async () => {
  wire.cut();
  await here.page.keyboard.press("F5");
  await shows("outage", `Nothing answers at 127.0.0.1:${port}`);
  await shows("outage", "What you last saw of Things is shown below, from ");
  await here.page.waitForFunction((at) => /Next tryin \d+ sTries so far\d/.test(document.querySelector(at)?.textContent), {}, hook("outage"));
  await shows("grid-row", "Amara");
});

test("trying is stopped and begun again by hand", async () => {
  await click("stop-trying");
  await gone("stop-trying");
  await shows("outage", "Nothing answers");
  await click("try-again");
  await here.page.waitForSelector(hook("stop-trying"), { visible: true });
});

test("once it answers, the rows are read without a click", async () => {
  await things().createEntity({ partitionKey: "p", rowKey: "2", Name: "Bo" });
  wire = line();
  await wire.listen(port);
  await shows("loaded", "All 2 loaded");
  await gone("outage");
});

test("the page reported no error", () => {
  assert.deepEqual(here.page.problems, []);
});
