// Values as text, for the console: short, in one piece, and whatever they are.

import { formatError } from "../service-error.js";
import { cut } from "./text.js";

const DEPTH = 4;
const MEMBERS = 50;

/**
 * Returns what console.log prints for its arguments.
 *
 * @param {unknown[]} values
 */
export function formatAll(values) {
  return cut(values.map((value) => (typeof value === "string" ? cut(value) : format(value))).join(" "));
}

/**
 * @param {unknown} value
 * @param {number} [depth]
 * @param {unknown[]} [parents]
 * @returns {string}
 */
export function format(value, depth = 0, parents = []) {
  switch (typeof value) {
    case "string":
      return JSON.stringify(cut(value));
    case "bigint":
      return value + "n";
    case "function":
      return `[Function${value.name === "" ? "" : " " + cut(String(value.name), 100)}]`;
    case "object":
      return value === null ? "null" : formatObject(value, depth, parents);
    default:
      return Object.is(value, -0) ? "-0" : String(value);
  }
}

/**
 * @param {object} value
 * @param {number} depth
 * @param {unknown[]} parents
 */
function formatObject(value, depth, parents) {
  if (parents.includes(value)) {
    return "[Circular]";
  }
  try {
    if (value instanceof Date) {
      return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
    }
    if (value instanceof Error) {
      return cut(formatError(value));
    }
    if (value instanceof RegExp || value instanceof URL) {
      return String(value);
    }
    if (value instanceof Promise) {
      return "Promise {…}";
    }
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
      return `${value.constructor.name}(${value.byteLength}) [${[.../** @type {Uint8Array} */ (value).subarray(0, 16)].join(", ")}${value.byteLength > 16 ? ", …" : ""}]`;
    }
    const inner = [...parents, value];
    const next = (/** @type {unknown} */ child) => format(child, depth + 1, inner);
    if (Array.isArray(value)) {
      return depth >= DEPTH ? `[Array of ${value.length}]` : wrap("[", firsts(value, value.length, next), "]", depth);
    }
    if (value instanceof Map) {
      const parts = firsts(value, value.size, ([key, child]) => `${next(key)} => ${next(child)}`);
      return wrap(`Map(${value.size}) {`, parts, "}", depth);
    }
    if (value instanceof Set) {
      return wrap(`Set(${value.size}) {`, firsts(value, value.size, next), "}", depth);
    }
    const keys = Object.keys(value);
    const name = value.constructor?.name;
    const prefix = name === undefined || name === "Object" ? "" : cut(String(name), 100) + " ";
    if (depth >= DEPTH) {
      return prefix + "{…}";
    }
    const parts = firsts(keys, keys.length, (key) => `${/^[\w$]+$/.test(key) ? key : JSON.stringify(cut(key, 200))}: ${next(/** @type {any} */ (value)[key])}`);
    return wrap(prefix + "{", parts, "}", depth);
  } catch {
    return "[object that cannot be shown]"; // a getter or a proxy of its own
  }
}

/**
 * Formats the first members of a collection.
 *
 * @template T
 * @param {Iterable<T>} all
 * @param {number} count
 * @param {(member: T) => string} f
 */
function firsts(all, count, f) {
  const parts = [];
  for (const member of all) {
    if (parts.length === MEMBERS) {
      parts.push(`… ${count - MEMBERS} more`);
      break;
    }
    parts.push(f(member));
  }
  return parts;
}

/**
 * @param {string} open
 * @param {string[]} parts
 * @param {string} close
 * @param {number} depth
 */
function wrap(open, parts, close, depth) {
  if (parts.length === 0) {
    return open + close;
  }
  const line = parts.join(", ");
  if (line.length + open.length < 76 - 2 * depth && !line.includes("\n")) {
    return close === "]" ? open + line + close : `${open} ${line} ${close}`;
  }
  const indent = "  ".repeat(depth + 1);
  return cut(`${open}\n${indent}${parts.join(",\n" + indent)}\n${"  ".repeat(depth)}${close}`);
}

/**
 * Returns console.table's columns and cells as text; null for what is no table.
 *
 * @param {unknown} rows
 * @param {unknown} [wanted] the names of the columns
 * @returns {{columns: string[], rows: string[][]} | null}
 */
export function formatTable(rows, wanted) {
  if (rows === null || typeof rows !== "object") {
    return null;
  }
  const entries = Object.entries(rows).slice(0, 200);
  const isRow = (/** @type {unknown} */ row) => row !== null && typeof row === "object";
  const found = new Set(entries.flatMap(([, row]) => (isRow(row) ? Object.keys(/** @type {object} */ (row)).slice(0, 30) : ["value"])));
  const columns = (Array.isArray(wanted) ? wanted.map(String) : [...found]).slice(0, 30);
  const cell = (/** @type {any} */ row, /** @type {string} */ name) => {
    const value = isRow(row) ? /** @type {any} */ (row)[name] : name === "value" ? row : undefined;
    return value === undefined ? "" : cut(typeof value === "string" ? value : format(value, 2), 500);
  };
  return { columns: ["(index)", ...columns], rows: entries.map(([index, row]) => [index, ...columns.map((name) => cell(row, name))]) };
}
