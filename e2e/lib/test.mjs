// Node's test, after, before and describe with a timeout of four minutes for each
// test and hook, so that a hanging test fails under its own name. Node's
// --test-timeout only limits whole files. On an idle machine
// no test comes near it.

import * as node from "node:test";

export const { describe } = node;

/** The limit for one test or hook in milliseconds. Long runs set SANDTABLE_TEST_TIMEOUT=Infinity. */
export const timeout = Number(process.env.SANDTABLE_TEST_TIMEOUT ?? 240_000);

/** @type {typeof node.test} */
export const test = (name, ...rest) => {
  const options = rest.length > 1 ? rest.shift() : {};
  return node.test(name, { timeout, ...options }, rest[0]);
};

export const before = (work) => node.before(work, { timeout });
export const after = (work) => node.after(work, { timeout });

/** Runs after each test that failed. */
export const afterFailure = (work) => node.afterEach((test) => (test.passed ? undefined : work()), { timeout });
