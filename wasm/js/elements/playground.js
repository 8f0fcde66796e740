// <sandtable-playground src="scores.js" account="demo" data="scores.jsonl">: a
// program that readers can change and run.

import { messageOf } from "../answers.js";
import { moduleURL } from "../client/module-url.js";
import { ask, h, mark } from "./dom.js";
import { Element } from "./element.js";
import { Output } from "./output.js";
import { Panel } from "./panel.js";
import { rowKey } from "./rows.js";
import { fill, resetData } from "./store.js";

/** @import { SandboxEnd, SandboxRun } from "../client/sandbox.d.ts" */
/** @import { Sandtable } from "./store.js" */

// Next to this script or, if a bundler moved that, next to the page; not in it, because
// it is much larger. Bundlers would copy a name that is written where it is used.
const EDITOR = "editor/editor-view.js";
const MARKED = 1000; // changed entities that are remembered; the panel shows a hundred

/** @param {string} base */
const editorNextTo = (base) => import(/* @vite-ignore */ /* webpackIgnore: true */ new URL(EDITOR, base).href);

/** @typedef {{destroy(): void, markError(line: number): void}} View of editor-view.js */

/** @param {SandboxEnd} end */
function sentenceOf({ outcome, message, failure, milliseconds, requests }) {
  const used = `${Math.round(milliseconds)} ms, ${requests === 1 ? "1 request" : requests + " requests"}`;
  if (failure !== null) {
    const { name, code, status, line } = failure;
    return `${line > 0 ? `Line ${line}: ` : ""}${code || name}${status > 0 ? ` (${status})` : ""}: ${failure.message}`;
  }
  return outcome === "finished" ? `Finished: ${used}.` : message;
}

export class Playground extends Element {
  static observedAttributes = ["src", "account"];

  #field = h("textarea", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", rows: 8 });
  #editor = h("div", { class: "editor", "data-language": "js" }, this.#field);
  #button = h("button", { type: "button", class: "primary", onclick: () => this.#toggle() }, "Run");
  #link = h("a", { class: "button quiet small", target: "_blank", rel: "noopener" }, "Open in playground ↗");
  #status = h("p", { class: "status soft", role: "status" });
  #bar = h("div", { class: "bar question" });
  #output = new Output();
  #panel = new Panel();
  /** @type {Promise<Sandtable> | null} the store, once it is needed */
  #starting = null;
  #started = false;
  /** @type {Promise<void> | null} while the tables are reset */
  #resetting = null;
  /** @type {SandboxRun | null} */
  #run = null;
  #code = ""; // as the page has it
  #label = ""; // of the last run's requests; none after a reset
  /** @type {Set<string>} */
  #changed = new Set(); // by the last run or since
  #table = ""; // that was changed last
  /** @type {View | null} */
  #view = null;

  /** @param {AbortSignal} leaving */
  async open(leaving) {
    const code = await this.#read();
    leaving.throwIfAborted();
    if (code !== this.#code) { // not when the element is only moved
      this.#code = this.#field.value = code;
    }
    this.#draw();
    this.#edited();
    leaving.addEventListener("abort", () => this.#run?.stop());
    await this.#decorate();
    this.dataset.ready = "";
  }

  attributeChangedCallback() {
    this.restart();
  }

  get #name() {
    return this.getAttribute("name") ?? this.getAttribute("src")?.split("/").at(-1) ?? "Example";
  }

