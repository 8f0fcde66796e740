// The small explorer over the page: a grid of the account that a program wrote.

import { h, mark } from "./dom.js";
import { Grid } from "./grid.js";

/** @import { Sandtable } from "./store.js" */

export class Panel {
  #window = h("button", { type: "button", class: "quiet small", "aria-label": "Open in a window", title: "Open in a window", hidden: true, onclick: () => this.#openWindow() }, "↗");
  #close = h("button", { type: "button", class: "quiet small", "aria-label": "Close", title: "Close", onclick: () => this.close() }, "✕");
  element = h("div", { class: "panel", role: "dialog", "aria-label": "Store of this page", popover: "manual", onkeydown: /** @type {EventListener} */ ((event) => /** @type {KeyboardEvent} */ (event).key === "Escape" && this.close()) });
  /** @type {Element | null} */
  #opener = null;
  /** @type {Sandtable | null} */
  #sandtable = null;
  #account = "";

  /**
   * @param {Sandtable} sandtable
   * @param {string} account
   * @param {Set<string>} changed the keys of what the last run wrote, see rowKey
   * @param {string} table what to show, "" for the first one
   */
  async open(sandtable, account, changed, table) {
    if (!this.element.matches(":popover-open")) {
      this.#opener = /** @type {ShadowRoot} */ (this.element.getRootNode()).activeElement;
    }
    this.#sandtable = sandtable;
    this.#account = account;
    const grid = new Grid();
    grid.setAttribute("account", account);
    grid.setAttribute("bare", "");
    if (table !== "") grid.setAttribute("table", table);
    grid.changed = changed;
    grid.sandtable = sandtable;
    this.element.replaceChildren(h("header", { class: "row" }, mark(), h("b", {}, "Store of this page"), h("span", { class: "grow" }), this.#window, this.#close), grid);
    this.element.togglePopover(true); // over all of the page, whatever contains the element
    this.#close.focus();
    this.#window.hidden = !(await hasExplorer(sandtable));
  }

  close() {
    this.element.togglePopover(false);
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
