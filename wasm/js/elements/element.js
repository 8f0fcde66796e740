// What both elements have in common: a shadow root with their style, attributes,
// the store, and what stops when they leave the page.

import { messageOf } from "../answers.js";
import { h } from "./dom.js";
import { storeWith } from "./store.js";
import { style } from "./style.js";

/** @import { Sandtable } from "./store.js" */

export class Element extends HTMLElement {
  /** @type {Sandtable | null} */
  #given = null;
  #leaving = new AbortController();
  #opened = false; // and has not left the page since
  /** @type {ShadowRoot} */
  root;

  constructor() {
    super();
    this.root = this.attachShadow({ mode: "open" });
    style(this.root);
  }

  /** The store, what start() returned; set it before the element is used. Otherwise the elements start one themselves. */
  get sandtable() {
    return this.#given;
  }
  set sandtable(given) {
    this.#given = given;
    this.restart();
  }

  /** The account that the element shows. */
  get account() {
    return this.getAttribute("account") ?? "demo";
  }

  /** Aborted when the element leaves the page, or starts again. */
  get leaving() {
    return this.#leaving.signal;
  }

  /** Begins again with other attributes or another store, if it has begun. */
  restart() {
    if (this.#opened) {
      this.disconnectedCallback();
      this.connectedCallback();
    }
  }

  connectedCallback() {
    this.#opened = true;
    if (Object.hasOwn(this, "sandtable")) { // set before this script was loaded
      const { sandtable } = this;
      Reflect.deleteProperty(this, "sandtable");
      this.#given = sandtable;
    }
    this.#leaving.abort();
    this.#leaving = new AbortController();
    const { leaving } = this;
    this.open(leaving).catch((reason) => leaving.aborted || this.failed(reason));
  }

  disconnectedCallback() {
    this.#opened = false;
    this.#leaving.abort();
  }

  /**
   * Draws the element.
   *
   * @param {AbortSignal} leaving aborted when it has to begin again, or not at all
   */
  async open(leaving) {
    leaving.throwIfAborted();
  }

  store() {
    return storeWith(this.#given, this.account);
  }

  /**
   * Calls a listener until the element leaves the page.
   *
   * @param {Sandtable} sandtable
   * @param {"change" | "request"} name
   * @param {(detail: any) => void} listener
   */
  follow(sandtable, name, listener) {
    this.leaving.addEventListener("abort", sandtable.on(name, listener, { account: this.account }));
  }

  /** @param {unknown} reason why the element cannot be shown */
  failed(reason) {
    this.root.replaceChildren(h("section", { class: "frame" }, h("p", { class: "bar error", role: "alert" }, messageOf(reason),
      h("button", { type: "button", class: "small", onclick: () => this.connectedCallback() }, "Try again"))));
  }
}
