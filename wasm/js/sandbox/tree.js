// Values as trees, for the console to open: whatever they are, a tree has a
// bounded depth, number of members and size. The program's side builds it; the
// page's side takes none of it for granted.

import { formatError } from "../service-error.js";
import { format } from "./format.js";
import { cut } from "./text.js";

/**
 * @import { ShownValue } from "../client/sandbox.d.ts"
 * @typedef {NonNullable<ShownValue["kind"]>} Kind
 */

const DEPTH = 6; // levels below the value
const MEMBERS = 100; // of one object
const NODES = 500; // of one call of console.log
const VALUES = 20; // arguments of one call
const TEXT = 500; // characters of a value
const NAME = 100;
const PREVIEW = 5; // members in the line of an object that is closed

/** @type {readonly string[]} */
const KINDS = ["string", "number", "boolean", "date", "none"];

/**
 * Returns the arguments of console.log as trees; null if they are text alone.
 *
 * @param {unknown[]} values
 * @returns {ShownValue[] | null}
 */
export function treesOf(values) {
  if (values.length > VALUES || values.every((value) => typeof value === "string")) {
    return null;
  }
  let left = NODES - values.length;
  const all = values.map((value) => ({ ...shown(value), ...(typeof value === "string" && { text: cut(value), kind: undefined }) }));
  /** @type {{value: unknown, node: ShownValue, parents: unknown[]}[]} */
  const queue = values.map((value, i) => ({ value, node: all[i], parents: [] }));
  for (const { value, node, parents } of queue) { // level by level, so that a deep member takes no space from a near one
    const { members, count } = opened(value, parents);
    if (count === 0) {
      continue;
    }
    const first = members.slice(0, left);
    left -= first.length;
    node.members = first.map(([name, child]) => ({ name: cut(name, NAME), ...shown(child, [...parents, value]) }));
    node.more = count > first.length ? count - first.length : undefined;
    queue.push(...first.map(([, child], i) => ({ value: child, node: /** @type {ShownValue[]} */ (node.members)[i], parents: [...parents, value] })));
  }
  return all;
}

/**
 * What is seen when a value is opened: its first members, and how many there are.
 *
 * @param {unknown} value
 * @param {unknown[]} parents
 * @returns {{members: [string, unknown][], count: number}}
 */
function opened(value, parents) {
  try {
    if (parents.length >= DEPTH || parents.includes(value)) {
      return { members: [], count: 0 };
    }
    return membersOf(value);
  } catch {
    return { members: [], count: 0 }; // a getter or a proxy of its own
  }
}

/**
 * @param {any} value
 * @returns {{members: [string, unknown][], count: number}}
 */
function membersOf(value) {
  if (value === null || typeof value !== "object" || isLeaf(value)) {
    return { members: [], count: 0 };
  }
  if (value instanceof Map) {
    return { members: firsts(value, ([key, child]) => [short(key), child]), count: value.size };
  }
  if (value instanceof Set) {
    return { members: firsts(value, (child, i) => [String(i), child]), count: value.size };
  }
  if (Array.isArray(value)) {
    return { members: value.slice(0, MEMBERS).map((child, i) => [String(i), child]), count: value.length };
  }
  const keys = Object.keys(value);
  if (value instanceof Error) {
    keys.unshift("name", "message", "stack");
  }
  return { members: keys.slice(0, MEMBERS).map((key) => [key, value[key]]), count: keys.length };
}

/** @param {object} value */
const isLeaf = (value) => value instanceof Date || value instanceof RegExp || value instanceof URL || value instanceof Promise || value instanceof ArrayBuffer || ArrayBuffer.isView(value);

/**
 * @template T
 * @param {Iterable<T>} all
 * @param {(member: T, i: number) => [string, unknown]} f
 */
function firsts(all, f) {
  /** @type {[string, unknown][]} */
  const found = [];
  for (const member of all) {
    if (found.length === MEMBERS) {
      break;
    }
    found.push(f(member, found.length));
  }
  return found;
}