  /** Returns the code that the page has: a file, or what the element contains. */
  async #read() {
    const src = this.getAttribute("src");
    if (src === null) {
      return dedent(this.querySelector("pre, script")?.textContent ?? this.textContent ?? "");
    }
    const response = await fetch(new URL(src, document.baseURI));
    if (!response.ok) {
      throw new Error(`${src} could not be loaded: status ${response.status}.`);
    }
    return (await response.text()).trimEnd();
  }

  #draw() {
    this.#field.setAttribute("aria-label", `Code of ${this.#name}`);
    this.#field.setAttribute("aria-describedby", "keys");
    this.#field.oninput = () => this.#edited();
    const keys = (/** @type {Event} */ event) => {
      const { key, ctrlKey, metaKey } = /** @type {KeyboardEvent} */ (event);
      if (key === "Enter" && (ctrlKey || metaKey)) {
        event.preventDefault();
        if (this.#run === null) this.#toggle();
      }
    };
    this.root.replaceChildren(h("section", { class: "frame", "aria-label": `Playground: ${this.#name}`, onkeydown: /** @type {EventListener} */ (keys) },
      h("header", { class: "row" }, mark(), h("b", {}, this.#name), h("span", { class: "soft wide" }, "edit and run"), h("span", { class: "grow" }),
        h("button", { type: "button", class: "quiet small", onclick: () => this.#reset() }, "Reset"), this.hasAttribute("playground") && this.#link, this.#button),
      this.#bar, this.#editor, h("p", { id: "keys", class: "hidden" }, "Control and Enter run the code. Escape, then Tab, leaves the editor."), this.#status,
      this.#output.element,
      h("footer", { class: "row" }, h("span", { class: "soft" }, "Runs in this page; the data stays in this browser."), h("span", { class: "grow" }),
        h("button", { type: "button", class: "link small", onclick: () => this.#openExplorer() }, "Open explorer"))), this.#panel.element);
  }

  /** Puts the real editor in the textarea's place, if it can be loaded. */
  async #decorate() {
    try {
      const { createView } = await editorNextTo(moduleURL()).catch(() => editorNextTo(document.baseURI));
      if (this.#view === null && this.isConnected) {
        this.#view = createView(this.#editor, this.#field);
      }
    } catch (reason) {
      console.warn("The code editor could not be loaded: a plain field is shown.", reason);
    }
  }

  #edited() {
    const site = this.getAttribute("playground");
    if (site !== null) {
      this.#link.href = new URL("?page=playground&code=" + encodeURIComponent(this.#field.value), new URL(site, document.baseURI)).href;
    }
  }

  /** Starts the engine when it is needed first. */
  #start() {
    const { leaving } = this;
    this.#starting ??= this.#startNow(leaving).catch((reason) => {
      if (!leaving.aborted) this.#starting = null; // so that the next click tries again
      throw reason;
    });
    return this.#starting;
  }

  /** @param {AbortSignal} leaving */
  async #startNow(leaving) {
    const sandtable = await this.store();
    await fill(sandtable, this.account, this.getAttribute("data"));
    leaving.throwIfAborted();
    this.follow(sandtable, "request", (event) => event.label !== undefined && event.label === this.#label && this.#output.request(event));
    this.follow(sandtable, "change", ({ table, partitionKey, rowKey: row }) => {
      if (this.#label !== "" && partitionKey !== undefined) {
        if (this.#changed.size < MARKED) this.#changed.add(rowKey(table, partitionKey, row));
        this.#table = table;
      } else if (table === this.#table) {
        this.#table = ""; // it may be gone
      }
    });
    this.#started = true;
    return sandtable;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#bar.replaceChildren(); // a question is about this store and account
    this.#starting = null; // the listeners are gone
    this.#started = false;
    this.#showField();
  }

  /** Shows the textarea in place of the real editor. */
  #showField() {
    this.#view?.destroy();
    this.#view = null;
    this.#field.hidden = false;
    this.#editor.replaceChildren(this.#field);
  }

  /** Runs the program, or stops it. */
  #toggle() {
    if (this.#button.disabled) {
      return;
    }
    if (this.#run !== null) {
      this.#run.stop();
      return;
    }
    const { leaving } = this;
    this.#execute().catch((reason) => this.#showStatus(leaving.aborted ? "" : messageOf(reason), true)).finally(() => {
      this.#run = null;
      this.#button.textContent = "Run";
      this.#button.disabled = false;
    });
  }

  async #execute() {
    this.#output.clear();
    this.#changed = new Set();
    this.#view?.markError(0);
    this.#button.disabled = !this.#started || this.#resetting !== null;
    this.#showStatus(this.#started ? "Running…" : "Starting…");
    const sandtable = await this.#start();
    await this.#resetting;
    this.#label = "playground " + crypto.randomUUID();
    const sandbox = sandtable.createSandbox({ accounts: [this.account], label: this.#label });
    this.#run = sandbox.run(this.#field.value, this.#output);
    this.#button.disabled = false;
    this.#button.textContent = "Stop";
    this.#showStatus("Running…");
    const end = await this.#run.ended;
    this.#view?.markError(end.failure?.line ?? 0);
    this.#showStatus(sentenceOf(end), end.outcome !== "finished" && end.outcome !== "stopped");
  }

  /**
   * @param {string} text
   * @param {boolean} [error]
   */
  #showStatus(text, error = false) {
    this.#status.textContent = text;
    this.#status.classList.toggle("error", error);
  }

  async #reset() {
    const answer = await ask(this.#bar, `Put the code back, or delete the tables of ${this.account} as well?`, { "Code": "code", "Code and tables": "tables" });
    if (answer === null) {
      return;
    }
    this.#write(this.#code);
    this.#output.clear();
    this.#label = "";
    this.#changed = new Set();
    this.#showStatus("");
    if (answer === "tables") {
      this.#run?.stop(); // it would write into the first data
      const resetting = this.#resetTables();
      this.#resetting = resetting;
      await resetting;
      if (this.#resetting === resetting) this.#resetting = null;
    }
  }

  async #resetTables() {
    const { leaving } = this;
    try {
      await resetData(await this.#start(), this.account, this.getAttribute("data"));
      this.#showStatus("Code and tables are as they were.");
    } catch (reason) {
      if (!leaving.aborted) this.#showStatus(messageOf(reason), true);
    }
  }

  /** @param {string} code */
  #write(code) {
    this.#showField();
    this.#field.value = code;
    this.#edited();
    this.#decorate();
  }

  async #openExplorer() {
    const { leaving } = this;
    try {
      await this.#panel.open(await this.#start(), this.account, this.#changed, this.#table);
    } catch (reason) {
      if (!leaving.aborted) this.#showStatus(messageOf(reason), true);
    }
  }
}

/**
 * Removes the indentation that all lines have, and empty lines around them.
 *
 * @param {string} text
 */
function dedent(text) {
  const lines = text.replace(/^(?:[ \t]*\r?\n)+|\s+$/g, "").split(/\r?\n/);
  const indent = Math.min(...lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length));
  return lines.map((line) => line.slice(Number.isFinite(indent) ? indent : 0)).join("\n");
}
