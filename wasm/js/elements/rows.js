// Reads pages of a table for the grid.

/** @import { Sandtable } from "./store.js" */

export const PAGE = 100;

/**
 * Names an entity of an account, for a set of them.
 *
 * @param {string} table
 * @param {string | undefined} partition
 * @param {string | undefined} row
 */
export const rowKey = (table, partition, row) => JSON.stringify([table, partition, row]);

/**
 * @typedef {object} Rows
 * @property {Record<string, any>[]} rows as in the service's JSON
 * @property {[string, string] | null} next where the next page begins
 * @property {Record<string, string>} plan how they were found: kind, examined and returned
 */

/**
 * Reads a page.
 *
 * @param {Sandtable} sandtable
 * @param {string} account
 * @param {string} table
 * @param {string} filter
 * @param {[string, string] | null} from
 * @returns {Promise<Rows>}
 */
export async function readRows(sandtable, account, table, filter, from) {
  const query = new URLSearchParams({ $top: String(PAGE) });
  if (filter !== "") {
    query.set("$filter", filter);
  }
  if (from !== null) {
    query.set("NextPartitionKey", from[0]);
    query.set("NextRowKey", from[1]);
  }
  const { body, headers } = await get(sandtable, `${sandtable.endpoint(account)}/${table}()?${query.toString().replaceAll("+", "%20")}`);
  const [partition, row] = ["NextPartitionKey", "NextRowKey"].map((name) => headers.get("x-ms-continuation-" + name));
  const plan = Object.fromEntries((headers.get("x-sandtable-explain") ?? "").split(";").map((/** @type {string} */ part) => part.split("=")));
  return { rows: body.value, next: partition === undefined ? null : [partition, row ?? ""], plan };
}

/**
 * Returns the names of an account's tables, the first thousand.
 *
 * @param {Sandtable} sandtable
 * @param {string} account
 * @returns {Promise<string[]>}
 */
export async function readTables(sandtable, account) {
  const { body } = await get(sandtable, sandtable.endpoint(account) + "/Tables");
  return body.value.map((/** @type {{TableName: string}} */ { TableName }) => TableName);
}

// The strings and numbers of JSON. Doubles have no annotation, but always a point or
// an exponent, which JSON.parse would lose.
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * @param {Sandtable} sandtable
 * @param {string} url
 */
async function get(sandtable, url) {
  const headers = [["accept", "application/json;odata=fullmetadata"], ["x-ms-version", "2019-02-02"], ["x-sandtable-explain", "1"]];
  const response = await sandtable.httpClient.sendRequest({ method: "GET", url, headers: /** @type {[string, string][]} */ (headers) });
  const body = JSON.parse((response.bodyAsText || "{}").replace(TOKEN, (/** @type {string} */ token) => (/^[^"]*[.eE]/.test(token) ? JSON.stringify({ double: token }) : token)));
  if (response.status !== 200) {
    const error = body["odata.error"];
    throw new Error(error === undefined ? `The store answered ${response.status}.` : `${error.code}: ${error.message.value.split("\n")[0]}`);
  }
  return { body, headers: response.headers };
}

/**
 * A property as it is shown: its type by its last name, such as Int32.
 *
 * @param {Record<string, any>} row
 * @param {string} name
 * @returns {{text: string, type: string}}
 */
export function valueOf(row, name) {
  const value = row[name];
  if (value === undefined || value === null) {
    return { text: "–", type: "absent" };
  }
  if (typeof value === "object") {
    return { text: value.double, type: "Double" };
  }
  const annotated = row[name + "@odata.type"];
  const type = annotated?.replace("Edm.", "") ?? { boolean: "Boolean", number: "Int32" }[/** @type {string} */ (typeof value)] ?? "String";
  return { text: String(value), type };
}

/**
 * The names of the columns: the keys, then the properties as they come.
 *
 * @param {Record<string, any>[]} rows
 */
export function columnsOf(rows) {
  const names = new Set(["PartitionKey", "RowKey"]);
  for (const row of rows) {
    Object.keys(row).forEach((name) => !name.includes("odata.") && name !== "Timestamp" && names.add(name));
  }
  return [...names];
}
