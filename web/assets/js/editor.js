// <code-editor> around a textarea puts CodeMirror in its place as soon as that is
// loaded. Until then, and if it cannot be loaded, the textarea is the editor. The
// textarea always holds the text and sends the input events, so the page need not
// know which of the two is shown.
{
class CodeEditor extends HTMLElement {
  static observedAttributes = ["data-error-line"];
  #view = null; // of editor-view.js, null while the textarea is shown
  #leaving = false; // the next Tab leaves the textarea

  get #field() {
    return this.querySelector("textarea");
  }

  async connectedCallback() {
    this.#field.addEventListener("keydown", this.#onKey);
    let module;
    try {
      module = await import("./editor-view.js");
    } catch (error) {
      console.warn("The code editor could not be loaded: a plain field is shown.", error);
      return;
    }
    if (this.isConnected && this.#view === null) {
      this.#view = module.createView(this, this.#field);
      this.attributeChangedCallback();
      this.dataset.ready = "";
    }
  }

  disconnectedCallback() {
    this.#view?.destroy();
    this.#view = null;
  }

  attributeChangedCallback() {
    this.#view?.markError(Number(this.dataset.errorLine) || 0);
  }

  /** Tab indents, but there is a way out for the keyboard. */
  #onKey = (event) => {
    if (event.key === "Tab" && !this.#leaving && !event.shiftKey) {
      event.preventDefault();
      document.execCommand("insertText", false, "  "); // can be undone, unlike a new value
    }
    if (event.key !== "Shift") {
      this.#leaving = event.key === "Escape";
    }
  };

  get value() {
    return this.#field.value;
  }

  /** The line of the caret, the first is 1. */
  get caretLine() {
    const caret = this.#view === null ? this.#field.selectionStart : this.#view.caret();
    return this.value.slice(0, caret).split("\n").length;
  }

  /** Selects a part of the text, counted as strings are, and moves the focus there. */
  select(from, to) {
    if (this.#view !== null) {
      this.#view.select(from, to);
    } else {
      this.#field.focus();
      this.#field.setSelectionRange(from, to);
    }
  }

  /** Selects a line, the first is 1. */
  selectLine(line) {
    const lines = this.value.split("\n");
    if (line >= 1 && line <= lines.length) {
      const from = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
      this.select(from, from + lines[line - 1].length);
    }
  }
}

customElements.define("code-editor", CodeEditor);
}
