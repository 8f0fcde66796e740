// The accounts that a start in Node.js creates.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { start } from "../../build/node/node.js";
import { test } from "../lib/test.mjs";

test("a start creates devstoreaccount1 again if it was deleted", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sandtable-node-"));
  t.after(() => rm(folder, { recursive: true }));
  const names = async (sandtable) => (await sandtable.accounts.list()).map(({ name }) => name);
  const first = await start({ folder, accounts: ["shop"] });
  await first.accounts.delete("devstoreaccount1");
  assert.deepEqual(await names(first), ["shop"]);
  await first.close();
  const second = await start({ folder, accounts: ["shop"] });
  assert.deepEqual(await names(second), ["devstoreaccount1", "shop"]);
  await second.close();
});
