// <sandtable-grid account="demo" table="Scores" filter="…">: the rows of a table,
// live.

import { messageOf } from "../answers.js";
import { ask, h } from "./dom.js";
import { Element } from "./element.js";
import { columnsOf, PAGE, readRows, readTables, rowKey, valueOf } from "./rows.js";
import { fill, resetData } from "./store.js";

/** @import { Rows } from "./rows.js" */
/** @import { Sandtable } from "./store.js" */

const NUMBERS = new Set(["Int32", "Int64", "Double"]);
const GATHER = 100; // milliseconds in which changes are shown together

export class Grid extends Element {
  static observedAttributes = ["table", "filter", "account"];

  #tables = h("select", { "aria-label": "Table", onchange: () => this.setAttribute("table", this.#tables.value) });
  #size = h("span", { class: "soft" });
  #filter = h("input", { type: "text", class: "code", "aria-label": "Filter", placeholder: "Filter: PartitionKey eq 'a' and points ge 10", spellcheck: "false", autocapitalize: "off" });
  #plan = h("p", { class: "plan", role: "status" });
  #problem = h("div");
  #table = h("table");
  #note = h("p", { class: "note soft", hidden: true }, h("i", { class: "dot" }), "recently changed");
  #bar = h("div", { class: "bar question" });
  #buttons = [
    h("button", { type: "button", class: "small", disabled: true, onclick: () => this.#act(this.#export()) }, "Export"),
    h("button", { type: "button", class: "small", disabled: true, onclick: () => this.#act(this.#reset()) }, "Reset"),
  ];
  #more = h("button", { type: "button", class: "small", hidden: true, onclick: () => this.#read(this.#rows.length + PAGE) }, "More rows");
  /** @type {Sandtable | null} */
  #sandtable = null;
  /** @type {Record<string, any>[]} */
  #rows = [];
  /** @type {Set<string>} the keys of what was changed, see rowKey */
  changed = new Set();
  #reading = 0; // counts; only the last one is shown
  #wanted = PAGE; // rows
  /** @type {string[]} of the tables that the choice has */
  #names = [];

  /** @param {AbortSignal} leaving */
  async open(leaving) {
    leaving.addEventListener("abort", () => this.#reading++); // what is being read then is not shown
    this.#sandtable = null;
    this.#empty();
    this.#draw();
    this.#filter.value = this.getAttribute("filter") ?? "";
    this.#plan.textContent = "Starting…";
    const sandtable = await this.store();
    await fill(sandtable, this.account, this.getAttribute("data"));
    leaving.throwIfAborted();
    this.#sandtable = sandtable;
    this.#buttons.forEach((button) => (button.disabled = false));
    let waiting = false; // one reading after the other, however fast the changes come
    /** @type {Set<string>} */
    let keys = new Set();
    const readAgain = async () => {
      await new Promise((resolve) => setTimeout(resolve, GATHER));
      waiting = false;
      this.changed = keys;
      keys = new Set();
      if (!leaving.aborted) {
        await this.#read(this.#wanted);
      }
    };
    const first = this.#read();
    let last = first; // changes wait for it: data-ready promises rows
    this.follow(sandtable, "change", ({ kind, table, partitionKey, rowKey: row }) => {
      if (kind.startsWith("table") || table === this.#shown || kind === "lost") {
        if (!waiting) {
          waiting = true;
          last = last.then(readAgain);
        }
        keys.add(rowKey(table, partitionKey, row));
      }
    });
    await first;
    this.dataset.ready = "";
  }

  attributeChangedCallback(/** @type {string} */ name) {
    if (name === "account") {
      this.restart();
      return;
    }
    this.#filter.value = this.getAttribute("filter") ?? "";
    if (this.#sandtable !== null) {
      this.#read();
    }
  }

  /** The table that is shown, as it was created; "" for none. */
  get #shown() {
    const wanted = this.getAttribute("table") ?? this.#tables.value;
    return this.#names.find((name) => name.toLowerCase() === wanted.toLowerCase()) ?? wanted;
  }

  /** Removes what was shown of another account or store, and what could be done with it. */
  #empty() {
    this.#bar.replaceChildren();
    this.#buttons.forEach((button) => (button.disabled = true));
    this.#choose([]);
    this.#show(null, null);
  }

  #draw() {
    const form = h("form", { class: "row", onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), this.setAttribute("filter", this.#filter.value.trim())) },
      this.#filter, h("button", { class: "small" }, "Query"));
    this.root.replaceChildren(h("section", { class: "frame", "aria-label": `Tables of ${this.account}` },
      h("div", { class: "row" }, this.#tables, this.#size, h("span", { class: "grow" }), h("span", { class: "live soft" }, h("i", { class: "dot good" }), "live")),
      form, this.#plan, this.#problem, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Entities" }, this.#table), this.#note, this.#bar,
      h("footer", { class: "row" },
        ...this.#buttons, h("span", { class: "grow" }), this.#more)));
  }

  /** @param {Promise<void>} action of a button */
  #act(action) {
    const { leaving } = this;
    action.catch((reason) => leaving.aborted || this.#fail(reason));
  }

  /**
   * Reads the table again, at least its first page.
   *
   * @param {number} [wanted] rows
   */
  async #read(wanted = PAGE) {
    const reading = ++this.#reading;
    this.#wanted = wanted;
    const sandtable = /** @type {Sandtable} */ (this.#sandtable);
    try {
      const names = await readTables(sandtable, this.account);
      if (reading === this.#reading) {
        this.#choose(names);
      }
      const table = this.#shown;
      const found = names.includes(table) ? await this.#rowsOf(sandtable, table, reading) : null;
      const size = found === null ? null : await sandtable.partitions(this.account, table, { limit: 1 });
      if (reading === this.#reading) {
        this.#show(found, size);
      }
    } catch (reason) {
      if (reading === this.#reading) {
        this.#fail(reason);
      }
    }
  }

  /**
   * @param {Sandtable} sandtable
   * @param {string} table
   * @param {number} reading another one makes this one useless
   * @returns {Promise<Rows>}
   */
  async #rowsOf(sandtable, table, reading) {
    const filter = this.getAttribute("filter") ?? "";
    const all = await readRows(sandtable, this.account, table, filter, null);
    while (all.next !== null && all.rows.length < this.#wanted && reading === this.#reading) {
      const page = await readRows(sandtable, this.account, table, filter, all.next);
      all.rows.push(...page.rows);
      all.next = page.next;
      for (const name of ["examined", "returned"]) {
        all.plan[name] = String(Number(all.plan[name]) + Number(page.plan[name]));
      }
    }
    return all;
  }

  /** @param {string[]} names */
  #choose(names) {
    if (this.#names.join() !== names.join()) {
      this.#names = names;
      const shown = this.#shown;
      this.#tables.replaceChildren(...names.map((name) => h("option", {}, name)));
      this.#tables.value = names.includes(shown) ? shown : (names[0] ?? "");
    }
    this.#tables.hidden = names.length === 0;
    this.#tables.value = this.#shown;
  }

  /**
   * @param {Rows | null} found null without the table
   * @param {{entities: number, bytes: number} | null} size
   */
  #show(found, size) {
    this.#rows = found?.rows ?? [];
    this.#problem.replaceChildren();
    this.#size.textContent = size === null ? "" : `${count(size.entities, "entity", "entities")} · ${bytes(size.bytes)}`;
    this.#more.hidden = found === null || found.next === null;
    if (found === null) {
      this.#plan.textContent = this.#shown === "" ? "No tables yet. Run a program, or write to this account with the SDK." : `There is no table ${this.#shown}.`;
      this.#table.replaceChildren();
      this.#note.hidden = true;
      return;
    }
    this.#plan.replaceChildren(...planOf(found.plan, size?.entities ?? 0));
    const columns = columnsOf(this.#rows);
    const types = columns.map((name) => new Set(this.#rows.map((row) => valueOf(row, name).type).filter((type) => type !== "absent")));
    const heads = columns.map((name, i) => h("th", { scope: "col", class: NUMBERS.has([...types[i]][0]) && "number" }, name, i > 1 && h("small", {}, [...types[i]].join(" "))));
    this.#table.replaceChildren(h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...this.#rows.map((row) => this.#row(row, columns))));
    this.#note.hidden = this.#table.querySelector("td .dot") === null;
  }

  /**
   * @param {Record<string, any>} row
   * @param {string[]} columns
   */
  #row(row, columns) {
    const changed = this.changed.has(rowKey(this.#shown, row.PartitionKey, row.RowKey));
    const cells = columns.map((name, i) => {
      const { text, type } = valueOf(row, name);
      const dot = changed && i === 0 && h("i", { class: "dot", role: "img", "aria-label": "recently changed" });
      return h("td", { class: NUMBERS.has(type) ? "number" : type.toLowerCase(), title: text.length > 40 && text.slice(0, 1000) }, dot, text.length > 200 ? text.slice(0, 200) + "…" : text);
    });
    return h("tr", {}, ...cells);
  }

  /** @param {unknown} reason */
  #fail(reason) {
    this.#plan.textContent = "";
    this.#problem.replaceChildren(h("p", { class: "bar error", role: "alert" }, messageOf(reason), h("button", { type: "button", class: "small", onclick: () => this.#read() }, "Try again")));
  }

  /** Saves the account as an archive. */
  async #export() {
    const { account } = this;
    const archive = await /** @type {Sandtable} */ (this.#sandtable).dump({ account });
    const url = URL.createObjectURL(archive);
    h("a", { href: url, download: account + ".jsonl" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser reads it when it saves it
  }

  async #reset() {
    const data = this.getAttribute("data");
    const question = `Delete all tables of ${this.account}${data === null ? "" : ", and load the first data again"}?`;
    if ((await ask(this.#bar, question, { "Delete all tables": "delete" })) !== null) {
      await resetData(/** @type {Sandtable} */ (this.#sandtable), this.account, data); // the changes are read like others
    }
  }
}

/**
 * @param {number} n
 * @param {string} one
 * @param {string} many
 */
const count = (n, one, many) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

/** @param {number} n */
const bytes = (n) => (n < 1024 ? `${n} B` : n < 1 << 20 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / (1 << 20)).toFixed(1)} MiB`);

/**
 * Shows what a query read, with a bar that is the whole table.
 *
 * @param {Record<string, string>} plan
 * @param {number} entities of the table
 */
function planOf({ kind = "", examined = "0", returned = "0" }, entities) {
  const bar = h("meter", { min: 0, max: Math.max(1, entities, Number(examined)), value: Number(examined), "aria-hidden": "true" });
  return [h("b", {}, kind), bar, h("span", { class: "soft" }, `${returned} returned of ${examined} examined`)];
}
