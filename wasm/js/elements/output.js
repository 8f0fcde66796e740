// What a run prints and requests. All texts are a program's: they are shown as text.

import { h } from "./dom.js";
import { valuesOf } from "./values.js";

/**
 * @import { RequestEvent } from "../client/events.d.ts"
 * @import { ShownValue } from "../client/sandbox.d.ts"
 */

export class Output {
  #console = h("ol", { class: "lines" });
  #requests = h("ol", { class: "lines" });

  element = h("div", { class: "output" },
    h("section", { "aria-label": "Console" }, h("h3", {}, "Console"), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Console" }, this.#console)),
    h("section", { "aria-label": "Requests" }, h("h3", {}, "Requests"), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Requests" }, this.#requests)));

  /**
   * @param {string} level
   * @param {string} text
   * @param {number} line
   * @param {ShownValue[] | null} values
   */
  log = (level, text, line, values) => this.#console.append(h("li", { class: level }, values === null ? h("code", {}, text) : valuesOf(values), lineOf(line)));

  /**
   * @param {{columns: string[], rows: string[][]}} table
   * @param {number} line
   */
  table = ({ columns, rows }, line) => {
    const cells = (/** @type {string[]} */ row) => h("tr", {}, ...row.map((text) => h("td", {}, text)));
    const table = h("table", {}, h("thead", {}, h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, ...rows.map(cells)));
    this.#console.append(h("li", {}, table, lineOf(line)));
  };

  clear = () => {
    this.#console.replaceChildren();
    this.#requests.replaceChildren();
  };

  /** @param {RequestEvent} event */
  request({ method, url, status, statistics, operation, code }) {
    const { pathname, search } = new URL(url);
    const read = statistics !== null && code === "";
    const plan = read ? [h("b", {}, statistics.kind), ` · ${statistics.returned} returned of ${statistics.examined} examined`] : [h("b", {}, operation), code !== "" && " · " + code];
    this.#requests.append(h("li", { class: "request" }, h("span", { class: "method " + method }, method),
      h("span", {}, h("code", {}, decoded(pathname + search)), h("span", { class: read ? "soft plan" : "soft plan write" }, ...plan)),
      h("span", { class: status >= 400 || status === 0 ? "error" : "good" }, status === 0 ? "cut" : String(status))));
  }
}

/** @param {number} line */
const lineOf = (line) => line > 0 && h("span", { class: "soft" }, `line ${line}`);

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
