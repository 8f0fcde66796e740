// The small explorer over the page: a grid of the account that a program wrote.

import { h } from "./dom.js";
import { Grid } from "./grid.js";

/** @import { Sandtable } from "./store.js" */

export class Panel {
  #window = h("button", { type: "button", class: "quiet small", hidden: true, onclick: () => this.#openWindow() }, "Open in a window ↗");
  #close = h("button", { type: "button", class: "quiet small", "aria-label": "Close", onclick: () => this.close() }, "✕");
  element = h("div", { class: "panel", role: "dialog", "aria-label": "Store of this page", hidden: true, onkeydown: /** @type {EventListener} */ ((event) => /** @type {KeyboardEvent} */ (event).key === "Escape" && this.close()) });
  /** @type {Element | null} */
  #opener = null;
  /** @type {Sandtable | null} */
  #sandtable = null;
  #account = "";

  /**
   * @param {Sandtable} sandtable
   * @param {string} account
   */
  async open(sandtable, account) {
    this.#opener = /** @type {ShadowRoot} */ (this.element.getRootNode()).activeElement;
    this.#sandtable = sandtable;
    this.#account = account;
    const grid = new Grid();
    grid.setAttribute("account", account);
    grid.sandtable = sandtable;
    this.element.replaceChildren(h("header", { class: "row" }, h("b", {}, "Store of this page"), h("span", { class: "grow" }), this.#window, this.#close), grid);
    this.element.hidden = false;
    this.#close.focus();
    this.#window.hidden = !(await hasExplorer(sandtable));
  }

  close() {
    this.element.hidden = true;
    this.element.replaceChildren(); // the grid stops reading
    /** @type {HTMLElement | null} */ (this.#opener)?.focus();
  }

  #openWindow() {
    this.#sandtable?.openExplorer({ account: this.#account });
  }
}

/**
 * A site need not have the explorer's page.
 *
 * @param {Sandtable} sandtable
 */
async function hasExplorer(sandtable) {
  try {
    return (await fetch(sandtable.explorerUrl(), { method: "HEAD" })).ok;
  } catch {
    return false;
  }
}
