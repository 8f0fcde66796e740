// What a test or a lesson expects of the requests of some code.

import { SandtableError } from "./errors.js";
import { checkedAccount, known, OPERATIONS, refuseOption } from "./options.js";

/** @import { RecordedRequest, RequestEvent } from "./sandtable.d.ts" */
/** @import { ExpectedRequest } from "./testing.d.ts" */

const MEMBERS = ["method", "operation", "account", "table", "status", "code", "label", "plan", "examined", "returned"];

const METHODS = ["GET", "POST", "PUT", "MERGE", "PATCH", "DELETE", "HEAD", "OPTIONS"];

// What some members can be: with a misspelled value no request would ever be like an expected one.
const VALUES = {
  method: METHODS,
  operation: [...OPERATIONS, ""],
  plan: ["point", "row range", "partition scan", "table scan"],
};

export class Expectation {
  #read;
  #account;

  /**
   * @param {() => Promise<{requests: RecordedRequest[], complete: boolean}>} read the requests since the beginning
   * @param {string} [account] the only one
   */
  constructor(read, account) {
    this.#read = read;
    this.#account = account;
  }

  /** @returns {Promise<RecordedRequest[]>} */
  async requests() {
    const { requests, complete } = await this.#read();
    if (!complete) {
      throw new SandtableError("Expectation", "There were more requests than are kept, or the engine was started again: check them in smaller steps.");
    }
    return requests.filter(({ account }) => this.#account === undefined || account === this.#account);
  }

  /** @param {ReadonlyArray<ExpectedRequest>} expected */
  async toBe(expected) {
    if (!Array.isArray(expected)) {
      refuseOption("toBe", "it takes a list of expected requests.");
    }
    expected.forEach((one) => checked("toBe", one));
    const requests = await this.requests();
    for (let i = 0; i < Math.max(expected.length, requests.length); i++) {
      if (i === expected.length) {
        throw differs(`${expected.length} requests were expected, but there were ${requests.length}. Number ${i + 1} is ${lineOf(requests[i])}.`);
      }
      if (i === requests.length) {
        throw differs(`${expected.length} requests were expected, but there were ${requests.length}. Number ${i + 1}, ${textOf(expected[i])}, is missing.`);
      }
      const why = difference(requests[i], expected[i]);
      if (why !== "") {
        throw differs(`Request ${i + 1}, ${lineOf(requests[i])}: ${why}.`);
      }
    }
    return requests;
  }

  /** @param {ExpectedRequest & {times?: number}} expected */
  async toInclude(expected) {
    const { times, ...one } = known("toInclude", expected, [...MEMBERS, "times"]);
    checkValues("toInclude", one);
    const requests = await this.requests();
    const found = requests.filter((request) => difference(request, one) === "");
    if (times === undefined ? found.length === 0 : found.length !== times) {
      throw differs(`${times ?? "At least one"} with ${textOf(one)} expected, but there are ${found.length} of ${listOf(requests)}.`);
    }
    return found;
  }

  /** @param {ExpectedRequest} expected */
  async notToInclude(expected) {
    checked("notToInclude", expected);
    const found = (await this.requests()).find((request) => difference(request, expected) === "");
    if (found !== undefined) {
      throw differs(`No request with ${textOf(expected)} was expected, but there is ${lineOf(found)}.`);
    }
  }
}

/**
 * @param {string} method
 * @param {ExpectedRequest} expected
 */
function checked(method, expected) {
  if (Object.keys(known(method, expected, MEMBERS)).length === 0) {
    refuseOption(method, "an expected request has at least one member, such as operation or status.");
  }
  checkValues(method, expected);
}

/**
 * @param {string} method
 * @param {ExpectedRequest} expected
 */
function checkValues(method, expected) {
  for (const [name, valid] of Object.entries(VALUES)) {
    const value = expected[/** @type {keyof VALUES} */ (name)];
    if (value !== undefined && !valid.includes(value)) {
      refuseOption(method, `${name} is one of ${valid.filter((one) => one !== "").join(", ")}, not ${JSON.stringify(value)}.`);
    }
  }
  if (expected.account !== undefined) {
    checkedAccount(method, expected.account);
  }
}

/** @param {string} message */
const differs = (message) => new SandtableError("Expectation", message);

/**
 * Returns a request as expectations see it.
 *
 * @param {RequestEvent} request
 * @returns {Record<string, unknown>}
 */
function membersOf(request) {
  const { statistics } = request;
  return { ...request, plan: statistics?.kind, examined: statistics?.examined, returned: statistics?.returned };
}

/**
 * Returns the first difference, "" for none.
 *
 * @param {RequestEvent} request
 * @param {ExpectedRequest} expected
 */
function difference(request, expected) {
  const members = membersOf(request);
  for (const [name, value] of Object.entries(expected)) {
    const same = name === "table" ? String(members.table).toLowerCase() === String(value).toLowerCase() : members[name] === value;
    if (value !== undefined && !same) {
      return `${name} is ${members[name] === undefined || members[name] === "" ? "missing" : members[name]}, not ${value}`;
    }
  }
  return "";
}

/** @param {RequestEvent} request */
function lineOf({ method, url, operation, status }) {
  return `${operation === "" ? method + " " + url : operation} (${status})`;
}

/** @param {object} expected */
const textOf = (expected) => Object.entries(expected).map(([name, value]) => `${name} ${value}`).join(", ");

/** @param {RequestEvent[]} requests */
function listOf(requests) {
  return requests.length === 0 ? "no requests" : requests.length + " requests: " + requests.slice(0, 10).map(lineOf).join(", ") + (requests.length > 10 ? " …" : "");
}
