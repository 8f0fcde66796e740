// The runner's test, after, before and describe, where one test or hook may
// take two minutes: what hangs fails by its own name, not with its whole file.
// Node's --test-timeout bounds whole files alone.

import * as node from "node:test";

export const { describe } = node;

/** How long one test or hook may take, in milliseconds. Long runs set SANDTABLE_TEST_TIMEOUT=Infinity. */
const timeout = Number(process.env.SANDTABLE_TEST_TIMEOUT ?? 120_000);

/** @type {typeof node.test} */
export const test = (name, ...rest) => {
  const options = rest.length > 1 ? rest.shift() : {};
  return node.test(name, { timeout, ...options }, rest[0]);
};

export const before = (work) => node.before(work, { timeout });
export const after = (work) => node.after(work, { timeout });
