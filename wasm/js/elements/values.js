// What console.log was given: coloured by kind, with objects that can be opened.

import { h } from "./dom.js";

/** @import { ShownValue } from "../client/sandbox.d.ts" */

/** @param {ShownValue[]} values the arguments of one call */
export const valuesOf = (values) => h("div", { class: "values" }, ...values.flatMap((value, i) => (i > 0 ? [" ", valueOf(value)] : [valueOf(value)])));

/**
 * @param {ShownValue} value
 * @returns {HTMLElement}
 */
function valueOf({ name, text, kind, members = [], more }) {
  const line = [name && name + ": ", h("span", { class: kind && "is-" + kind }, text)];
  if (members.length === 0) {
    return h("span", {}, ...line);
  }
  // The members are made once they are seen: the console has few elements however much was printed.
  const tree = h("details", {}, h("summary", {}, ...line));
  tree.addEventListener("toggle", () => tree.append(h("ul", {}, ...members.map((member) => h("li", {}, valueOf(member))), more !== undefined && h("li", { class: "soft" }, `${more} more`))), { once: true });
  return tree;
}
