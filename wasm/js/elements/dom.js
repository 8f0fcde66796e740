// Makes DOM elements. Texts become text nodes, never markup.

/** @typedef {Node | string | false | null | undefined} Child */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | boolean | EventListener | null | undefined>} [attributes] a function under
 *   "onclick" and the like is a listener; true is an attribute without a value; false, null and undefined are left out
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value);
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.filter((child) => child !== false && child !== null && child !== undefined));
  return element;
}

/** @param {string} name */
const svg = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);

/** Sandtable's mark. */
export function mark() {
  const image = svg("svg");
  image.setAttribute("viewBox", "0 0 20 20");
  image.setAttribute("aria-hidden", "true");
  for (const [d, part] of [["M5 1.5h10A3.5 3.5 0 0 1 18.5 5v10a3.5 3.5 0 0 1-3.5 3.5H5A3.5 3.5 0 0 1 1.5 15V5A3.5 3.5 0 0 1 5 1.5zM1.8 7h16.4M7 7v11.4", "lines"], ["M7 15.2c2.2 0 2.6-3.2 5-3.2s3 2.2 6.4 2.2v2a3 3 0 0 1-3 3H7z", "sand"]]) {
    const path = svg("path");
    path.setAttribute("d", d);
    path.setAttribute("class", part);
    image.append(path);
  }
  return image;
}

/**
 * Shows a confirmation in `bar` and resolves to the chosen value, or null.
 *
 * @param {HTMLElement} bar
 * @param {string} question
 * @param {Record<string, string>} answers values by their buttons' texts
 * @returns {Promise<string | null>}
 */
export function ask(bar, question, answers) {
  return new Promise((resolve) => {
    const before = /** @type {ShadowRoot} */ (bar.getRootNode()).activeElement;
    const end = (/** @type {string | null} */ value) => {
      bar.replaceChildren();
      bar.onkeydown = null;
      /** @type {HTMLElement | null} */ (before)?.focus();
      resolve(value);
    };
    const buttons = Object.entries(answers).map(([text, value]) => h("button", { type: "button", class: "small", onclick: () => end(value) }, text));
    bar.replaceChildren(h("span", {}, question), ...buttons, h("button", { type: "button", class: "small quiet", onclick: () => end(null) }, "Cancel"));
    bar.onkeydown = (event) => event.key === "Escape" && (event.stopPropagation(), end(null));
    buttons[0].focus();
  });
}