/**
 * Returns a value in one line, with a few of its members.
 *
 * @param {unknown} value
 * @param {unknown[]} [parents]
 * @returns {ShownValue}
 */
function shown(value, parents = []) {
  if (parents.includes(value)) {
    return { text: "[Circular]" };
  }
  try {
    return { text: cut(preview(value), TEXT), kind: kindOf(value) };
  } catch {
    return { text: "[object that cannot be shown]" };
  }
}

/**
 * @param {any} value
 * @returns {string}
 */
function preview(value) {
  if (value === null || typeof value !== "object" || isLeaf(value)) {
    return short(value);
  }
  if (value instanceof Error) {
    return formatError(value);
  }
  const { members, count } = membersOf(value);
  const named = !Array.isArray(value) && !(value instanceof Set);
  const parts = members.slice(0, PREVIEW).map(([name, child]) => (named ? `${name}: ` : "") + closed(child));
  if (count > PREVIEW) {
    parts.push("…");
  }
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const inner = open === "{" && parts.length > 0 ? ` ${parts.join(", ")} ` : parts.join(", ");
  return headOf(value, count) + open + inner + close;
}

/**
 * What stands before a value's members: its class and, of a collection, how many there are.
 *
 * @param {any} value
 * @param {number} count
 */
function headOf(value, count) {
  const name = cut(String(value.constructor?.name ?? "Object"), NAME);
  if (value instanceof Map || value instanceof Set) {
    return `${name}(${count}) `;
  }
  if (Array.isArray(value)) {
    return count > PREVIEW ? `(${count}) ` : "";
  }
  return name === "Object" ? "" : name + " ";
}

/**
 * A value inside the line of another.
 *
 * @param {any} value
 */
function closed(value) {
  if (typeof value === "string") {
    return JSON.stringify(cut(value, 40));
  }
  if (value === null || typeof value !== "object" || isLeaf(value)) {
    return cut(short(value), 40);
  }
  return Array.isArray(value) ? `Array(${value.length})` : value instanceof Error ? cut(String(value.name), 40) : "{…}";
}

/** @param {unknown} value */
const short = (value) => (typeof value === "string" ? JSON.stringify(cut(value, TEXT)) : format(value));

/**
 * @param {unknown} value
 * @returns {Kind | undefined}
 */
function kindOf(value) {
  if (value === null || value === undefined) {
    return "none";
  }
  if (value instanceof Date) {
    return "date";
  }
  return typeof value === "bigint" ? "number" : /** @type {Kind | undefined} */ (KINDS.find((kind) => kind === typeof value));
}

/**
 * Returns the trees in a message of the program, which may be anything.
 *
 * @param {string} json
 * @returns {ShownValue[] | null} null for what is not of our runtime
 */
export function treesIn(json) {
  try {
    let left = NODES;
    const text = (/** @type {unknown} */ value, /** @type {number} */ limit) => (typeof value === "string" ? cut(value, limit) : "");
    const read = (/** @type {any} */ node, /** @type {number} */ depth) => {
      left--;
      /** @type {ShownValue} */
      const out = { text: text(node.text, depth === 0 ? 10_000 : TEXT) };
      if (depth > 0) {
        out.name = text(node.name, NAME);
      }
      if (KINDS.includes(node.kind)) {
        out.kind = node.kind;
      }
      if (Array.isArray(node.members) && depth < DEPTH) {
        out.members = [];
        for (const member of node.members.slice(0, MEMBERS)) {
          if (left > 0) {
            out.members.push(read(member, depth + 1));
          }
        }
      }
      if (Number.isSafeInteger(node.more) && node.more > 0) {
        out.more = node.more;
      }
      return out;
    };
    return JSON.parse(json).slice(0, VALUES).map((/** @type {unknown} */ node) => read(node, 0));
  } catch {
    return null;
  }
}
